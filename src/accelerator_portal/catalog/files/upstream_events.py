"""Models `upstream_events` in `accelerator.yaml`: which changes of PyTorch are tested, and how."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.files.shared_files import RepositoryName
from accelerator_reports.files.fields import (
    Line,
    StrictModel,
    exactly_one_of,
    matches,
    validation_error,
)
from accelerator_reports.files.sources import Sourced

UpstreamTrigger = Literal["pull-request", "push", "daily", "weekly"]
Task = Literal["build", "unit", "torchbench", "models"]
AllowedAuthors = Literal["approved", "anyone"]
StartMethod = Literal["runner", "workflow", "dispatch", "redispatch"]

OWN_WORKFLOW = "upstream-run.yml"
"""File name of the portal's workflow that runs tests on runners attached to this repository."""

# GitHub allows 100 characters. Source: npm @octokit/openapi, `repos/create-dispatch-event`.
EventType = Annotated[
    str,
    matches(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
        "use up to 100 letters, digits and . _ -",
        "is not a valid event type",
    ),
]
RunnerLabel = Annotated[
    str,
    matches(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}",
        "use letters, digits and . _ -",
        "is not a valid runner label",
    ),
]
WorkflowName = Annotated[
    str,
    matches(
        r"[a-z0-9][a-z0-9._-]{0,59}\.yml",
        'use its file name, like "foo.yml"',
        "is not the file name of a workflow",
    ),
]


class Dispatch(StrictModel):
    """A repository to which the portal sends an event."""

    repository: RepositoryName
    """Owner and name of the repository on GitHub, for example `acme/torch-acme`."""
    event_type: EventType
    """The event type that the workflow in the repository lists under `on: repository_dispatch:
    types`."""


class UpstreamRun(StrictModel):
    """Where the tests run. Set exactly one key."""

    runner: Annotated[tuple[RunnerLabel, ...], Field(min_length=1, max_length=10)] | None = None
    """Labels of your runner that is attached to the portal's repository. The portal's own workflow
    `upstream-run.yml` runs there."""
    workflow: WorkflowName | None = None
    """File name of your workflow in `.github/workflows/` of the portal's repository, for example
    `acme.yml`."""
    dispatch: Dispatch | None = None
    """Your repository that receives the event and runs the tests. The portal reads the run and the
    report there."""
    redispatch: Dispatch | None = None
    """A repository that forwards the event to a private CI and publishes the report of that CI.
    A missing report is not an error."""

    _check_one_key = exactly_one_of("runner", "workflow", "dispatch", "redispatch")

    @property
    def start_method(self) -> StartMethod:
        """The way to start the tests: the name of the key that is set."""
        if self.runner:
            return "runner"
        return "workflow" if self.workflow else "dispatch" if self.dispatch else "redispatch"

    @property
    def portal_workflow(self) -> str | None:
        """The file name of the workflow that runs the tests in the portal's repository.

        None if the tests run in another repository.
        """
        return OWN_WORKFLOW if self.runner else self.workflow

    @property
    def sent_to(self) -> Dispatch | None:
        """The repository that receives an event to start the tests.

        None if the tests run in the portal's repository.
        """
        return self.dispatch or self.redispatch


class UpstreamEvents(Sourced):
    """Which changes of PyTorch start tests on the platform, and where the tests run."""

    events: Annotated[tuple[UpstreamTrigger, ...], Field(min_length=1)]
    """What starts the tests. `pull-request`: opened, changed or labeled pull requests. `push`:
    commits to main. `daily` and `weekly`: scheduled runs for PyTorch's main branch."""
    labels: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    """Labels of PyTorch's pull requests: only pull requests with one of them start tests. Default:
    any labels or none."""
    authors: AllowedAuthors = "approved"
    """Whose code may run on your machines. `approved`: a pull request from a branch in PyTorch's
    repository or from a repository of its author, who is a member of PyTorch's organization; or a
    commit that a member approved or that a person with rights there just labeled with one of your
    labels. `anyone`: every pull request, also a stranger's that nobody has read. Default:
    `approved`."""
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]
    """Tasks to run: `build` (PyTorch and the plugin), `unit` (tests), `torchbench`, `models`."""
    run: UpstreamRun
    """Where the tests run."""
    hours: Annotated[int, Field(ge=1, le=72, json_schema_extra={"unit": "hours"})] = 6
    """Hours to wait for a report. After that, the run counts as lost. Default: 6."""

    @model_validator(mode="after")
    def _check_labels_event(self) -> UpstreamEvents:
        for key in ("labels", "authors"):
            if key in self.model_fields_set and "pull-request" not in self.events:
                what = f"{key} is only for the event pull-request"
                raise validation_error(what, "add pull-request to events")
        return self

    @model_validator(mode="after")
    def _check_supported_tasks(self) -> UpstreamEvents:
        if self.run.runner and "torchbench" in self.tasks:
            remedy = "remove it, or run it in your own workflow"
            raise validation_error(
                "the portal's workflow does not support the task torchbench", remedy
            )
        return self

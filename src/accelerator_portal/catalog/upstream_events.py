"""`upstream_events` in `accelerator.yaml`: which of PyTorch's changes are tested, and how."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from accelerator_portal.catalog.fields import Id, Line, Model, fault, unit
from accelerator_portal.catalog.relay_file import RepositoryName
from accelerator_portal.catalog.sources import Sourced

Occasion = Literal["pull-request", "push", "daily", "weekly"]
Task = Literal["build", "unit", "torchbench", "models"]
Way = Literal["runner", "workflow", "dispatch", "redispatch"]

# GitHub takes 100 characters. Source: npm @octokit/openapi, `repos/create-dispatch-event`.
_EVENT_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RUNNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_WORKFLOW = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}\.yml")


def _event_type(value: str) -> str:
    if not _EVENT_TYPE.fullmatch(value):
        remedy = "use up to 100 letters, digits and . _ -"
        raise fault(f'"{value[:60]}" is not a valid event type', remedy)
    return value


def _runner(value: str) -> str:
    if not _RUNNER.fullmatch(value):
        raise fault(f'"{value[:60]}" is not a valid runner label', "use letters, digits and . _ -")
    return value


def _workflow(value: str) -> str:
    if not _WORKFLOW.fullmatch(value):
        raise fault(
            f'"{value[:60]}" is not a workflow of this repository',
            'use its file name, like "foo.yml"',
        )
    return value


OWN_WORKFLOW = "upstream-run.yml"
"""The portal's own workflow for runners that are attached to this repository."""

EventType = Annotated[str, AfterValidator(_event_type)]
RunnerLabel = Annotated[str, AfterValidator(_runner)]
WorkflowName = Annotated[str, AfterValidator(_workflow)]


class Dispatch(Model):
    """A repository that is sent the event."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    event_type: EventType
    """What its workflow listens to: `on: repository_dispatch: types`."""


class UpstreamRun(Model):
    """Where the tests run: exactly one of the four."""

    runner: Annotated[tuple[RunnerLabel, ...], Field(min_length=1, max_length=10)] | None = None
    """Labels of a runner that this repository has: the portal's own workflow runs there."""
    workflow: WorkflowName | None = None
    """A workflow of your own in this repository's `.github/workflows/`."""
    dispatch: Dispatch | None = None
    """Your repository: its run and its report are looked for there."""
    redispatch: Dispatch | None = None
    """A repository that passes the event on to a CI that nobody else can see; there it keeps the
    report that comes back. Silence is no fault then."""

    @model_validator(mode="after")
    def _exactly_one(self) -> UpstreamRun:
        if sum(value is not None for _, value in self) != 1:
            remedy = "use one of: runner, workflow, dispatch, redispatch"
            raise fault("a run needs exactly one way to start it", remedy)
        return self

    @property
    def way(self) -> Way:
        """Which of the four it is."""
        if self.runner:
            return "runner"
        return "workflow" if self.workflow else "dispatch" if self.dispatch else "redispatch"

    @property
    def workflow_here(self) -> str | None:
        """The workflow of this repository that is started, whichever way."""
        return OWN_WORKFLOW if self.runner else self.workflow

    @property
    def sent_to(self) -> Dispatch | None:
        """The repository that is sent the event, whichever way."""
        return self.dispatch or self.redispatch


class UpstreamEvents(Sourced):
    """How a platform takes part in PyTorch's changes."""

    events: Annotated[tuple[Occasion, ...], Field(min_length=1)]
    """`pull-request`: opened, changed, labeled; `push`: merged into main; `daily`, `weekly`:
    PyTorch's main, whatever changed."""
    labels: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    """Only pull requests that have one of these labels; without it all of them."""
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]
    """What is run: `build` of PyTorch and plugin, `unit` tests, `torchbench`, `models`."""
    device: Id | None = None
    """The name by which PyTorch's relay knows the device: the label `ciflow/crcr/<device>`; by
    default the folder's name."""
    run: UpstreamRun
    """Where it runs."""
    hours: Annotated[int, Field(ge=1, le=72, json_schema_extra=unit("hours"))] = 6
    """After so many hours without a report the run counts as lost."""

    @model_validator(mode="after")
    def _labels_are_of_pull_requests(self) -> UpstreamEvents:
        if self.labels and "pull-request" not in self.events:
            raise fault("labels need the event pull-request", "add pull-request to events")
        return self

    @model_validator(mode="after")
    def _own_workflow_has_the_tasks(self) -> UpstreamEvents:
        if self.run.runner and "torchbench" in self.tasks:
            remedy = "remove it, or run it in your own workflow"
            raise fault("the portal's workflow does not support the task torchbench", remedy)
        return self

"""Selects the platforms that test a PyTorch change; builds their job matrix and event payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from accelerator_automation.upstream.incoming import Change
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import Task, UpstreamEvents, UpstreamRun
from accelerator_reports.files.fields import Id, Line, StrictModel

SUITES: Mapping[Task, str] = {"build": "integration", "unit": "operators", "models": "models"}
"""The harness's suites by task. TorchBench is not among them; a vendor's own workflow can run
it."""

REPORT_ARTIFACT = "accelerator-report"
"""The name of the artifact in which a run uploads its report, as the file `report.json`.

The artifact for one task is named `accelerator-report-<task>`. The artifact of a private CI
(`redispatch`) is named `accelerator-report-<delivery>`.
"""

# GitHub allows a `client_payload` ten keys and 64 kB. Source: npm @octokit/openapi,
# `repos/create-dispatch-event`. A hundred labels and a title of these lengths always fit. The
# lengths are GitHub's own limits.
_MOST_TITLE_CHARACTERS = 256
_MOST_LABEL_CHARACTERS = 50


class PlannedPlatform(StrictModel):
    """A platform that tests a change: its device and tasks, where they run, and the time limit."""

    accelerator: Id
    """The platform's id."""
    name: Line
    """The platform's name."""
    device: str
    """The name of the device for `torch.device()`."""
    tasks: tuple[Task, ...]
    """The tasks that the platform runs."""
    run: UpstreamRun
    """Where the tests run."""
    hours: int
    """The number of hours to wait for the report."""


class DispatchPlan(StrictModel):
    """The platforms that test a change (`entries`), and why others do not (`passed_over`)."""

    schema_version: Literal[1] = 1
    """The version of this file's format."""
    change: Change
    """The change to test."""
    entries: Annotated[tuple[PlannedPlatform, ...], Field(max_length=1000)] = ()
    """The platforms that test the change, sorted by id."""
    passed_over: Mapping[str, str] = Field(default_factory=dict)
    """Why the other platforms with the section `upstream_events` do not test it, by id."""


def plan_tests(catalog: Catalog, change: Change) -> DispatchPlan:
    """Return the plan for a change: the platforms that test it, and why others do not.

    The change must be confirmed with GitHub (see `confirmed_change`), not only read from an event.
    """
    entries, passed_over = [], {}
    for platform in sorted(catalog.platforms, key=lambda one: one.id):
        events = platform.accelerator.upstream_events
        if events is None:
            continue
        reason = _reason_to_skip(platform, events, change)
        if reason:
            passed_over[platform.id] = reason
        else:
            entries.append(planned_platform(platform, events))
    return DispatchPlan(change=change, entries=tuple(entries), passed_over=passed_over)


def job_matrix(entry: PlannedPlatform) -> dict[str, list[dict[str, str]]]:
    """Return the job matrix of a platform that tests on a runner: one job for each task.

    The result is a value of `strategy.matrix`. `include` has, for each job, the `task` and its
    `suites`.
    """
    tasks = [task for task in entry.tasks if task in SUITES]
    return {"include": [{"task": task, "suites": SUITES[task]} for task in tasks]}


def _reason_to_skip(platform: Platform, events: UpstreamEvents, change: Change) -> str | None:
    if change.only is not None and platform.id != change.only:
        return f"only {change.only} is tested again"
    if change.occasion not in events.events:
        return f"does not test the event {change.occasion}"
    return _reason_to_skip_pull_request(events, change) if change.number is not None else None


def _reason_to_skip_pull_request(events: UpstreamEvents, change: Change) -> str | None:
    if change.action == "closed":
        return "the pull request is closed"
    platform_labels = {label.casefold() for label in events.labels}
    if change.added is not None and change.added.casefold() not in platform_labels:
        return "the new label is not one of the platform's labels"
    if platform_labels and platform_labels.isdisjoint(label.casefold() for label in change.labels):
        return "the pull request has none of the platform's labels"
    if events.authors == "approved" and change.approval is None:
        return change.objection or "this commit is not approved"
    return None


def planned_platform(platform: Platform, events: UpstreamEvents) -> PlannedPlatform:
    """Return the plan's entry for a platform.

    `events` is the section `upstream_events` of the platform's `accelerator.yaml`.
    """
    accelerator = platform.accelerator
    return PlannedPlatform(
        accelerator=platform.id,
        name=accelerator.name,
        device=accelerator.device.value,
        tasks=events.tasks,
        run=events.run,
        hours=events.hours,
    )


def run_title(change: Change, accelerator: str) -> str:
    """Return `<delivery>/<accelerator>`, which the title of a platform's run must contain.

    The vendor's workflow sets the title as `run-name`, and the portal finds the run by its title.
    For a private CI (`redispatch`), the portal looks for the artifact
    `accelerator-report-<delivery>` instead.
    """
    return f"{change.delivery}/{accelerator}"


def client_payload(change: Change, entry: PlannedPlatform) -> dict[str, Any]:
    """Return the `client_payload` of the event that is sent to one platform.

    The key `pull_request` has the format of older dispatchers, so that workflows for these
    dispatchers also work.
    """
    body: dict[str, Any] = {
        "schema_version": 1,
        "event_type": change.occasion,
        "delivery_id": change.delivery,
        "accelerator": entry.accelerator,
        "tasks": list(entry.tasks),
        "repository": change.repository,
        "sha": change.head,
        "run_name": run_title(change, entry.accelerator),
        "artifact": REPORT_ARTIFACT,
    }
    if change.number is not None:
        body["pull_request"] = {
            "number": change.number,
            "title": change.title[:_MOST_TITLE_CHARACTERS],
            "head": {"sha": change.head},
            "base": {"sha": change.base},
            "labels": [{"name": label[:_MOST_LABEL_CHARACTERS]} for label in change.labels],
        }
    return body

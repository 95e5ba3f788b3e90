"""Which platforms test a change, by what their folders say, and the matrix of their jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.fields import Id, Line, Model
from accelerator_portal.catalog.upstream_events import Task, UpstreamEvents, UpstreamRun

SUITES: Mapping[Task, str] = {"build": "integration", "unit": "operators", "models": "models"}
"""The harness's suites by task. It has no TorchBench: that is for a vendor's own workflow."""


class PlannedPlatform(Model):
    """One platform that takes part."""

    accelerator: Id
    """Its id."""
    name: Line
    """Its name."""
    device: str
    """What goes into `torch.device()`."""
    tasks: tuple[Task, ...]
    """What it runs."""
    run: UpstreamRun
    """Where."""
    hours: int
    """After so many it counts as lost."""


class DispatchPlan(Model):
    """Who tests a change, and who does not and why."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    change: Change
    """What is tested."""
    entries: Annotated[tuple[PlannedPlatform, ...], Field(max_length=1000)] = ()
    """Who takes part, by id."""
    passed_over: Mapping[str, str] = Field(default_factory=dict)
    """Why the others of those that have the section do not."""


def plan(catalog: Catalog, change: Change) -> DispatchPlan:
    """Return who tests a change that GitHub confirmed."""
    entries, passed_over = [], {}
    for platform in sorted(catalog.platforms, key=lambda one: one.id):
        events = platform.accelerator.upstream_events
        if events is None:
            continue
        reason = _reason(platform, events, change)
        if reason:
            passed_over[platform.id] = reason
        else:
            entries.append(entry_of(platform, events))
    return DispatchPlan(change=change, entries=tuple(entries), passed_over=passed_over)


def matrix(entry: PlannedPlatform) -> dict[str, list[dict[str, str]]]:
    """Return the jobs of one platform on a runner of this repository, for `strategy.matrix`."""
    tasks = [task for task in entry.tasks if task in SUITES]
    return {"include": [{"task": task, "suites": SUITES[task]} for task in tasks]}


def _reason(platform: Platform, events: UpstreamEvents, change: Change) -> str | None:
    if change.only is not None and platform.id != change.only:
        return f"only {change.only} is tested again"
    if change.occasion not in events.events:
        return f"does not test the event {change.occasion}"
    if change.action == "closed":
        return "the pull request is closed"
    wanted = {label.casefold() for label in events.labels}
    if change.added is not None and change.added.casefold() not in wanted:
        return "the new label is not one of its labels"
    if wanted and wanted.isdisjoint(label.casefold() for label in change.labels):
        return "the pull request has none of its labels"
    return None


def entry_of(platform: Platform, events: UpstreamEvents) -> PlannedPlatform:
    """Return how a platform takes part, by its folder."""
    accelerator = platform.accelerator
    return PlannedPlatform(
        accelerator=platform.id,
        name=accelerator.name,
        device=accelerator.device.value,
        tasks=events.tasks,
        run=events.run,
        hours=events.hours,
    )

"""Which platforms test a change, by what their folders say: a pure function, and its matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.fields import Id, Line, Model
from accelerator_portal.catalog.upstream_events import Task, UpstreamEvents, UpstreamRun

# GitHub makes no more jobs of one matrix. Source: docs.github.com, "Running variations of jobs in
# a workflow", read 2026-11-21.
MOST_JOBS = 256

SUITES: Mapping[Task, tuple[str, ...]] = {"unit": ("operators",), "models": ("models",)}
"""The harness's suites by task. It builds no PyTorch and has no TorchBench: those two are for a
vendor's own workflow."""


class Entry(Model):
    """One platform that takes part."""

    accelerator: Id
    """Its id."""
    name: Line
    """Its name."""
    device: str
    """What goes into `torch.device()`."""
    module: str
    """The plugin's module."""
    tasks: tuple[Task, ...]
    """What it runs."""
    run: UpstreamRun
    """Where."""
    hours: int
    """After so many it counts as lost."""


class Plan(Model):
    """Who tests a change, and who does not and why."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    change: Change
    """What is tested."""
    entries: Annotated[tuple[Entry, ...], Field(max_length=1000)] = ()
    """Who takes part, by id."""
    passed_over: Mapping[str, str] = Field(default_factory=dict)
    """Why the others of those that have the section do not."""


def plan(catalog: Catalog, change: Change) -> Plan:
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
            entries.append(_entry(platform, events))
    return Plan(change=change, entries=tuple(entries), passed_over=passed_over)


def matrix(change: Change, entries: Iterable[Entry]) -> dict[str, list[dict[str, Any]]]:
    """Return the matrix of jobs on runners that this repository has, for `strategy.matrix`.

    Raises ValueError for more jobs than GitHub makes.
    """
    jobs = [
        {
            "accelerator": entry.accelerator,
            "device": entry.device,
            "module": entry.module,
            "runner": list(entry.run.runner),
            "suites": " ".join(suite for task in entry.tasks for suite in SUITES.get(task, ())),
            "minutes": min(entry.hours * 60, 360),
            "commit": change.head or "",
            "pull_request": str(change.number or ""),
        }
        for entry in entries
        if entry.run.runner
    ]
    if len(jobs) > MOST_JOBS:
        raise ValueError(f"{len(jobs)} jobs, more than {MOST_JOBS}: GitHub makes no such matrix")
    return {"include": jobs}


def _reason(platform: Platform, events: UpstreamEvents, change: Change) -> str | None:
    if change.only is not None and platform.id != change.only:
        return f"only {change.only} is asked again"
    if change.occasion not in events.events:
        return f"does not ask for {change.occasion}"
    if change.action == "closed":
        return "the pull request is closed"
    wanted = {label.casefold() for label in events.labels}
    if change.added is not None and change.added.casefold() not in wanted:
        return "the new label is none that it asks for"
    if wanted and wanted.isdisjoint(label.casefold() for label in change.labels):
        return "none of its labels is there"
    return None


def _entry(platform: Platform, events: UpstreamEvents) -> Entry:
    accelerator = platform.accelerator
    return Entry(
        accelerator=platform.id,
        name=accelerator.name,
        device=accelerator.device.value,
        module=accelerator.package.module,
        tasks=events.tasks,
        run=events.run,
        hours=events.hours,
    )

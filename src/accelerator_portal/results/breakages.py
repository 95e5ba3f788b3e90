"""What is broken now, since when, and what differs between the last good and the first bad run."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from accelerator_portal.reports.outcomes import Outcome, Stage
from accelerator_portal.reports.report import Component, Environment
from accelerator_portal.results.classify import is_flaky
from accelerator_portal.results.standing import Point, Standing, State


@dataclass(frozen=True, slots=True)
class EnvironmentDifference:
    """A statement of two environments that differs; what one does not say is None."""

    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class NeverPassed:
    """A test that failed in runs and passed in none: no breakage, nothing that worked broke."""

    key: str
    outcome: Outcome
    stage: Stage | None
    first_bad: Point
    last_seen: Point
    gone: Point | None
    age: dt.timedelta


@dataclass(frozen=True, slots=True)
class Breakage:
    """A test that passed in a run and fails in a later one.

    `outcome` and `stage` are of its last failure. `id` stays the same as long as the breakage is
    open. Where `gone` is set, newer runs do not have the test; that does not mend it.
    """

    id: str
    key: str
    outcome: Outcome
    stage: Stage | None
    last_good: Point
    first_bad: Point
    last_seen: Point
    gone: Point | None
    age: dt.timedelta
    overdue: bool
    flaky: bool

    @property
    def differences(self) -> tuple[EnvironmentDifference, ...]:
        """What differs between the environments of the last good and the first bad report."""
        return differences(self.last_good.environment, self.first_bad.environment)


def open_breakages(state: State, at: dt.datetime, deadline: dt.timedelta) -> tuple[Breakage, ...]:
    """Return what is broken at a moment, the oldest first, then by key.

    A breakage is overdue when it is older than `deadline`. Baselines have none: they are no runs.
    """
    found = [
        Breakage(
            _id(state, key, first_bad),
            key,
            failure,
            standing.failure_stage,
            standing.last_good,
            first_bad,
            standing.last_seen,
            standing.gone,
            at - first_bad.started,
            overdue=at - first_bad.started > deadline,
            flaky=is_flaky(standing),
        )
        for key, standing, first_bad, failure in _failing(state, at)
        if standing.last_good
    ]
    return tuple(sorted(found, key=lambda breakage: (breakage.first_bad.started, breakage.key)))


def never_passed(state: State, at: dt.datetime) -> tuple[NeverPassed, ...]:
    """Return the tests that fail and never passed, in the order of their keys."""
    return tuple(
        NeverPassed(
            key,
            failure,
            standing.failure_stage,
            first_bad,
            standing.last_seen,
            standing.gone,
            at - first_bad.started,
        )
        for key, standing, first_bad, failure in _failing(state, at)
        if standing.last_good is None
    )


def differences(before: Environment, after: Environment) -> tuple[EnvironmentDifference, ...]:
    """Return what two environments say differently, as the report format orders it.

    Packages come last, by name: `packages.numpy`; a piece of software in parts: `plugin.version`.
    """
    both = zip(_fields(before), _fields(after), strict=True)
    found = [EnvironmentDifference(name, old, new) for (name, old), (_, new) in both]
    for name in sorted({*before.packages, *after.packages}):
        old, new = before.packages.get(name), after.packages.get(name)
        found.append(EnvironmentDifference(f"packages.{name}", old, new))
    return tuple(one for one in found if one.before != one.after)


def _fields(environment: Environment) -> Iterator[tuple[str, str | None]]:
    for name in Environment.model_fields:
        value = getattr(environment, name)
        if name in {"plugin", "sdk", "backend"}:
            for part in Component.model_fields:
                yield f"{name}.{part}", getattr(value, part, None)
        elif name != "packages":
            yield name, None if value is None else str(value)


def _failing(state: State, at: dt.datetime) -> Iterator[tuple[str, Standing, Point, Outcome]]:
    if state.basis == "baselines":
        return
    for key, standing in state.tests():
        first_bad, failure = standing.first_bad, standing.failure
        if first_bad and failure and first_bad.started <= at:
            yield key, standing, first_bad, failure


def _id(state: State, key: str, first_bad: Point) -> str:
    text = (
        f"{state.accelerator}\n{key}\n{first_bad.started.astimezone(dt.timezone.utc).isoformat()}"
    )
    return hashlib.sha256(text.encode()).hexdigest()[:12]

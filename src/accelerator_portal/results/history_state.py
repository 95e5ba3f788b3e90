"""Describes what a history stores about each test, and updates it with the test's next outcome.

This state of a test has its last outcome, its latest verdicts, and the reports in which it changed,
passed or failed. The verdict on a test in a report is good or bad. There is no verdict if the
outcome says nothing about the product, as for `skipped`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from accelerator_reports.outcomes import Outcome, OutcomeSign, ReportKind, Stage, verdict
from accelerator_reports.report import Environment, Moment, Report, Trigger

VERDICT_WINDOW = 30
"""The maximum number of verdicts (good or bad) that are stored for a test. A report gives at most
one verdict. Only the latest are kept: about a month of nightly runs."""

VERDICT_PATTERN = re.compile("=?[+-]")
"""Matches one verdict in `StoredTestState.recent`: `+`, `-`, `=+` or `=-`."""

Basis = Literal["runs", "baselines"]
"""Whether a history contains runs, or baselines (results that a project expects)."""


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The facts about a report that a history stores: the report as a point in time.

    `id` is a digest of the report's accelerator, kind, trigger, start time, environment, planned
    numbers of tests, outcomes and stages. Reports that differ only in other facts, such as logs and
    metrics, have the same id.
    """

    id: str
    started: Moment
    kind: ReportKind
    trigger: Trigger
    environment: Environment = field(default_factory=Environment)
    origins: tuple[tuple[str, str], ...] = ()
    """The repositories and commits that the report was imported from, without duplicates."""


def basis_of(report: Report | HistoryPoint) -> Basis:
    """Return whether a report belongs to the history of runs or to that of baselines."""
    return "baselines" if report.kind == "baseline" else "runs"


def origins_of(report: Report) -> tuple[tuple[str, str], ...]:
    """Return the repositories and commits that a report was imported from, without duplicates."""
    return tuple(dict.fromkeys((origin.repository, origin.commit) for origin in report.origins))


# Created 100,000 times for a report; creating a frozen dataclass takes four times as long.
class StoredTestState(NamedTuple):
    """The state of one test: its last outcome, the reports in which it changed, its verdicts."""

    outcome: Outcome
    """The outcome in the last report that has the test."""
    stage: Stage | None
    """The last stage that the test reached in the last report that has it."""
    since: HistoryPoint
    """The last report in which the test was new, changed its outcome or stage, or was back after it
    was gone."""
    first_seen: HistoryPoint
    """The first report that has the test."""
    last_seen: HistoryPoint
    """The last report that has the test."""
    last_good: HistoryPoint | None
    """The last report in which the test passed."""
    first_bad: HistoryPoint | None
    """The first report since `last_good` in which the test failed, or None."""
    failure: Outcome | None
    """The outcome of the last failure since `last_good`; None if there is none."""
    failure_stage: Stage | None
    """The last stage that the test reached in the last failure since `last_good`."""
    gone: HistoryPoint | None
    """The first report after `last_seen` that should contain the test and does not, or None."""
    good: int
    """The number of reports in which the test passed."""
    bad: int
    """The number of reports in which the test failed."""
    silent: int
    """The number of reports in which the test neither passed nor failed, but was `skipped`, for
    example."""
    recent: str
    """The test's latest verdicts, up to `VERDICT_WINDOW`, oldest first.

    `+` means that the test passed, `-` that it failed. In `++=-`, the test failed last. `=` means
    that the verdict changed on the same tested code.
    """

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts in `recent`, oldest first: `++=-` gives `("+", "+", "=-")`."""
        return tuple(VERDICT_PATTERN.findall(self.recent))


@dataclass(frozen=True, slots=True)
class Group:
    """The tests of one suite that have the same settings, such as the parameter `mode`.

    `last` is the last report with tests of the group. `tests` maps the key of each test to its
    state. `test_keys.SETTINGS` names the parameters that are settings.
    """

    last: HistoryPoint
    tests: Mapping[str, StoredTestState]


@dataclass(frozen=True, slots=True)
class State:
    """The state of an accelerator's tests after all reports that were added to the history.

    `basis` says whether the reports are runs or baselines. `reports` maps the id of each report to
    the facts about it. `groups` maps the name of each group (see `Identity.group`) to its tests.
    """

    accelerator: str
    basis: Basis
    reports: Mapping[str, HistoryPoint] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)

    @property
    def last(self) -> dt.datetime | None:
        """The start time of the newest report; None if the state has no report."""
        return max((point.started for point in self.reports.values()), default=None)

    def tests(self) -> Iterator[tuple[str, StoredTestState]]:
        """Yield each test's key and state, sorted by key."""
        keys_and_states = (item for group in self.groups.values() for item in group.tests.items())
        yield from sorted(keys_and_states, key=lambda item: item[0])


def initial_test_state(outcome: Outcome, stage: Stage | None, at: HistoryPoint) -> StoredTestState:
    """Return the state of a test that the report `at` contains for the first time."""
    empty_state = StoredTestState(
        outcome, stage, at, at, at, None, None, None, None, None, good=0, bad=0, silent=0, recent=""
    )
    return updated_test_state(empty_state, outcome, stage, at)


def updated_test_state(
    before: StoredTestState, outcome: Outcome, stage: Stage | None, at: HistoryPoint
) -> StoredTestState:
    """Return the state of a test after `at`, one more report with the test."""
    new_verdict = verdict(outcome)
    is_unchanged = outcome == before.outcome and stage == before.stage and before.gone is None
    last_good, first_bad = before.last_good, before.first_bad
    failure, failure_stage = before.failure, before.failure_stage
    if new_verdict == "+":
        last_good, first_bad, failure, failure_stage = at, None, None, None
    elif new_verdict == "-":
        first_bad, failure, failure_stage = first_bad or at, outcome, stage
    return StoredTestState(
        outcome,
        stage,
        before.since if is_unchanged else at,
        before.first_seen,
        at,
        last_good,
        first_bad,
        failure,
        failure_stage,
        None,
        before.good + (new_verdict == "+"),
        before.bad + (new_verdict == "-"),
        before.silent + (not new_verdict),
        _updated_verdicts(before, new_verdict, at),
    )


def _updated_verdicts(before: StoredTestState, new_verdict: OutcomeSign, at: HistoryPoint) -> str:
    last = before.recent[-1:]
    if not new_verdict:
        return before.recent
    is_opposite = last and last != new_verdict and verdict(before.outcome)
    sign = (
        f"={new_verdict}" if is_opposite and _has_same_code(before.last_seen, at) else new_verdict
    )
    return "".join([*before.verdicts, sign][-VERDICT_WINDOW:])


def _has_same_code(point: HistoryPoint, other_point: HistoryPoint) -> bool:
    """Return whether two reports have the same environment and tested commit.

    False if they state no torch version.
    """
    return (
        point.environment.torch is not None
        and point.environment == other_point.environment
        and point.trigger.commit == other_point.trigger.commit
    )

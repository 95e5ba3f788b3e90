"""The history of an accelerator's test results: reports, states of tests, and changes between them.

These are the objects that pages get. `result_table` computes them from the archived results.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Annotated, Literal, NamedTuple, get_args

from accelerator_reports.files.fields import DESCRIBED, UNPUBLISHED
from accelerator_reports.files.problem import Problem
from accelerator_reports.outcomes import Outcome, ReportKind, Stage
from accelerator_reports.report import Environment, Report, Trigger
from accelerator_reports.test_ids import parse_key

ResultKind = Literal["runs", "baselines"]
"""Whether results come from runs, or are baselines: results that a project's CI expects."""

RESULT_KINDS: tuple[ResultKind, ...] = get_args(ResultKind)

ChangeKind = Literal[
    "new", "gone", "returned", "regressed", "fixed", "changed", "expectation changed"
]

MOST_RECENT = 30
"""The maximum number of results in `ResultState.signs`: about a month of nightly runs."""

_RESULT = re.compile("=?[+-]")


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The facts about a report that a history needs: the report as a point in time.

    `id` is a digest of the report's accelerator, kind, trigger, start time, environment, planned
    numbers of tests, outcomes and stages. Reports that differ only in other facts, such as logs and
    metrics, have the same id.
    """

    id: str
    started: dt.datetime
    kind: ReportKind
    trigger: Trigger
    environment: Environment = field(default_factory=Environment)
    origins: tuple[tuple[str, str], ...] = ()
    """The repositories and commits that the report was imported from, without duplicates."""


class ResultState(NamedTuple):
    """The state of one test after all reports of a history."""

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
    gone: HistoryPoint | None
    """The first report after `last_seen` that should contain the test and does not, or None."""
    signs: str
    """The test's latest good and bad results, up to `MOST_RECENT`, oldest first.

    `+` means that the test passed, `-` that it failed. In `++=-`, the test failed last. `=` means
    that the result is the opposite of the one before, on the same tested code. Other outcomes, such
    as `skipped`, are left out.
    """

    @property
    def recent(self) -> tuple[str, ...]:
        """The results in `signs`, oldest first: `++=-` gives `("+", "+", "=-")`."""
        return tuple(_RESULT.findall(self.signs))


@dataclass(frozen=True, slots=True)
class OutcomeChange:
    """The change of a test between a report and the last earlier report that has the test.

    The outcome or stage changed, or the test is new, gone, or back after it was gone.
    """

    __pydantic_config__ = DESCRIBED

    started: Annotated[dt.datetime, UNPUBLISHED]
    """The start time of the report."""
    report: str
    """The `id` of the report."""
    key: str
    """The test: suite, name and parameters."""
    kind: ChangeKind
    """The kind of change. In a baseline, a changed outcome is `expectation changed`."""
    outcome: Outcome | None = None
    """The outcome in the report; None if the test is gone."""
    stage: Stage | None = None
    """The last stage that the test reached in the report."""
    outcome_before: Outcome | None = None
    """The outcome in the earlier report; None if the test is new."""
    stage_before: Stage | None = None
    """The last stage that the test reached in the earlier report."""


class SuiteCount(NamedTuple):
    """How many tests of a suite passed in a report."""

    report: str
    """The `id` of the report."""
    suite: str
    passed: int
    """The number of tests that passed or, in a baseline, are expected to pass."""
    counted: int
    """The number of tests that passed or failed or, in a baseline, are expected to."""


@dataclass(frozen=True, slots=True)
class History:
    """The results of an accelerator's runs, or its baselines, over time.

    `reports` has each report by id, in order of time. `tests` has the state of each test by key,
    sorted. `changes` are sorted by time and report, and those of a report by key. `counts` has the
    suites of each report, sorted by the time of the report. `left_out` has the problems of results
    that cannot be read, and of reports that could not be added.
    """

    accelerator: str
    kind: ResultKind
    reports: Mapping[str, HistoryPoint] = field(default_factory=dict)
    tests: Mapping[str, ResultState] = field(default_factory=dict)
    changes: tuple[OutcomeChange, ...] = ()
    counts: tuple[SuiteCount, ...] = ()
    left_out: tuple[Problem, ...] = ()

    @property
    def last(self) -> dt.datetime | None:
        """The start time of the newest report; None without reports."""
        return max((point.started for point in self.reports.values()), default=None)

    @property
    def last_by_group(self) -> dict[str, HistoryPoint]:
        """The last report with tests of each group, by the group's name (see `Identity.group`)."""
        last: dict[str, HistoryPoint] = {}
        for key, state in self.tests.items():
            group = parse_key(key).group
            last[group] = max(
                last.get(group, state.last_seen), state.last_seen, key=lambda p: p.started
            )
        return dict(sorted(last.items()))


def result_kind(report: Report) -> ResultKind:
    """Return whether a report is a run or a baseline."""
    return "baselines" if report.kind == "baseline" else "runs"


@dataclass(frozen=True, slots=True)
class ReportChanges:
    """The changes of tests in one report, compared with earlier reports; `report` is its id.

    If no earlier report has a suite, the tests of this suite are not in `changes`. They are only
    counted: `first` maps each of these suites to its number of tests.
    """

    started: dt.datetime
    report: str
    first: Mapping[str, int]
    changes: tuple[OutcomeChange, ...]


def changes_by_report(changes: Iterable[OutcomeChange]) -> Iterator[ReportChanges]:
    """Yield the changes grouped by report, oldest report first."""
    seen: set[str] = set()
    ordered = sorted(changes, key=lambda change: (change.started, change.report))
    for (started, report_id), report_changes in groupby(
        ordered, key=lambda c: (c.started, c.report)
    ):
        first_counts: Counter[str] = Counter()
        other_changes: list[OutcomeChange] = []
        for change in report_changes:
            suite = parse_key(change.key).suite
            if suite in seen:
                other_changes.append(change)
            else:
                first_counts[suite] += 1
        seen.update(first_counts)
        yield ReportChanges(started, report_id, dict(first_counts), tuple(other_changes))

"""Groups the changes of test results over time by report, week and test, for pages.

The module also selects the changes that the page `results/changes/` lists.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.history import (
    RESULT_KINDS,
    ChangeKind,
    History,
    HistoryPoint,
    OutcomeChange,
    ResultKind,
    ResultState,
    changes_by_report,
    result_kind,
)
from accelerator_portal.results.result_table import history_with_reports
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.text_formats import prose_list
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.test_ids import Identity, identity_of, parse_key

MOST_REPORTS = 400
"""The maximum number of reports on the page of changes. The newest week is always listed."""

MOST_CHANGES_OF_A_REPORT = 20
"""The maximum number of listed changes of one report. With MOST_REPORTS reports, the page has
about 2.5 MB."""

_MOST_NAMED_SUITES = 3
"""The maximum number of suites that a summary names. If there are more, they are only counted."""


@dataclass(frozen=True, slots=True)
class ResultChange:
    """A change of a test's outcome in a report.

    It combines all settings of the test that changed in the same way: `count` is their number.
    `before` is None for a new test. `after` is None for a removed test.
    """

    suite: str
    name: str
    kind: ChangeKind
    before: Outcome | None
    after: Outcome | None
    settings: str
    """The settings in words: `inference: float16, bfloat16; training: float16`."""
    count: int


@dataclass(frozen=True, slots=True)
class ChangedReport:
    """The changes that one report brought: changed test results, and new suites with their tests.

    `point` has the facts about the report. `changes` has a change for each test whose result
    changed, regressions first.
    """

    accelerator: str
    kind: ResultKind
    point: HistoryPoint
    changes: tuple[ResultChange, ...]
    first: Mapping[str, int]
    """The number of tests in each suite that this report is the first to contain, by the suite's
    title."""

    @property
    def anchor(self) -> str:
        """The HTML id of the report on the page of changes: `changed-xpu-0123456789abcdef`."""
        return f"changed-{self.accelerator}-{self.point.id}"

    @property
    def summary(self) -> str:
        """The numbers of changes by kind: `9 fixed, 1 gone`. Each setting counts separately.

        If the report is the first to contain some suites, the text also names these: `first report
        of torchbench, 80 tests`.
        """
        count_by_kind: dict[ChangeKind, int] = {}
        for change in self.changes:
            count_by_kind[change.kind] = count_by_kind.get(change.kind, 0) + change.count
        change_texts = [
            f"{n:,} {_kind_words(kind, n)}" for kind, n in sorted(count_by_kind.items())
        ]
        return ", ".join([*change_texts, *self._first_reports()])

    def _first_reports(self) -> list[str]:
        if not self.first:
            return []
        tests = count(sum(self.first.values()), "test")
        if len(self.first) > _MOST_NAMED_SUITES:
            return [f"first report of {len(self.first)} suites, {tests}"]
        return [f"first report of {prose_list(list(self.first))}, {tests}"]


@dataclass(frozen=True, slots=True)
class PlatformDay:
    """The changes of a platform's reports on a day, in UTC."""

    day: dt.date
    accelerator: str
    reports: tuple[ChangedReport, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of changes on this day, by which readers filter, such as `regressed`.

        `first` stands for the first report of a suite.
        """
        firsts = ("first" for report in self.reports if report.first)
        kinds = (change.kind for report in self.reports for change in report.changes)
        return tuple(dict.fromkeys((*firsts, *kinds)))


@dataclass(frozen=True, slots=True)
class Week:
    """The reports with changes in a week, newest first; `start` is the Monday, in UTC."""

    start: dt.date
    reports: tuple[ChangedReport, ...]

    @property
    def id(self) -> str:
        """The ISO 8601 year and week: `2026-W47`."""
        return week_of(self.start)

    @property
    def days(self) -> tuple[PlatformDay, ...]:
        """The reports grouped by day and platform, newest day first."""
        reports_by_day: dict[tuple[dt.date, str], list[ChangedReport]] = {}
        for report in self.reports:
            day = report.point.started.astimezone(dt.timezone.utc).date()
            reports_by_day.setdefault((day, report.accelerator), []).append(report)
        return tuple(PlatformDay(*key, tuple(reports)) for key, reports in reports_by_day.items())


def week_of(day: dt.date) -> str:
    """Return the ISO 8601 year and week of a day: `2026-W47`."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


@dataclass(frozen=True)
class TestHistories:
    """The histories of all platforms' runs and baselines."""

    __test__ = False

    histories: tuple[History, ...]
    catalog: Catalog

    def of(self, accelerator: str, kind: ResultKind) -> History:
        """Return the history of an accelerator's runs or baselines.

        The history is empty if the accelerator has no runs or baselines.
        """
        return self._history_by_key.get((accelerator, kind), History(accelerator, kind))

    def state_of(self, report: Report, test: TestEntry) -> ResultState | None:
        """Return the newest known state of a test on the accelerator of `report`.

        If `report` is a baseline, the state is from the history of baselines, otherwise from the
        history of runs. `report` need not be the newest report of this history. None if the history
        does not have the test.
        """
        history = self.of(report.accelerator, result_kind(report))
        return history.tests.get(identity_of(test).key)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of histories that cannot be read, and of reports that cannot be added."""
        return tuple(problem for history in self.histories for problem in history.left_out)

    @cached_property
    def reports(self) -> tuple[ChangedReport, ...]:
        """The changes of each report, newest first, without reports that changed nothing."""
        order = {history.accelerator: n for n, history in enumerate(self.histories)}
        all_episodes = (
            report
            for history in self.histories
            for report in _changed_reports(self.catalog, history)
        )
        return tuple(
            sorted(
                all_episodes,
                key=lambda e: (-e.point.started.timestamp(), order[e.accelerator], e.kind),
            )
        )

    @cached_property
    def weeks(self) -> tuple[Week, ...]:
        """The reports with changes, grouped by week, newest week first."""
        return tuple(
            Week(monday, tuple(reports))
            for monday, reports in groupby(self.reports, key=lambda e: _monday(e.point))
        )

    @cached_property
    def changes_by_test(self) -> Mapping[tuple[str, str], list[tuple[ChangedReport, ResultChange]]]:
        """The changes of each test with their reports, newest first, by suite and test name."""
        changes: dict[tuple[str, str], list[tuple[ChangedReport, ResultChange]]] = {}
        for report in self.reports:
            for change in report.changes:
                changes.setdefault((change.suite, change.name), []).append((report, change))
        return changes

    @cached_property
    def _history_by_key(self) -> dict[tuple[str, ResultKind], History]:
        return {(history.accelerator, history.kind): history for history in self.histories}


def read_histories(catalog: Catalog, root: Path, results: ResultsView) -> TestHistories:
    """Return the histories archived in `data/history/`, extended by newer reports in `results`.

    An archived history that is damaged is left out: only its problems are returned. `root` is the
    folder of the repository.
    """
    histories = (
        history_with_reports(root, platform.id, kind, results.of(platform.id))
        for platform in catalog.platforms
        for kind in RESULT_KINDS
    )
    return TestHistories(tuple(h for h in histories if h.reports or h.left_out), catalog)


def _kind_words(kind: ChangeKind, number: int) -> str:
    return "expectations changed" if kind == "expectation changed" and number > 1 else kind


def _monday(point: HistoryPoint) -> dt.date:
    day = point.started.astimezone(dt.timezone.utc).date()
    return day - dt.timedelta(days=day.weekday())


def _changed_reports(catalog: Catalog, history: History) -> Iterator[ChangedReport]:
    for report_changes in changes_by_report(history.changes):
        changes = sorted(
            _result_changes(report_changes.changes), key=lambda s: s.kind != "regressed"
        )
        point = history.reports[report_changes.report]
        first_counts = {
            catalog.suite_title(suite): number for suite, number in report_changes.first.items()
        }
        yield ChangedReport(history.accelerator, history.kind, point, tuple(changes), first_counts)


def _result_changes(changes: Iterable[OutcomeChange]) -> Iterator[ResultChange]:
    tests_by_change: dict[
        tuple[str, str, ChangeKind, Outcome | None, Outcome | None], list[Identity]
    ] = {}
    for change in changes:
        test = parse_key(change.key)
        change_key = (test.suite, test.name, change.kind, change.outcome_before, change.outcome)
        tests_by_change.setdefault(change_key, []).append(test)
    for (suite, name, kind, before, after), tests in tests_by_change.items():
        yield ResultChange(suite, name, kind, before, after, _settings_words(tests), len(tests))


def _settings_words(tests: Iterable[Identity]) -> str:
    """Return settings of a test in words: `inference: float16, bfloat16; training: float16`.

    `tests` has the test's identity for each of these settings. If all settings have the same
    compiler, the compiler is omitted. The text is empty if there are no settings.
    """
    parameters_of_tests = [dict(test.parameters) for test in tests]
    has_one_compiler = len({parameters.get("compiler") for parameters in parameters_of_tests}) == 1
    settings_by_mode: dict[str, list[str]] = {}
    for parameters in parameters_of_tests:
        if has_one_compiler:
            parameters.pop("compiler", None)
        mode = parameters.pop("mode", "")
        settings_by_mode.setdefault(mode, []).append(" ".join(parameters.values()))
    words = []
    for mode, settings in settings_by_mode.items():
        settings_text = ", ".join(filter(None, settings))
        words.append(": ".join(filter(None, (mode, settings_text))))
    return "; ".join(filter(None, words))


def listed_weeks(weeks: Sequence[Week]) -> Sequence[Week]:
    """Return the weeks that the page of changes lists, newest first.

    `weeks` are all weeks, newest first. The newest week is always listed. Older weeks are listed as
    long as all listed weeks together have at most MOST_REPORTS reports.
    """
    reports_so_far = accumulate(len(week.reports) for week in weeks)
    return weeks[: max(1, sum(number <= MOST_REPORTS for number in reports_so_far))]


def listed_anchors(weeks: Sequence[Week]) -> frozenset[str]:
    """Return the HTML ids of the reports that the page of changes lists.

    `weeks` are all weeks, newest first. An id is, for example, `changed-xpu-0123456789abcdef`.
    """
    return frozenset(e.anchor for week in listed_weeks(weeks) for e in week.reports)

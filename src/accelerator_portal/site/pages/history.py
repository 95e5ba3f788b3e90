"""Builds the pages and data files about test results over time: changes and histories."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.history import (
    History,
    HistoryPoint,
    OutcomeChange,
    ResultKind,
    changes_by_report,
)
from accelerator_portal.results.result_matrices import Tally, tallies
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.history_view import (
    MOST_CHANGES_OF_A_REPORT,
    TestHistories,
    listed_weeks,
    week_of,
)
from accelerator_portal.site.results.results_view import RESULTS_PAGES, ResultsView
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file, shards
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import Outcome, Stage
from accelerator_reports.test_ids import SETTINGS


class SuiteNumbers(StrictModel):
    """How many tests of a suite passed in a report."""

    passed: int
    """The number of tests that passed or, in a baseline, are expected to pass."""
    counted: int
    """The number of tests that passed or failed or, in a baseline, are expected to."""


class PointData(StrictModel):
    """A report of a history."""

    id: str
    """A digest of the report's outcomes and environment; not its id in the index of reports."""
    started: dt.datetime
    """The start time. For a baseline, the time from which it applies."""
    origins: tuple[tuple[str, str], ...]
    """Repositories and commits from which the report was imported."""
    first_seen: int | None = None
    """The number of tests in suites that the report is the first to contain. These tests aren't
    listed as changes. Absent if there are none."""
    torch: str | None = None
    """The version of torch."""
    suites: dict[str, SuiteNumbers]
    """The numbers of tests by suite, with those that didn't change."""


class HistoryData(StrictModel):
    """The results of an accelerator over time."""

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the history consists of runs or of baselines."""
    reports: tuple[PointData, ...]
    """The reports, by time."""
    changes: tuple[OutcomeChange, ...]
    """The changes of tests, in the order of the reports that show them."""
    tallies: dict[str, tuple[Tally, ...]]
    """The counts of outcomes by suite, after each report that changed them."""


class HistoryIndex(StrictModel):
    """The addresses of all histories. A history is the runs or the baselines of an accelerator."""

    histories: dict[str, str]
    """Address of each history relative to the index, by name such as `xpu-baselines`."""
    tests: dict[str, str]
    """Address of each history's index of tests, relative to this file, by name of the history."""


class ReportMoment(StrictModel):
    """A report of a history, with the fields that a test's chart needs."""

    id: str
    """A digest of the report's outcomes and environment; not its id in the index of reports."""
    started: dt.datetime
    """The start time. For a baseline, the time from which it applies."""
    torch: str | None = None
    """The version of torch."""
    repository: str | None = None
    """The repository that was tested."""
    commit: str | None = None
    """The commit that was tested."""


CourseStep: TypeAlias = tuple[int, Outcome | None, Stage | None]
"""The position of a report in the history's list of reports, and a test's outcome and stage from
this report on. The outcome is None if the test was removed."""

TestCourses: TypeAlias = Mapping[str, tuple[CourseStep, ...]]
"""The outcomes of a test over time, by settings as in its key: `dtype=float32&mode=training`."""


class HistoryShard(StrictModel):
    """The results of some tests over time: one of the files that an index of tests lists."""

    tests: Mapping[str, TestCourses]
    """The changes of each test's outcome, by test (`suite/name`), then by settings
    (`dtype=float32&mode=training`). A change is a list: the report's index in `reports` of the
    index of tests, the outcome from this report on (null if the test was removed), the stage."""


class TestHistoryIndex(StrictModel):
    """The index of an accelerator's test histories: the reports, and which file has which tests."""

    __test__ = False

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the history consists of runs or of baselines."""
    reports: tuple[ReportMoment, ...]
    """The reports, by time. Changes in the files refer to a report by its index, from 0."""
    last: dict[str, int]
    """The index in `reports` of the last report with each group of tests, by group. A group is a
    suite with the settings of a run, written like a test's key: `torchbench?dtype=float32`."""
    tests: int
    """The number of tests, without counting settings."""
    files: tuple[tuple[str, str], ...]
    """The first test in each file, and the address of the file, sorted by test."""


TEST_HISTORIES = "test-histories"
"""The folder below `/api/v1/` with the files of test histories."""

# Reports with more changes, and further weeks, are collapsed at first.
MOST_SHOWN = 5
MOST_WEEKS = 3


SCHEMAS = {
    "history": HistoryData,
    "histories": HistoryIndex,
    "test-histories": TestHistoryIndex,
    "test-history": HistoryShard,
}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of changes, and the page that shows the history of any test."""
    catalog, test_histories = site.catalog, site.histories
    changes = {
        "test_histories": test_histories,
        "this_week": week_of(site.data_time.date()),
        "platforms": {
            e.accelerator: catalog.by_id[e.accelerator].accelerator.name
            for e in test_histories.reports
        },
        "changes": _kinds_of_changes(test_histories),
        "without_run": _platforms_without_run(catalog, site.results),
        "listed": listed_weeks(test_histories.weeks),
        "most_changes": MOST_CHANGES_OF_A_REPORT,
        "shown": MOST_SHOWN,
        "open_weeks": MOST_WEEKS,
        "address_of": site.results.address_of,
    }
    yield Page(f"{RESULTS_PAGES}/changes.md", changes)
    choices = {
        "choices": [_history_choice(catalog, h) for h in test_histories.histories if h.reports],
        "settings": sorted(SETTINGS),
        "problems": test_histories.problems,
    }
    yield Page(f"{RESULTS_PAGES}/test-history.md", choices)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON files of all histories, and those that the page of test histories loads."""
    histories = site.histories.histories
    names = [history_name(h) for h in histories]
    index = HistoryIndex(
        histories={n: f"{n}.json" for n in names},
        tests={n: f"../{TEST_HISTORIES}/{n}/index.json" for n in names},
    )
    yield data_file("history/index.json", index)
    for name, history in zip(names, histories, strict=True):
        yield data_file(f"history/{name}.json", _history_data(history))
        yield from history_shards(history)


def _platforms_without_run(
    catalog: Catalog, results: ResultsView
) -> dict[Platform, tuple[StoredReport, ...]]:
    """Return the platforms without a run, each with its baselines."""
    reports_by_platform = {
        platform: tuple(results.of(platform.id)) for platform in catalog.platforms
    }
    return {
        platform: reports
        for platform, reports in reports_by_platform.items()
        if all(stored.report.kind == "baseline" for stored in reports)
    }


def _kinds_of_changes(test_histories: TestHistories) -> dict[str, str]:
    """Return the kinds of changes by which readers can filter, each with its label.

    The kind `first` stands for the first report of a suite.
    """
    kinds = {change.kind for report in test_histories.reports for change in report.changes}
    return {"first": "first report of a suite", **{kind: kind for kind in sorted(kinds)}}


def _history_data(history: History) -> HistoryData:
    all_changes = list(changes_by_report(history.changes))
    first_seen = {
        report_changes.report: sum(report_changes.first.values()) or None
        for report_changes in all_changes
    }
    counts = grouped((count.report, count) for count in history.counts)
    return HistoryData.from_objects(
        history,
        basis=history.kind,
        reports=tuple(
            PointData.from_objects(
                point,
                first_seen=first_seen.get(point.id),
                torch=point.environment.torch,
                suites={c.suite: SuiteNumbers.from_objects(c) for c in counts.get(point.id, ())},
            )
            for point in history.reports.values()
        ),
        changes=tuple(
            change for report_changes in all_changes for change in report_changes.changes
        ),
        tallies=tallies(history.changes),
    )


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    """A history that readers can select on the page of test histories.

    `name` is, for example, `xpu-baselines`, and `words` is the label. `reports` and `tests` are the
    numbers of reports and tests. A test counts once for each of its settings. `first` and `last`
    are the days of the oldest and the newest report.
    """

    name: str
    accelerator: str
    words: str
    reports: int
    first: dt.date
    last: dt.date
    tests: int


def _history_choice(catalog: Catalog, history: History) -> HistoryChoice:
    points = list(history.reports.values())
    name = catalog.by_id[history.accelerator].accelerator.name
    return HistoryChoice(
        history_name(history),
        history.accelerator,
        f"{name}: baseline" if history.kind == "baselines" else name,
        len(points),
        points[0].started.date(),
        points[-1].started.date(),
        len(history.tests),
    )


def history_name(history: History) -> str:
    """Return the name of a platform's history of runs or baselines, such as `xpu-baselines`."""
    return f"{history.accelerator}-{history.kind}"


def history_shards(history: History) -> Iterator[SiteFile]:
    """Yield the JSON files with the tests of a history, then the index of these files.

    Each file has a range of the tests. When a reader selects a test, the browser loads only the
    file with this test. The files of unchanged tests stay the same.
    """
    folder = f"{TEST_HISTORIES}/{history_name(history)}"
    report_indexes = {report: number for number, report in enumerate(history.reports)}
    tests = courses_by_test(history.changes, report_indexes)
    files: list[tuple[str, str]] = []
    for name, shard in shards(tests, map(_approximate_size, tests, tests.values())):
        files.append((next(iter(shard)), name))
        yield data_file(f"{folder}/{name}", HistoryShard(tests=shard))
    index = TestHistoryIndex.from_objects(
        history,
        basis=history.kind,
        reports=tuple(map(_report_moment, history.reports.values())),
        last={name: report_indexes[point.id] for name, point in history.last_by_group.items()},
        tests=len(tests),
        files=tuple(files),
    )
    yield data_file(f"{folder}/index.json", index)


def courses_by_test(
    changes: Iterable[OutcomeChange], numbers: Mapping[str, int]
) -> dict[str, TestCourses]:
    """Return each test's outcomes over time, by test (`suite/name`) and then by settings.

    Settings are the parameters in a test's key: `dtype=float32&mode=training`. Tests and settings
    are sorted. `numbers` has the position of each report in the history's list of reports, by
    report id.
    """
    courses: dict[str, dict[str, list[CourseStep]]] = {}
    for change in changes:
        test, _, settings = change.key.partition("?")
        step = (numbers[change.report], change.outcome, change.stage)
        courses.setdefault(test, {}).setdefault(settings, []).append(step)
    report_number = itemgetter(0)
    return {
        test: {
            name: tuple(sorted(steps, key=report_number))
            for name, steps in sorted(settings.items())
        }
        for test, settings in sorted(courses.items())
    }


def _report_moment(point: HistoryPoint) -> ReportMoment:
    return ReportMoment.from_objects(point, point.trigger, torch=point.environment.torch)


def _approximate_size(test: str, settings: TestCourses) -> int:
    """Return the approximate size of a test's history in bytes, the same in every build."""
    punctuation = 8
    return len(test) + sum(
        len(name) + punctuation + sum(len(str(step)) for step in steps)
        for name, steps in settings.items()
    )

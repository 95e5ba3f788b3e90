"""Builds the pages and JSON files of test results: overview, suites, single tests and reports."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.own_suite import suite_folder, suite_owner
from accelerator_portal.reports.missing_operators import missing_operators, waiting_tests_text
from accelerator_portal.reports.outcomes import GOOD, OUTCOMES
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.reports.stored_reports import StoredReport
from accelerator_portal.results.evidence_level import as_of
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.results.dashboard_grid import dashboard_grid, grid_tabs
from accelerator_portal.site.results.history_view import TestHistories, listed_changes
from accelerator_portal.site.results.json_shards import shards
from accelerator_portal.site.results.matrix_pages import matrix_files, matrix_pages
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES, initial
from accelerator_portal.site.results.results_shapes import (
    EvidenceLink,
    ReportEntry,
    ReportOfTests,
    ReportRow,
    ReportRowsIndex,
    ReportRowsShard,
    ResultsIndex,
    TestData,
    TestResult,
    TestShard,
    TestsIndex,
)
from accelerator_portal.site.results.results_view import (
    KIND_DESCRIPTIONS,
    ResultsView,
    environment_rows,
)
from accelerator_portal.site.results.speeds import speed_runs, speed_table
from accelerator_portal.site.results.suite_tests import (
    MOST_NAMES,
    ReportedTest,
    TestView,
    failing_count,
    large_suites,
    reported_tests,
    static_tests,
    tests_of_suite,
)
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.translated_pages import render_page

MOST_LISTED = 200
"""The maximum number of tests on a report's page that did not pass; the data file has all tests."""

MOST_CHANGES = 5
"""The maximum number of changes of a test on its page; the page of its history has all changes."""

REPORT_ROWS = "report-rows"
"""The folder below `/api/v1/` with the files of large reports' test results."""

SUITE_TESTS = "suite-tests"
"""The folder below `/api/v1/` with the files of large suites' tests."""


def results_index(catalog: Catalog, results: ResultsView, templates: Templates) -> SiteFile:
    """Return the overview page: the newest results, the suites and the reports."""
    data_time = as_of(catalog, [stored.report for stored in results.reports])
    newest_evidence = {p.id: results.newest(p.id) for p in catalog.platforms}
    grid = dashboard_grid(catalog, newest_evidence, results.own, data_time)
    context = {
        "titles": _suite_titles(catalog, results),
        "tabs": grid_tabs(grid),
        "platforms": _grid_rows(catalog, newest_evidence, data_time),
        "untested": [p for p in catalog.platforms if not any(grid.rows[p.id])],
        "at": data_time,
        "results": results,
    }
    return render_page(templates, f"{RESULTS_PAGES}/index.md", context)


def _suite_titles(catalog: Catalog, results: ResultsView) -> dict[str, str]:
    """Return the titles of the suites that have results, by suite id."""
    return {suite: catalog.suite_title(suite) for suite in results.by_suite}


def results_pages(
    catalog: Catalog, results: ResultsView, histories: TestHistories, templates: Templates
) -> Iterator[SiteFile]:
    """Yield the pages of all suites, tests and reports.

    Data files are also yielded for large suites and reports.
    """
    runs = {run.id: run for run in speed_runs(catalog, results.reports)}
    shared_variables = {
        "kinds": KIND_DESCRIPTIONS,
        "results": results,
        "large_suites": large_suites(results.reports),
        "linked": listed_changes(histories.weeks).anchors,
    }
    titles = _suite_titles(catalog, results)
    platform_names = {p.id: p.accelerator.name for p in catalog.platforms}
    for suite in titles:
        description = catalog.suite(suite)
        context = {
            "id": suite,
            "suite": description,
            "title": titles[suite],
            "owner": catalog.by_id.get(suite_owner(suite) or ""),
            "source": _suite_source(catalog, results, suite),
            "speeds": speed_table([run for run in runs.values() if suite in run.suites]),
            **shared_variables,
        }
        linked_titles = {
            s: title for s, title in titles.items() if s == suite or s not in results.own
        }
        views = results.by_suite[suite]
        yield from matrix_pages(views, platform_names, linked_titles, templates, context)
        yield from suite_tests_pages(catalog, results, histories, templates, context)
    for stored in results.reports:
        context = shared_variables | {"speeds": runs.get(stored.id)}
        yield from _report_files(catalog, results, stored, templates, context)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the results grid: a platform, and the age of its newest run.

    `age_days` is None if no run has a date.
    """

    platform: Platform
    age_days: int | None


def _grid_rows(
    catalog: Catalog,
    newest_evidence: Mapping[str, tuple[SuiteEvidence, ...]],
    data_time: dt.datetime,
) -> list[GridRow]:
    """Return a row of the results grid for each platform.

    Platforms with runs come first, then those with only baselines or no results. In each of the two
    groups, the platforms with most suites come first. Ages are counted to `data_time`.
    """

    def row_order(platform: Platform) -> tuple[bool, int]:
        evidence = newest_evidence[platform.id]
        return not any(suite_evidence.is_run for suite_evidence in evidence), -len(evidence)

    def row(platform: Platform) -> GridRow:
        ages = (
            suite_evidence.age_days(data_time)
            for suite_evidence in newest_evidence[platform.id]
            if suite_evidence.is_run
        )
        return GridRow(platform, min((age for age in ages if age is not None), default=None))

    return [row(platform) for platform in sorted(catalog.platforms, key=row_order)]


def _report_files(
    catalog: Catalog,
    results: ResultsView,
    stored: StoredReport,
    templates: Templates,
    context: Mapping[str, Any],
) -> Iterator[SiteFile]:
    """Yield the page of a report and, if the report is large, data files with its test results.

    `context` has the template variables that all reports share, and the report's `speeds`.
    """
    path = f"{RESULTS_PAGES}/runs/{stored.id}.md"
    tests = list(reported_tests(stored))
    other_tests = _most_severe_first([r for r in tests if r.test.outcome not in GOOD])
    is_large = _is_large(stored)
    yield templates.page(
        path,
        edit=stored.path,
        template="results/run.md.j2",
        stored=stored,
        name=catalog.by_id[stored.report.accelerator].accelerator.name,
        environment=environment_rows(stored.report.environment),
        counts=results.suite_counts(stored.id),
        others=other_tests[:MOST_LISTED],
        more=max(0, len(other_tests) - MOST_LISTED),
        files=f"{API}/{REPORT_ROWS}/{stored.id}/" if is_large else None,
        tested=Counter(r.test.outcome for r in tests),
        waiting=[waiting_tests_text(m) for m in missing_operators(stored.report.tests)],
        **context,
    )
    if is_large:
        yield from report_row_files(stored.id, tests)


def _most_severe_first(tests: list[ReportedTest]) -> list[ReportedTest]:
    """Return the tests with the most severe outcomes first, if there are more than MOST_LISTED.

    If there are at most MOST_LISTED tests, they stay in the given order.
    """
    if len(tests) <= MOST_LISTED:
        return tests
    return sorted(tests, key=lambda result: OUTCOMES[result.test.outcome].page_rank)


def _is_large(stored: StoredReport) -> bool:
    return len(stored.report.tests) > MOST_LISTED


def _suite_source(catalog: Catalog, results: ResultsView, suite: str) -> str:
    """Return the path of the file that describes a suite, relative to the repository.

    If there is no such file, the path of a report with the suite is returned.
    """
    if suite in catalog.suites:
        return f"data/suites/{suite}.yaml"
    if suite in catalog.own_suites:
        return catalog.by_id[suite_owner(suite) or ""].path("accelerator.yaml")
    suite_reports = (
        s for s in results.reports if any(test.suite == suite for test in s.report.tests)
    )
    return next(suite_reports).path


def results_files(results: ResultsView) -> Iterator[SiteFile]:
    """Yield the JSON files of the reports, their index, and each suite's matrices (with CSV)."""
    entries = tuple(
        ReportEntry.from_objects(
            stored.report,
            id=stored.id,
            report=f"../reports/{stored.id}.json",
            rows=f"../{REPORT_ROWS}/{stored.id}/index.json" if _is_large(stored) else None,
            missing_operators={
                missing.operator: missing.tests
                for missing in missing_operators(stored.report.tests)
            },
            counts={s: dict(c) for (name, s), c in results.counts.items() if name == stored.id},
        )
        for stored in results.reports
    )
    large = sorted(large_suites(results.reports))
    index = ResultsIndex(
        reports=entries,
        suites={suite: f"{suite_folder(suite)}.json" for suite in results.by_suite},
        tests={suite: f"../{SUITE_TESTS}/{suite_folder(suite)}/index.json" for suite in large},
    )
    yield data_file("results/index.json", index)
    for stored in results.reports:
        yield SiteFile(f"{API}/reports/{stored.id}.json", report_text(stored.report))
    for suite, views in results.by_suite.items():
        yield from matrix_files(suite, views)


def report_row_files(report: str, tests: Iterable[ReportedTest]) -> Iterator[SiteFile]:
    """Yield the JSON files with a report's test results (rows), then the index of these files.

    `report` is the report's id. Rows are sorted by severity, suite, name and settings. The index
    states the number of rows of each outcome and suite, in the order of the rows. With it, a
    browser loads only the files that contain, for example, the failures of a suite.
    """
    results_by_key = {  # the number distinguishes results that are otherwise equal
        (OUTCOMES[r.test.outcome].page_rank, r.test.suite, r.test.name, r.settings, number): r
        for number, r in enumerate(tests)
    }
    rows = {
        "/".join(map(str, key)): _report_row(result)
        for key, result in sorted(results_by_key.items())
    }
    folder = f"{REPORT_ROWS}/{report}"
    files: list[tuple[str, int]] = []
    for name, shard in shards(rows, map(_approximate_size, rows.values())):
        files.append((name, len(shard)))
        yield data_file(f"{folder}/{name}", ReportRowsShard(rows=tuple(shard.values())))
    rows_by_outcome = groupby(rows.values(), key=lambda row: (row.outcome, row.suite))
    index = ReportRowsIndex(
        report=report,
        ranges=tuple(
            (outcome, suite, sum(1 for _ in outcome_rows))
            for (outcome, suite), outcome_rows in rows_by_outcome
        ),
        files=tuple(files),
    )
    yield data_file(f"{folder}/index.json", index)


def _report_row(result: ReportedTest) -> ReportRow:
    test = result.test
    return ReportRow.from_objects(
        test,
        settings=result.settings or None,
        known_issue=test.known_issue.url if test.known_issue else None,
    )


def _approximate_size(row: ReportRow) -> int:
    """Return the approximate size of a row in bytes. It is the same in each build of the site."""
    key_bytes = 60
    texts = (row.suite, row.name, row.outcome, row.settings, row.reason, row.raw_status)
    return key_bytes + sum(len(text) for text in texts if text)


@dataclass(frozen=True, slots=True)
class LetterTests:
    """The tests of a suite with the same initial.

    `total` is the number of these tests, `failing` is the number of those that fail in a report,
    and `shown` are the tests on the static page.
    """

    total: int
    failing: int
    shown: list[TestView]

    @property
    def more(self) -> int:
        """The number of tests that the browser loads on demand: they are not on the static page."""
        return self.total - len(self.shown)


def suite_tests_pages(
    catalog: Catalog,
    results: ResultsView,
    histories: TestHistories,
    templates: Templates,
    context: Mapping[str, Any],
) -> Iterator[SiteFile]:
    """Yield the pages of a suite's tests, and data files with the tests if the suite is large.

    `context` has the template variables of the suite, such as its `id`.
    """
    suite: str = context["id"]
    tests = tests_of_suite(catalog, results, histories, suite)
    letters = _letter_tests(tests)
    is_large = suite in context["large_suites"]
    for letter in ("", *letters):
        path = f"{RESULTS_PAGES}/{suite_folder(suite)}/tests/{letter or 'index'}.md"
        yield templates.page(
            path,
            edit=context["source"],
            template="results/tests.md.j2" if letter else "results/tests-index.md.j2",
            letters=letters,
            letter=letter,
            total=len(tests),
            files=f"api/v1/{SUITE_TESTS}/{suite_folder(suite)}/" if is_large else None,
            names_fit=len(tests) <= MOST_NAMES,
            most_changes=MOST_CHANGES,
            **context,
        )
    if is_large:
        yield from suite_test_files(catalog, results, suite, tests)


def _letter_tests(tests: list[TestView]) -> dict[str, LetterTests]:
    tests_by_letter: dict[str, list[TestView]] = {}
    for test in tests:
        tests_by_letter.setdefault(initial(test.name), []).append(test)
    return {
        letter: LetterTests(
            len(letter_tests), failing_count(letter_tests), static_tests(letter_tests)
        )
        for letter, letter_tests in tests_by_letter.items()
    }


def suite_test_files(
    catalog: Catalog, results: ResultsView, suite: str, tests: Iterable[TestView]
) -> Iterator[SiteFile]:
    """Yield the JSON files with a suite's tests and their results, then the index of the files.

    Tests are sorted by their id on the page, by which a browser finds the file for a link.
    """
    folder = f"{SUITE_TESTS}/{suite_folder(suite)}"
    data = {test.anchor: _test_data(test) for test in sorted(tests, key=lambda test: test.anchor)}
    sizes = (len(test.model_dump_json(exclude_none=True)) for test in data.values())
    files: list[tuple[str, str]] = []
    for name, shard in shards(data, sizes):
        files.append((next(iter(shard)), name))
        yield data_file(f"{folder}/{name}", TestShard(tests=shard))
    report_ids = {result.report for test in data.values() for result in test.results}
    index = TestsIndex(
        suite=suite,
        tests=len(data),
        reports={
            report_id: _report_of_tests(catalog, results, report_id)
            for report_id in sorted(report_ids)
        },
        files=tuple(files),
    )
    yield data_file(f"{folder}/index.json", index)


def _report_of_tests(catalog: Catalog, results: ResultsView, report_id: str) -> ReportOfTests:
    report = results.by_id[report_id].report
    return ReportOfTests.from_objects(
        report, name=catalog.by_id[report.accelerator].accelerator.name
    )


def _test_data(test: TestView) -> TestData:
    return TestData(name=test.name, results=tuple(map(_test_result, test.results)))


def _test_result(result: ReportedTest) -> TestResult:
    test = result.test
    raw = (test.raw_status, *result.metrics)
    return TestResult.from_objects(
        result,
        test,
        id=result.anchor,
        settings=result.settings or None,
        notes=result.notes or None,
        runs=result.strip.words if result.strip else None,
        reported_as=", ".join(filter(None, raw)) or None,
        environment=result.environment or None,
        known_issue=test.known_issue.url if test.known_issue else None,
        evidence=tuple(EvidenceLink.from_objects(e) for e in test.evidence) or None,
    )

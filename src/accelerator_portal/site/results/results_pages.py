"""Builds the pages and JSON files of test results: overview, suites and single tests."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.evidence_level import as_of
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.results.dashboard_grid import dashboard_grid, grid_tabs
from accelerator_portal.site.results.history_view import TestHistories, listed_anchors
from accelerator_portal.site.results.json_shards import shards
from accelerator_portal.site.results.matrix_pages import matrix_files, matrix_pages
from accelerator_portal.site.results.report_pages import (
    REPORT_ROWS,
    is_large_report,
    report_files,
)
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES, initial
from accelerator_portal.site.results.results_shapes import (
    EvidenceLink,
    ReportEntry,
    ReportOfTests,
    ResultsIndex,
    TestData,
    TestResult,
    TestShard,
    TestsIndex,
)
from accelerator_portal.site.results.results_view import (
    KIND_DESCRIPTIONS,
    ResultsView,
)
from accelerator_portal.site.results.speeds import speed_runs, speed_table
from accelerator_portal.site.results.suite_tests import (
    MOST_NAMES,
    ReportedTest,
    TestView,
    failing_count,
    large_suites,
    static_tests,
    tests_of_suite,
)
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.translated_pages import render_pages
from accelerator_reports.missing_operators import missing_operators
from accelerator_reports.report_file import report_text
from accelerator_reports.suite_names import suite_folder, suite_owner

MOST_CHANGES = 5
"""The maximum number of changes of a test on its page; the page of its history has all changes."""

SUITE_TESTS = "suite-tests"
"""The folder below `/api/v1/` with the files of large suites' tests."""


def results_index(
    catalog: Catalog, results: ResultsView, all_templates: Iterable[Templates]
) -> Iterator[SiteFile]:
    """Yield the overview page in each language: the newest results, the suites and the reports."""
    data_time = as_of(catalog, [stored.report for stored in results.reports])
    newest_evidence = {p.id: results.newest(p.id) for p in catalog.platforms}
    grid = dashboard_grid(catalog, newest_evidence, results.own)
    context = {
        "titles": _suite_titles(catalog, results),
        "tabs": grid_tabs(grid),
        "platforms": _grid_rows(catalog, newest_evidence),
        "untested": [p for p in catalog.platforms if not any(grid.rows[p.id])],
        "at": data_time,
        "results": results,
    }
    yield from render_pages(all_templates, f"{RESULTS_PAGES}/index.md", context)


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
        "linked": listed_anchors(histories.weeks),
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
        matrices = results.by_suite[suite]
        yield from matrix_pages(matrices, platform_names, linked_titles, templates, context)
        yield from suite_tests_pages(catalog, results, histories, templates, context)
    for stored in results.reports:
        context = shared_variables | {"speeds": runs.get(stored.id)}
        yield from report_files(catalog, results, stored, templates, context)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the results grid: a platform, and the day of its newest run.

    `day` is None if no run has a date.
    """

    platform: Platform
    day: dt.date | None


def _grid_rows(
    catalog: Catalog,
    newest_evidence: Mapping[str, tuple[SuiteEvidence, ...]],
) -> list[GridRow]:
    """Return a row of the results grid for each platform.

    Platforms with runs come before platforms without runs. Among the platforms with runs, and among
    those without, platforms with more suites come first.
    """

    def row_order(platform: Platform) -> tuple[bool, int]:
        evidence = newest_evidence[platform.id]
        return not any(suite_evidence.is_run for suite_evidence in evidence), -len(evidence)

    def row(platform: Platform) -> GridRow:
        days = (e.day for e in newest_evidence[platform.id] if e.is_run and e.day)
        return GridRow(platform, max(days, default=None))

    return [row(platform) for platform in sorted(catalog.platforms, key=row_order)]


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
    """Yield the index of results, a JSON file for each report, and the files of each suite.

    The files of a suite are its matrices as JSON and CSV.
    """
    entries = tuple(
        ReportEntry.from_objects(
            stored.report,
            id=stored.id,
            report=f"../reports/{stored.id}.json",
            rows=f"../{REPORT_ROWS}/{stored.id}/index.json" if is_large_report(stored) else None,
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
    for suite, matrices in results.by_suite.items():
        yield from matrix_files(suite, matrices)


@dataclass(frozen=True, slots=True)
class LetterTests:
    """The tests of a suite with the same initial.

    `total` is the number of these tests, `failing` is the number of those that fail in a run, and
    `shown` are the tests on the static page.
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
    tests_by_letter = grouped((initial(test.name), test) for test in tests)
    return {
        letter: LetterTests(
            len(letter_tests), failing_count(letter_tests), static_tests(letter_tests)
        )
        for letter, letter_tests in sorted(tests_by_letter.items())
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
        since=result.since_words,
        whole_suite=result.whole_suite or None,
        history=result.history if result.since else None,
        runs=result.runs,
        reported_as=", ".join(filter(None, raw)) or None,
        environment=result.environment or None,
        known_issue=test.known_issue.url if test.known_issue else None,
        evidence=tuple(EvidenceLink.from_objects(e) for e in test.evidence) or None,
    )

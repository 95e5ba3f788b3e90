"""Builds the page of each test report, and the files with the test results of large reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.json_shards import shards
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES
from accelerator_portal.site.results.results_shapes import (
    ReportRow,
    ReportRowsIndex,
    ReportRowsShard,
)
from accelerator_portal.site.results.results_view import ResultsView, environment_rows
from accelerator_portal.site.results.suite_tests import ReportedTest, reported_tests
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.templates import Templates
from accelerator_reports.hw_classification import classification_counts
from accelerator_reports.missing_operators import missing_operators, waiting_tests_text
from accelerator_reports.outcomes import GOOD, OUTCOMES

MOST_LISTED = 200
"""The maximum number of tests on a report's page that did not pass; the data file has all tests."""

REPORT_ROWS = "report-rows"
"""The folder below `/api/v1/` with the files of large reports' test results."""


def report_files(
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
    is_large = is_large_report(stored)
    missing = missing_operators(stored.report.tests)
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
        classifications=classification_counts(stored.report.tests),
        waiting=[waiting_tests_text(one) for one in missing],
        missing={one.operator.rpartition("::")[2].partition(".")[0] for one in missing},
        **context,
    )
    if is_large:
        yield from report_row_files(stored.id, tests)


def _most_severe_first(tests: list[ReportedTest]) -> list[ReportedTest]:
    """Return the tests with the most severe outcomes first, else in the given order."""
    return sorted(tests, key=lambda result: OUTCOMES[result.test.outcome].page_rank)


def is_large_report(stored: StoredReport) -> bool:
    """Return whether a report is so large that its page loads test results from data files."""
    return len(stored.report.tests) > MOST_LISTED


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

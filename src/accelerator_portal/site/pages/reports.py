"""Builds the pages and data of test reports, and the page that compares two reports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.history_view import listed_anchors
from accelerator_portal.site.results.results_view import (
    KIND_DESCRIPTIONS,
    RESULTS_PAGES,
    environment_rows,
)
from accelerator_portal.site.results.suite_tests import ReportedTest, reported_tests
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import API, SiteFile, data_file, shards
from accelerator_reports.comparison import DIFFERENCE_TITLES, PAIR_NOTES
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import GOOD, OUTCOMES, Outcome, ReportKind
from accelerator_reports.report import Report
from accelerator_reports.report_file import report_text
from accelerator_reports.report_views import (
    classification_counts,
    missing_operators,
    waiting_tests_text,
)
from accelerator_reports.suite_names import suite_folder
from accelerator_reports.test_ids import SETTINGS


class ReportEntry(StrictModel):
    """A report in the index of reports."""

    id: str
    """Id of the report; never changes."""
    accelerator: str
    """Id of the accelerator."""
    kind: ReportKind
    """The kind of report. A baseline doesn't count as a run."""
    report: str
    """Address of the report, relative to the index."""
    rows: str | None = None
    """For a large report, the address of its index of rows, relative to the index."""
    counts: dict[str, dict[Outcome, int]]
    """The number of tests by outcome, for each suite."""
    missing_operators: dict[str, int]
    """The number of tests that stopped at a missing operator, by operator, highest number first."""


class ResultsIndex(StrictModel):
    """The index of all reports and of every suite's results."""

    reports: tuple[ReportEntry, ...]
    """The reports."""
    suites: dict[str, str]
    """Address of each suite's matrices, relative to the index."""
    tests: dict[str, str]
    """Address of each suite's index of tests, relative to the index."""


class ReportRow(StrictModel):
    """A test of a report, as on the report's page."""

    suite: str
    """Id of the suite."""
    name: str
    """Name of the test."""
    outcome: Outcome
    """The outcome."""
    settings: str | None = None
    """Mode and parameters, in words."""
    reason: str | None = None
    """The error message of a failed test, or why the test was skipped."""
    raw_status: str | None = None
    """The status in the original format."""
    known_issue: str | None = None
    """Address of the issue that explains the outcome."""


class ReportRowsShard(StrictModel):
    """One of the files with a report's rows."""

    rows: tuple[ReportRow, ...]
    """The rows, sorted by outcome (failures first), suite, name and settings."""


class ReportRowsIndex(StrictModel):
    """The index of the files with a report's rows."""

    report: str
    """Id of the report."""
    ranges: tuple[tuple[Outcome, str, int], ...]
    """The number of rows for each outcome and suite, in the order of the rows. An item has the
    outcome, the suite and the number."""
    files: tuple[tuple[str, int], ...]
    """Address and number of rows of each file, in the order of the rows."""


MOST_LISTED = 200
"""The maximum number of tests on a report's page that did not pass; the data file has all tests."""

REPORT_ROWS = "report-rows"
"""The folder below `/api/v1/` with the files of large reports' test results."""

SUITE_TESTS = "suite-tests"
"""The folder below `/api/v1/` with the files of the suites' tests."""


SCHEMAS = {
    "report": Report,
    "results": ResultsIndex,
    "report-rows": ReportRowsIndex,
    "rows-of-report": ReportRowsShard,
}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of each report, and the page on which readers compare two reports.

    The latter has the titles and notes of the command line: DIFFERENCE_TITLES and PAIR_NOTES.
    """
    speeds = {run.id: run for run in site.speed_runs}
    shared_variables = {
        "kinds": KIND_DESCRIPTIONS,
        "results": site.results,
        "linked": listed_anchors(site.histories.weeks),
    }
    for stored in site.results.reports:
        context = {**shared_variables, "speeds": speeds.get(stored.id), **_variables(site, stored)}
        path = f"{RESULTS_PAGES}/runs/{stored.id}.md"
        yield Page(path, context, "results/run.md.j2", stored.path)
    choices = [_choice(site.catalog, stored) for stored in site.results.reports]
    context = {
        "choices": choices,
        "suggestions": list(suggestions(choices)),
        "words": json.dumps({"differences": DIFFERENCE_TITLES, "pairs": PAIR_NOTES}),
        "settings": sorted(SETTINGS),
    }
    yield Page(f"{RESULTS_PAGES}/compare.md", context)


def _variables(site: Site, stored: StoredReport) -> dict[str, Any]:
    """Return the template variables of one report."""
    tests = list(reported_tests(stored))
    other_tests = sorted(
        (r for r in tests if r.test.outcome not in GOOD),
        key=lambda r: OUTCOMES[r.test.outcome].page_rank,
    )
    missing = missing_operators(stored.report.tests)
    return {
        "stored": stored,
        "name": site.catalog.by_id[stored.report.accelerator].accelerator.name,
        "environment": environment_rows(stored.report.environment),
        "counts": site.results.suite_counts(stored.id),
        "others": other_tests[:MOST_LISTED],
        "more": max(0, len(other_tests) - MOST_LISTED),
        "files": f"{API}/{REPORT_ROWS}/{stored.id}/" if is_large_report(stored) else None,
        "tested": Counter(r.test.outcome for r in tests),
        "classifications": classification_counts(stored.report.tests),
        "waiting": [waiting_tests_text(one) for one in missing],
        "missing": {one.operator.rpartition("::")[2].partition(".")[0] for one in missing},
    }


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the index of results, each report, and files with the results of large reports."""
    results = site.results
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
    index = ResultsIndex(
        reports=entries,
        suites={suite: f"{suite_folder(suite)}.json" for suite in results.by_suite},
        tests={
            suite: f"../{SUITE_TESTS}/{suite_folder(suite)}/index.json"
            for suite in results.by_suite
        },
    )
    yield data_file("results/index.json", index)
    for stored in results.reports:
        yield data_file(f"reports/{stored.id}.json", json.loads(report_text(stored.report)))
        if is_large_report(stored):
            yield from report_row_files(stored.id, reported_tests(stored))


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


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """A report that readers can select.

    `platform` is the platform's name. `torch` is the version of torch, and `plugin` is the name and
    version of the plugin. Each of these two is None if the report does not state it.
    """

    stored: StoredReport
    platform: str
    torch: str | None
    plugin: str | None
    suites: tuple[str, ...]

    @property
    def words(self) -> str:
        """The text of the report in the list: `2026-11-21 · torch 2.13.0 · self-reported · …`."""
        parts = (
            str(self.stored.day or "no date"),
            f"torch {self.torch}" if self.torch else None,
            self.plugin,
            self.stored.report.kind,
            ", ".join(self.suites),
        )
        return " · ".join(part for part in parts if part)


def suggestions(choices: Sequence[ReportChoice]) -> Iterator[tuple[ReportChoice, ReportChoice]]:
    """Yield pairs of reports to compare: the last two runs of each suite on each platform.

    The older run comes first. Each pair is yielded once.
    """
    runs = (choice for choice in choices if choice.stored.report.kind != "baseline")
    runs_by_suite: dict[tuple[str, str], list[ReportChoice]] = {}
    for run in sorted(runs, key=lambda run: run.stored.order):
        for suite in run.suites:
            runs_by_suite.setdefault((run.stored.report.accelerator, suite), []).append(run)
    pairs = [
        (suite_runs[-2], suite_runs[-1])
        for suite_runs in runs_by_suite.values()
        if len(suite_runs) > 1
    ]
    yield from dict.fromkeys(pairs)


def _choice(catalog: Catalog, stored: StoredReport) -> ReportChoice:
    report = stored.report
    plugin = report.environment.plugin
    return ReportChoice(
        stored,
        catalog.by_id[report.accelerator].accelerator.name,
        report.environment.torch,
        " ".join(filter(None, (plugin.name, plugin.version))) if plugin else None,
        tuple(suite.name for suite in report.suites),
    )

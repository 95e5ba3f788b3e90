"""Reads the test reports in vendors' folders, and finds the newest run of each suite."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.grouping import cached_by_owner, grouped
from accelerator_reports.file_reading import MAX_TESTS
from accelerator_reports.files.folders import ACCELERATORS, RESULTS
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.report_file import first_test_line, read_report, with_full_suite_names
from accelerator_reports.suite_names import SuiteKind, SuiteNames

LONG_AGO = dt.datetime.min.replace(tzinfo=dt.timezone.utc)
"""The earliest possible time. It sorts reports without a start time as the oldest."""


@dataclass(frozen=True, eq=False)
class StoredReport:
    """A report in a vendor's folder, with its id and its path in the repository.

    `first_test` is the line of the report's first test in the file. It is None if the file does not
    have one line per test.
    """

    id: str
    path: str
    report: Report
    first_test: int | None

    @property
    def day(self) -> dt.date | None:
        """The day on which the run started, or the day of the baseline; None if not stated."""
        return self.report.started.date() if self.report.started else None

    @property
    def order(self) -> tuple[dt.datetime, str]:
        """The key that sorts reports by time, then by id. Reports without a time are the oldest."""
        return self.report.started or LONG_AGO, self.id


ReportsAndProblems = tuple[tuple[StoredReport, ...], tuple[Problem, ...]]


@cached_by_owner
def stored_reports(catalog: Catalog) -> ReportsAndProblems:
    """Return the valid reports in the folders of a catalog, and the problems of the other reports.

    The reports are in the order of the platforms, and of the files in each folder. If the reports
    of a folder have more than `MAX_TESTS` tests together, the report that exceeds this limit gets a
    problem, and later reports of the folder are left out. The result is cached for a catalog.
    """
    files_by_folder = {platform.id: platform.results for platform in catalog.platforms}
    return _reports_of_folders(files_by_folder, catalog.suite_names)


def left_out_reports(catalog: Catalog) -> ReportsAndProblems:
    """Return the valid reports in quarantined folders, and the problems of the other reports there.

    A folder is quarantined if it has problems. The catalog then has no platform for the folder.
    """
    return _reports_of_folders(catalog.unloaded_reports, catalog.suite_names)


def _reports_of_folders(
    files_by_folder: Mapping[str, tuple[Path, ...]], suite_names: SuiteNames
) -> ReportsAndProblems:
    reports: list[StoredReport] = []
    problems: list[Problem] = []
    for folder, files in files_by_folder.items():
        total_tests = 0
        for file in files:
            path = f"{ACCELERATORS}/{folder}/{RESULTS}/{file.name}"
            try:
                report = read_report(file)
            except ProblemsError as error:
                problems += (replace(p, path=path) for p in error.problems)
                continue
            if report.accelerator != folder:
                what = f'the report is about "{report.accelerator}"'
                problems.append(Problem(path, 1, what, "move it to that folder"))
                continue
            report = with_full_suite_names(report, suite_names)
            total_tests += len(report.tests)
            if total_tests > MAX_TESTS:  # one folder must not keep all others waiting
                what = f"the reports up to this one have more than {MAX_TESTS:,} tests"
                problems.append(Problem(path, 1, what, "remove older reports or some tests"))
                break
            reports.append(
                StoredReport(_report_id(folder, file.stem), path, report, first_test_line(file))
            )
    return tuple(reports), tuple(problems)


def _report_id(platform: str, stem: str) -> str:
    """Return the id of the report `<stem>.json` of a platform: `xpu-run-1`.

    If the platform's id contains a hyphen, two hyphens separate the parts: `acme-npu--run-1`. With
    one hyphen, `a-b` with `c.json` would get the same id as `a` with `b-c.json`.
    """
    return f"{platform}{'--' if '-' in platform else '-'}{stem}"


# Finds the newest run of each suite of an accelerator, or else the suite's newest baseline.


@dataclass(frozen=True, slots=True)
class SuiteEvidence:
    """The newest results of an accelerator's suite.

    `stored` is the report with the newest run of the suite. If there is no run, it is the report
    with the newest baseline. `tests` are the tests of the suite in this report.
    """

    suite: str
    stored: StoredReport
    tests: tuple[TestEntry, ...]

    @property
    def kind(self) -> SuiteKind | None:
        """The kind of the suite, or None if the report does not state it."""
        suites = self.stored.report.suites
        return next((suite.kind for suite in suites if suite.name == self.suite), None)

    @property
    def is_run(self) -> bool:
        """Whether the tests were run; a baseline only lists expected results."""
        return self.stored.report.kind != "baseline"

    @property
    def counts(self) -> dict[Outcome, int]:
        """The number of tests with each outcome, in the order of OUTCOMES."""
        counts = Counter(test.outcome for test in self.tests)
        return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}

    @property
    def samples(self) -> tuple[int, int] | None:
        """How many samples the tests ran, and how many are known; None if they do not state it."""
        return sample_counts(self.tests)

    @property
    def day(self) -> dt.date | None:
        """The day of the report; None if it has no date."""
        return self.stored.day


def sample_counts(tests: Iterable[TestEntry]) -> tuple[int, int] | None:
    """Return how many samples tests ran, and how many are known; None if no test states both."""
    pairs = [
        (test.metrics["samples"].value, test.metrics["known-samples"].value)
        for test in tests
        if {"samples", "known-samples"} <= test.metrics.keys()
    ]
    ran, known = (int(sum(numbers)) for numbers in zip(*pairs, strict=True)) if pairs else (0, 0)
    return (ran, known) if known else None


def newest_evidence(reports: Iterable[StoredReport]) -> tuple[SuiteEvidence, ...]:
    """Return the newest results of each suite in an accelerator's reports, sorted by suite.

    These are from the newest run of the suite. If it has no run, they are from its newest baseline.
    If two reports have the same time, the report whose id sorts last counts. The order of `reports`
    has no effect.
    """
    evidence_by_suite: dict[str, SuiteEvidence] = {}
    for stored in sorted(reports, key=lambda s: (s.report.kind != "baseline", s.order)):
        tests_by_suite = grouped((test.suite, test) for test in stored.report.tests)
        for suite, tests in tests_by_suite.items():
            evidence_by_suite[suite] = SuiteEvidence(suite, stored, tuple(tests))
    return tuple(evidence_by_suite[suite] for suite in sorted(evidence_by_suite))

"""Reads the test reports in vendors' folders, `accelerators/<id>/results/*.json`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.cached import cached_by_owner
from accelerator_reports.file_reading import MAX_TESTS
from accelerator_reports.files.folders import ACCELERATORS, RESULTS
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.report import Report
from accelerator_reports.report_file import first_test_line, read_report
from accelerator_reports.report_names import with_full_suite_names
from accelerator_reports.suite_names import SuiteNames

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

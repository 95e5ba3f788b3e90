"""Defines pydantic models of the JSON about test reports, results and quality in `/api/v1/`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Literal

from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import Outcome, ReportKind


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
    """For a large suite, the address of its index of tests, relative to the index."""


class MatrixColumn(StrictModel):
    """A column of a matrix."""

    id: str
    """Id of the column. It depends only on the report and the column's parameters."""
    accelerator: str
    """Id of the accelerator."""
    name: str
    """Name of the accelerator, with a suffix if several of its reports have the same parameters."""
    report: str
    """Id of the report."""
    kind: ReportKind
    """The kind of the report."""
    like: str
    """The parameters in words. Only columns with the same parameters can be compared."""
    dtype: str
    """The data type. Empty if it isn't stated."""
    samples: tuple[int, int] | None = None
    """How many samples of operators the tests ran, and how many are known, if the report states
    it."""
    evidence: str = ""
    """What to append to a test's address to link to its result in this column."""


class MatrixTest(StrictModel):
    """A row of a matrix."""

    name: str
    """Name of the test."""
    address: str
    """The address of the test, relative to `results/`."""
    outcomes: tuple[Outcome | None, ...]
    """One outcome per column; null if the column has no result of the test."""


class MatrixData(StrictModel):
    """The results of a suite in one mode."""

    mode: str
    """The tests' parameter `mode`, such as `inference`. Empty if there is none."""
    columns: tuple[MatrixColumn, ...]
    """The columns."""
    tests: tuple[MatrixTest, ...]
    """The tests, by name."""


class SuiteResults(StrictModel):
    """The results of a suite."""

    suite: str
    """Id of the suite."""
    matrices: tuple[MatrixData, ...]
    """One matrix for each mode."""


class SuiteState(StrictModel):
    """The newest results of a platform in one suite."""

    suite: str
    """Id of the suite."""
    report: str
    """Id of the suite's newest run or, if there is none, of its newest baseline."""
    kind: ReportKind
    """The kind of the report."""
    date: dt.date | None = None
    """The day of the report. Absent if the report has no start time."""
    counts: dict[Outcome, int]
    """The number of tests by outcome."""


class PlatformQuality(StrictModel):
    """The quality of a platform: its level of evidence, and numbers of reports and failures."""

    id: str
    """Id of the accelerator."""
    level: str
    """Id of its level of evidence in `data/criteria.yaml`."""
    tested: bool
    """Whether the platform meets the requirement "tested"."""
    why: str
    """The reason for `tested`."""
    missing: tuple[str, ...]
    """The requirements of higher levels that the platform does not meet."""
    runs: int
    """The number of known runs."""
    baselines: int
    """The number of known baselines."""
    suites: tuple[SuiteState, ...]
    """The state of each suite, by name."""
    open_breakages: int
    """The number of tests with an open regression."""
    never_passed: int
    """The number of failing tests that passed in no run."""
    badge: str
    """Address of its badge, in the endpoint format of shields.io, relative to this file."""


class SetAside(StrictModel):
    """A vendor's folder that has errors."""

    folder: str
    """Name of the folder, which is the platform's id."""
    errors: int
    """The number of errors."""
    shown_before: str | None
    """The date since which the site shows the folder's last version without errors. Absent if the
    site shows no version."""


class QualityData(StrictModel):
    """The quality of every platform."""

    as_of: str
    """The date of the data. Ages are relative to it."""
    platforms: tuple[PlatformQuality, ...]
    """The quality of each platform."""
    set_aside: tuple[SetAside, ...] = ()
    """The folders with errors in the nightly build."""


class Badge(StrictModel):
    """A badge in the endpoint format of shields.io, version 1, which defines these field names."""

    schemaVersion: int  # noqa: N815 - as that format calls it
    """The version of the badge format: 1."""
    label: str
    """The text on the left side."""
    message: str
    """The text on the right side."""
    color: str
    """The color of the right side."""


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


class EvidenceLink(StrictModel):
    """A log or a page from which a result comes."""

    url: str
    """Address of the log or page."""
    label: str
    """The kind of evidence."""


class TestResult(StrictModel):
    """The result of a test in one report, as pages show it."""

    __test__ = False

    id: str
    """Id of the result on a page."""
    report: str
    """Id of the report."""
    outcome: Outcome
    """The outcome."""
    settings: str | None = None
    """Mode and parameters."""
    notes: tuple[str, ...] | None = None
    """The stage, and the error message of a failed test or why the test was skipped."""
    since: str | None = None
    """The day since which the outcome has been the same, in words. If a newer report has the test,
    or if only this report has it, the day of `report` with a note that says so."""
    runs: str | None = None
    """The outcomes of the latest runs, in words."""
    reported_as: str | None = None
    """The status in the original format, and measured values."""
    environment: str | None = None
    """Software and device."""
    known_issue: str | None = None
    """Address of the issue that explains the outcome."""
    evidence: tuple[EvidenceLink, ...] | None = None
    """Links to logs and pages."""
    log_tail: str | None = None
    """The last lines of the test's log."""
    command: str | None = None
    """The command that repeats the test, or that ran its suite."""
    whole_suite: Literal[True] | None = None
    """True if `command` runs the whole suite."""
    history: str | None = None
    """The query that opens the test on the page of test histories."""


class TestData(StrictModel):
    """A test and all its results."""

    __test__ = False

    name: str
    """Name of the test."""
    results: tuple[TestResult, ...]
    """The results of the test, by settings and platform."""


class TestShard(StrictModel):
    """One of the files with a suite's tests."""

    __test__ = False

    tests: Mapping[str, TestData]
    """The tests by their id on a page, sorted."""


class ReportOfTests(StrictModel):
    """A report that has tests of the index's suite."""

    accelerator: str
    """Id of the accelerator."""
    name: str
    """Name of the accelerator."""
    kind: ReportKind
    """The kind of the report."""


class TestsIndex(StrictModel):
    """The index of the files with a suite's tests."""

    __test__ = False

    suite: str
    """Id of the suite."""
    tests: int
    """The number of tests."""
    reports: dict[str, ReportOfTests]
    """The reports that have tests of the suite, by id."""
    files: tuple[tuple[str, str], ...]
    """The id of the first test in each file, and the address of the file, sorted by id."""

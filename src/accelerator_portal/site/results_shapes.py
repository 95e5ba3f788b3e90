"""The shapes of the files about test results under `/api/v1/`."""

from __future__ import annotations

from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Kind, Outcome


class ReportEntry(Model):
    """One report of the index."""

    id: str
    """Id of the report; never changes."""
    accelerator: str
    """Id of the accelerator."""
    kind: Kind
    """What it is; a baseline is no run."""
    report: str
    """Address of the report, relative to the index."""
    rows: str | None = None
    """Of a large report the address of its index of rows, relative to the index."""
    counts: dict[str, dict[Outcome, int]]
    """How often what happened, by suite."""
    missing_operators: dict[str, int]
    """How many tests stopped first at an operator that is missing, by operator; most first."""


class ResultsIndex(Model):
    """Every report, and the matrices of every suite."""

    reports: tuple[ReportEntry, ...]
    """The reports."""
    suites: dict[str, str]
    """Address of each suite's matrices, relative to the index."""
    tests: dict[str, str]
    """Of a large suite the address of its index of tests, relative to the index."""


class MatrixColumn(Model):
    """A column of a matrix."""

    id: str
    """Id of the column; the same as long as the report and its parameters are."""
    accelerator: str
    """Id of the accelerator."""
    name: str
    """Its name."""
    report: str
    """Id of the report."""
    kind: Kind
    """What the report is."""
    like: str
    """The parameters in words; only columns that have them in common can be compared."""
    dtype: str
    """The type among them; empty where it is not stated."""
    evidence: str = ""
    """What is added to a test's address to lead to its result in this column."""


class MatrixTest(Model):
    """A row of a matrix."""

    name: str
    """Name of the test."""
    address: str
    """Where the test stands, from the site's folder `results/`."""
    outcomes: tuple[Outcome | None, ...]
    """An outcome a column; null where there is no evidence."""


class MatrixData(Model):
    """The results of a suite in one mode."""

    mode: str
    """The mode, `inference` or `training`; empty where there is none."""
    columns: tuple[MatrixColumn, ...]
    """The columns."""
    tests: tuple[MatrixTest, ...]
    """The tests, by name."""


class SuiteResults(Model):
    """The results of a suite."""

    suite: str
    """Id of the suite."""
    matrices: tuple[MatrixData, ...]
    """One for each mode."""


class SuiteState(Model):
    """A suite of a platform, after the newest report that has it."""

    suite: str
    """Id of the suite."""
    report: str
    """Id of the report; a run counts more than a newer baseline."""
    kind: Kind
    """What the report is."""
    age_days: int | None = None
    """How many days before the data's day it started; absent where it does not say."""
    counts: dict[Outcome, int]
    """How many of its tests had which outcome."""


class PlatformQuality(Model):
    """How far a platform's claims are backed by reports."""

    id: str
    """Id of the accelerator."""
    level: str
    """Id of its level of evidence in `data/criteria.yaml`."""
    tested: bool
    """Whether its newest command reads "tested"."""
    why: str
    """Why, or why not."""
    missing: tuple[str, ...]
    """What keeps it from higher levels."""
    runs: int
    """How many runs are known."""
    baselines: int
    """How many baselines are known."""
    suites: tuple[SuiteState, ...]
    """Each suite, by name."""
    open_breakages: int
    """How many tests passed in a run and fail in a later one."""
    never_passed: int
    """How many tests fail and passed in no run."""
    badge: str
    """Address of its badge, in the endpoint format of shields.io."""


class SetAside(Model):
    """A folder that has errors."""

    folder: str
    """Its name: the platform's id."""
    errors: int
    """How many it has."""
    shown_before: str | None
    """Its last good version is shown, which it was before this day; none: it is left out."""


class QualityData(Model):
    """The quality of every platform."""

    as_of: str
    """The day to which ages are counted: the newest in the data."""
    platforms: tuple[PlatformQuality, ...]
    """Every platform."""
    set_aside: tuple[SetAside, ...] = ()
    """The folders that the nightly build could not show as they are."""


class Badge(Model):
    """A badge, in version 1 of the endpoint format of shields.io, whose names these are."""

    schemaVersion: int  # noqa: N815 - as that format calls it
    """1."""
    label: str
    """What stands at the left."""
    message: str
    """What stands at the right."""
    color: str
    """The color of the right side."""


class ReportRow(Model):
    """A test of a report, as the table of its page shows it."""

    suite: str
    """Id of the suite."""
    name: str
    """Name of the test."""
    outcome: Outcome
    """What happened."""
    settings: str | None = None
    """Mode and parameters, in words."""
    reason: str | None = None
    """The message of a failure, or why it was skipped."""
    raw_status: str | None = None
    """The status in the format that it came from."""
    known_issue: str | None = None
    """Where a known issue is declared."""


class ReportRowsShard(Model):
    """A part of a report's rows."""

    rows: tuple[ReportRow, ...]
    """The rows: by outcome, what calls for somebody first, then by suite, name and settings."""


class ReportRowsIndex(Model):
    """Where the rows of a report are."""

    report: str
    """Id of the report."""
    ranges: tuple[tuple[Outcome, str, int], ...]
    """Outcome, suite and number of rows, in the order of the rows."""
    files: tuple[tuple[str, int], ...]
    """Address and number of rows of each file, in the order of the rows."""

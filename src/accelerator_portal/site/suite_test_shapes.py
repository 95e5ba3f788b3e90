"""Defines the JSON of a suite's tests under `/api/v1/suite-tests/`."""

from __future__ import annotations

from collections.abc import Mapping

from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Kind, Outcome


class EvidenceLink(Model):
    """A log or a page from which a result comes."""

    url: str
    """Its address."""
    label: str
    """What it is."""


class TestResult(Model):
    """The result of a test in one report, in the words of the pages."""

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
    """The stage, and the message of a failure or why it was skipped."""
    since: str | None = None
    """The time since which the outcome is the same."""
    runs: str | None = None
    """The outcomes of the latest runs."""
    reported_as: str | None = None
    """The status in the original format, and measured values."""
    environment: str | None = None
    """Software and device."""
    known_issue: str | None = None
    """Where a known issue is declared."""
    evidence: tuple[EvidenceLink, ...] | None = None
    """Logs and pages."""
    log_tail: str | None = None
    """The last lines of its log."""
    command: str | None = None
    """The command that repeats the test, or that ran its suite."""
    history: str | None = None
    """The query of its history on the page of test histories."""


class TestData(Model):
    """A test and all its results."""

    __test__ = False

    name: str
    """Its name."""
    results: tuple[TestResult, ...]
    """Its results, by settings and platform."""


class TestShard(Model):
    """A range of a suite's tests."""

    __test__ = False

    tests: Mapping[str, TestData]
    """By id on a page, sorted."""


class ReportOfTests(Model):
    """A report that has tests of the suite."""

    accelerator: str
    """Id of the accelerator."""
    name: str
    """Its name."""
    kind: Kind
    """The kind of the report."""


class TestsIndex(Model):
    """Where the tests of a suite are."""

    __test__ = False

    suite: str
    """Id of the suite."""
    tests: int
    """The number of tests."""
    reports: dict[str, ReportOfTests]
    """The reports that have some of them, by id."""
    files: tuple[tuple[str, str], ...]
    """First test and address of each file, sorted by test."""

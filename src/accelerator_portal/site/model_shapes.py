"""Defines the JSON about families of models under `/api/v1/`."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.results.standing import Basis


class FamilyCount(Model):
    """The results of a family on one platform.

    Runs and baselines are counted apart, and so are PyTorch and ExecuTorch.
    """

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """Whether the counts are from runs or from baselines."""
    executorch: bool = False
    """Whether the tests are of ExecuTorch, not of PyTorch itself."""
    passed: int
    """The number of tests that passed or are expected to pass."""
    checked: int
    """The number of tests with a result other than skipped or infrastructure errors."""
    total: int
    """How many tests there are."""
    outcomes: dict[Outcome, int]
    """The number of tests by outcome."""
    date: dt.date | None = None
    """The day of the newest report; absent where it states none."""
    reports: tuple[str, ...]
    """Ids of the reports, the newest first."""


class FamilyEntry(Model):
    """One family of the index."""

    id: str
    """Id of the family; never changes."""
    title: str
    """What readers see."""
    address: str
    """Address of the family's own file, relative to the index."""
    counts: tuple[FamilyCount, ...]
    """The results on each platform that has any."""


class FamiliesIndex(Model):
    """All model families, as ordered on the page."""

    families: tuple[FamilyEntry, ...]
    """The families with tests in at least one report."""
    no_report: tuple[str, ...]
    """Titles of the families without results."""


class FamilyTest(Model):
    """One test of a family in one report."""

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """Whether the result is from a run or from a baseline."""
    report: str
    """Id of the report."""
    suite: str
    """Id of the suite."""
    name: str
    """Name of the test."""
    settings: str
    """The mode and the parameters of the test, in words."""
    outcome: Outcome
    """The outcome, or the expected outcome of a baseline."""
    evidence: str
    """The address of the result with its log and command, relative to `results/`."""


class FamilyData(Model):
    """The tests of a family in the newest reports."""

    id: str
    """Id of the family."""
    title: str
    """What readers see."""
    names: tuple[str, ...]
    """Patterns `suite/name` of its tests."""
    tests: tuple[FamilyTest, ...]
    """The tests, by accelerator."""

"""The shapes of the files about families of models under `/api/v1/`."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.results.standing import Basis


class FamilyCount(Model):
    """The results of a family on one platform; runs and baselines are counted apart."""

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """What it rests on: runs, or baselines, which list what a project expects."""
    passed: int
    """How many tests passed, or are expected to."""
    checked: int
    """How many tests had a result that says something of the product."""
    total: int
    """How many tests there are."""
    outcomes: dict[Outcome, int]
    """How often what happened."""
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
    """Every family of models that people ask for, in the order of the page."""

    families: tuple[FamilyEntry, ...]
    """The families of which some report has tests."""
    no_report: tuple[str, ...]
    """Titles of the families that no report has."""


class FamilyTest(Model):
    """One test of a family in one report."""

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """Whether it is of a run or of a baseline."""
    report: str
    """Id of the report."""
    suite: str
    """Id of the suite."""
    name: str
    """Name of the test."""
    settings: str
    """The mode and what else the test ran with, in words."""
    outcome: Outcome
    """What happened, or is expected to."""
    evidence: str
    """Where the result stands with its log and command, from the site's folder `results/`."""


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

"""Defines pydantic models of the JSON files under `/api/v1/` about model families like Llama."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.results.history import ResultKind
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import Outcome


class FamilyCount(StrictModel):
    """The results of a family on one platform.

    Runs and baselines are counted separately, and so are PyTorch and ExecuTorch.
    """

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the counts are from runs or from baselines."""
    executorch: bool = False
    """Whether the tests are ExecuTorch's, not PyTorch's."""
    passed: int
    """The number of tests that passed or are expected to pass."""
    checked: int
    """The number of tests that passed or failed, or are expected to pass or fail."""
    total: int
    """The number of all tests."""
    outcomes: dict[Outcome, int]
    """The number of tests by outcome."""
    date: dt.date | None = None
    """The day of the newest report. Absent if the report states none."""
    reports: tuple[str, ...]
    """Ids of the reports, the newest first."""
    models: dict[str, str]
    """How the models of a suite differ from the published models, by suite."""


class StatedFamily(StrictModel):
    """Models of a family that a platform runs according to a document. No test confirms this."""

    accelerator: str
    """Id of the accelerator."""
    by: str
    """The publisher of the document."""
    software: str
    """The software that runs the models according to the document."""
    date: dt.date
    """The date of the document or, if it has none, the day on which it was read."""
    source: str
    """The address of the document at the commit that was read."""
    models: tuple[str, ...]
    """The names of the models in the document."""
    purposes: dict[str, tuple[str, ...]]
    """The names of the models, by the purpose that the document states, or `not stated`."""


class FamilyEntry(StrictModel):
    """A model family in the index."""

    id: str
    """Id of the family; never changes."""
    title: str
    """Title of the family."""
    address: str
    """Address of the family's own file, relative to the index."""
    counts: tuple[FamilyCount, ...]
    """The numbers of results on each platform with results."""
    stated: tuple[StatedFamily, ...] = ()
    """The models that documents state. These models are not part of the results."""


class FamiliesIndex(StrictModel):
    """The index of all model families, in the order of the page."""

    families: tuple[FamilyEntry, ...]
    """The families with tests in a report, or with models that a document says a platform runs."""
    no_report: tuple[str, ...]
    """Titles of the families that are not in `families`."""


class FamilyTest(StrictModel):
    """A test of a family in one report."""

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
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


class FamilyData(StrictModel):
    """The tests of a family in the newest reports."""

    id: str
    """Id of the family."""
    title: str
    """Title of the family."""
    names: tuple[str, ...]
    """Patterns `suite/name` of the family's tests."""
    tests: tuple[FamilyTest, ...]
    """The tests, sorted by accelerator."""

"""The shapes of the files about results over time under `/api/v1/`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TypeAlias

from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Outcome, Stage
from accelerator_portal.results.history import ChangeKind
from accelerator_portal.results.standing import Basis


class PointData(Model):
    """A report of a history."""

    id: str
    """A digest of what it says."""
    started: dt.datetime
    """When it started; of a baseline, from when on it holds."""
    origins: tuple[tuple[str, str], ...]
    """Repositories and commits that it was imported from."""
    first_seen: int | None = None
    """How many tests are of suites that no earlier report had; they are not listed as changes."""


class ChangeData(Model):
    """What a report changed of a test."""

    report: str
    """Id of the report."""
    key: str
    """The test: suite, name and parameters."""
    kind: ChangeKind
    """What the change means; a baseline changes an expectation, and breaks nothing."""
    outcome: Outcome | None = None
    """What the report says; absent where the test is gone."""
    stage: Stage | None = None
    """The stage that it reached."""
    outcome_before: Outcome | None = None
    """What was said before; absent where the test is new."""
    stage_before: Stage | None = None
    """The stage that it had reached."""


class TallyData(Model):
    """How often what was said of a suite's tests from a moment on."""

    started: dt.datetime
    """The moment."""
    counts: dict[Outcome, int]
    """How many tests had which outcome."""


class HistoryData(Model):
    """What the reports of an accelerator said over time."""

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """Whether it is made of runs, or of what a project expects of them."""
    reports: tuple[PointData, ...]
    """The reports, by time."""
    changes: tuple[ChangeData, ...]
    """What each changed, by time."""
    tallies: dict[str, tuple[TallyData, ...]]
    """By suite: how often what was said, after each report that changed something of it."""


class HistoryIndex(Model):
    """Every history that there is."""

    histories: dict[str, str]
    """Address of each, relative to the index: by accelerator and basis, `xpu-baselines`."""
    tests: dict[str, str]
    """Address of the index of each history's tests, relative to the index."""


class ReportMoment(Model):
    """A report of a history, as far as the picture of a test needs it."""

    id: str
    """A digest of what it says."""
    started: dt.datetime
    """When it started; of a baseline, from when on it holds."""
    torch: str | None = None
    """The version of torch."""
    repository: str | None = None
    """The repository that was tested."""
    commit: str | None = None
    """Its commit."""


CourseStep: TypeAlias = tuple[int, Outcome | None, Stage | None]
"""From which report on (its number in the index) what was said; no outcome: the test is gone."""

TestCourses: TypeAlias = Mapping[str, tuple[CourseStep, ...]]
"""What was said of a test over time, by its settings as they are in its key."""


class HistoryShard(Model):
    """What was said over time of a range of tests."""

    tests: Mapping[str, TestCourses]
    """By suite and name as they are in a test's key, sorted."""


class TestHistoryIndex(Model):
    """Where the histories of an accelerator's tests are."""

    __test__ = False

    accelerator: str
    """Id of the accelerator."""
    basis: Basis
    """Whether it is made of runs, or of what a project expects of them."""
    reports: tuple[ReportMoment, ...]
    """The reports, by time; steps refer to them by their number, from 0."""
    last: dict[str, int]
    """The number of the last report of a suite with the same settings."""
    tests: int
    """How many tests there are, settings not counted."""
    files: tuple[tuple[str, str], ...]
    """First test and address of each file, sorted by test."""

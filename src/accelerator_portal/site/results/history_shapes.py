"""Defines pydantic models of the JSON files under `/api/v1/` about test results over time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TypeAlias

from accelerator_portal.results.history import ChangeKind, ResultKind
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import Outcome, Stage


class PointData(StrictModel):
    """A report of a history."""

    id: str
    """A digest of the report's outcomes and environment; not its id in the index of reports."""
    started: dt.datetime
    """The start time. For a baseline, the time from which it applies."""
    origins: tuple[tuple[str, str], ...]
    """Repositories and commits from which the report was imported."""
    first_seen: int | None = None
    """The number of tests in suites that the report is the first to contain. These tests aren't
    listed as changes. Absent if there are none."""


class ChangeData(StrictModel):
    """A change of a test's result in a report."""

    report: str
    """The `id` of the report in `reports`."""
    key: str
    """The test: suite, name and parameters."""
    kind: ChangeKind
    """The kind of change. In a baseline, it is never `regressed` or `fixed`."""
    outcome: Outcome | None = None
    """The outcome in the report. Absent if the test was removed."""
    stage: Stage | None = None
    """The stage that the test reached."""
    outcome_before: Outcome | None = None
    """The outcome before. Absent if the test is new."""
    stage_before: Stage | None = None
    """The stage that the test reached before."""


class TallyData(StrictModel):
    """The number of a suite's tests with each outcome, after a report."""

    started: dt.datetime
    """The start time of the report."""
    counts: dict[Outcome, int]
    """The number of tests by outcome."""


class HistoryData(StrictModel):
    """The results of an accelerator over time."""

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the history consists of runs or of baselines."""
    reports: tuple[PointData, ...]
    """The reports, by time."""
    changes: tuple[ChangeData, ...]
    """The changes of tests, in the order of the reports that show them."""
    tallies: dict[str, tuple[TallyData, ...]]
    """The counts of outcomes by suite, after each report that changed them."""


class HistoryIndex(StrictModel):
    """The addresses of all histories. A history is the runs or the baselines of an accelerator."""

    histories: dict[str, str]
    """Address of each history relative to the index, by name such as `xpu-baselines`."""
    tests: dict[str, str]
    """Address of each history's index of tests, relative to this file, by name of the history."""


class ReportMoment(StrictModel):
    """A report of a history, with the fields that a test's chart needs."""

    id: str
    """A digest of the report's outcomes and environment; not its id in the index of reports."""
    started: dt.datetime
    """The start time. For a baseline, the time from which it applies."""
    torch: str | None = None
    """The version of torch."""
    repository: str | None = None
    """The repository that was tested."""
    commit: str | None = None
    """The commit that was tested."""


CourseStep: TypeAlias = tuple[int, Outcome | None, Stage | None]
"""The position of a report in the history's list of reports, and a test's outcome and stage from
this report on. The outcome is None if the test was removed."""

TestCourses: TypeAlias = Mapping[str, tuple[CourseStep, ...]]
"""The outcomes of a test over time, by settings as in its key: `dtype=float32&mode=training`."""


class HistoryShard(StrictModel):
    """The results of some tests over time: one of the files that an index of tests lists."""

    tests: Mapping[str, TestCourses]
    """The changes of each test's outcome, by test (`suite/name`), then by settings
    (`dtype=float32&mode=training`). A change is a list: the report's index in `reports` of the
    index of tests, the outcome from this report on (null if the test was removed), the stage."""


class TestHistoryIndex(StrictModel):
    """The index of an accelerator's test histories: the reports, and which file has which tests."""

    __test__ = False

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the history consists of runs or of baselines."""
    reports: tuple[ReportMoment, ...]
    """The reports, by time. Changes in the files refer to a report by its index, from 0."""
    last: dict[str, int]
    """The index in `reports` of the last report with each group of tests, by group. A group is a
    suite with the settings of a run, written like a test's key: `torchbench?dtype=float32`."""
    tests: int
    """The number of tests, without counting settings."""
    files: tuple[tuple[str, str], ...]
    """The first test in each file, and the address of the file, sorted by test."""

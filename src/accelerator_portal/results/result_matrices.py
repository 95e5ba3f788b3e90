"""Builds tables from test reports: matrices of tests by report, and numbers of tests by outcome.

The functions use plain dicts. At the size of a page, these are several times as fast as a pandas
pivot table.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Annotated, TypeAlias

from pydantic import Field

from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.results.suite_evidence import sample_counts
from accelerator_reports.files.fields import DESCRIBED, StrictModel
from accelerator_reports.outcomes import Outcome, ReportKind
from accelerator_reports.report import TestEntry
from accelerator_reports.suite_names import suite_owner
from accelerator_reports.test_keys import parse_key

# The parameters that `group_of` names first, in this order. Each table has one suite and one mode.
GROUP_PARAMETERS = ("compiler", "dtype", "dynamic", "freezing", "shapes", "recipe")

_NOT_STATED = "not stated"


class Column(StrictModel):
    """A column of a matrix: the tests of one report with the same parameters."""

    report: str
    """Id of the report."""
    accelerator: str
    """Id of the accelerator."""
    kind: ReportKind
    """The kind of the report."""
    group: Annotated[str, Field(serialization_alias="like")]
    """The parameters in words. Only columns with the same parameters can be compared."""
    dtype: str
    """The data type. Empty if it isn't stated."""
    samples: tuple[int, int] | None = None
    """How many samples of operators the tests ran, and how many are known, if the report states
    it."""


@dataclass(frozen=True, slots=True)
class ResultMatrix:
    """The results of a suite in one mode.

    `mode` is the value of the tests' parameter `mode`, such as `training`, or empty. `cells` has a
    row for each of `names` (test names), with a value for each of `columns`: the outcome of the
    test in the column's report, or None without a result.
    """

    suite: str
    mode: str
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[Outcome | None, ...], ...]


@dataclass(frozen=True, slots=True)
class _ColumnBuilder:
    """A column of a matrix while it is filled.

    `tests` has each test by name.
    """

    column: Column
    tests: dict[str, TestEntry] = field(default_factory=dict)


# The columns of one matrix, by group and report.
_ColumnsByGroup: TypeAlias = dict[tuple[str, str], _ColumnBuilder]


def matrices(reports: Iterable[StoredReport], order: Iterable[str]) -> list[ResultMatrix]:
    """Return a matrix for each suite and mode, with tests sorted by name.

    Columns of the same group (see `group_of`) are next to each other. Groups with columns of more
    accelerators come first. In a group, the columns are sorted by the position of their accelerator
    in `order`.
    """
    rank = {accelerator: number for number, accelerator in enumerate(order)}
    return [
        _matrix(suite, mode, table, rank)
        for (suite, mode), table in sorted(_columns_by_matrix(reports).items())
    ]


def outcome_counts(reports: Iterable[StoredReport]) -> dict[tuple[str, str], dict[Outcome, int]]:
    """Return the number of tests with each outcome, by report id and suite."""
    numbers = Counter(
        (stored.id, test.suite, test.outcome) for stored in reports for test in stored.report.tests
    )
    counts: dict[tuple[str, str], dict[Outcome, int]] = {}
    for (report, suite, outcome), number in sorted(numbers.items()):
        counts.setdefault((report, suite), {})[outcome] = number
    return counts


def group_of(test: TestEntry) -> str:
    """Return the parameters of a test without the mode, in words: `inductor, float32`.

    Tests with the same words are in one group, so their results can be compared. A test without a
    data type gets the words `type not stated`, so that it is in another group than tests with one.
    """
    parts = [_parameter_text(name, test) for name in GROUP_PARAMETERS]
    known_parameters = {"mode", *GROUP_PARAMETERS}
    other_parts = [
        f"{name} {value}"
        for name, value in sorted(test.parameters.items())
        if name not in known_parameters
    ]
    return ", ".join(part for part in [*parts, *other_parts] if part)


def _dtype(test: TestEntry) -> str:
    value = test.parameters.get("dtype")
    return "" if value is None else str(value)


def _parameter_text(name: str, test: TestEntry) -> str:
    value = test.parameters.get(name)
    if name == "dtype":
        return _dtype(test) or f"type {_NOT_STATED}"
    if value is None or value is False:
        return ""
    if value is True:
        return name
    return str(value) if name == "compiler" else f"{name} {value}"


def _columns_by_matrix(reports: Iterable[StoredReport]) -> dict[tuple[str, str], _ColumnsByGroup]:
    """Return the columns of each matrix, by suite and mode.

    If a column has two tests with the same name, the first counts.
    """
    tables: dict[tuple[str, str], _ColumnsByGroup] = {}
    for stored in reports:
        # A report of 100,000 tests has a handful of parameters: each is put in words once. The key
        # is their text, as 1 and True are the same key.
        columns_by_parameters: dict[tuple[str, str], _ColumnBuilder] = {}
        for test in stored.report.tests:
            parameters = (test.suite, repr(test.parameters))
            builder = columns_by_parameters.get(parameters)
            if builder is None:
                builder = columns_by_parameters[parameters] = _column_of_test(tables, stored, test)
            builder.tests.setdefault(test.name, test)
    return tables


def _column_of_test(
    tables: dict[tuple[str, str], _ColumnsByGroup], stored: StoredReport, test: TestEntry
) -> _ColumnBuilder:
    """Return the column for a test's suite, mode, report and group (see `group_of`).

    If `tables` does not contain this column, it is created and added.
    """
    table = tables.setdefault((test.suite, str(test.parameters.get("mode", ""))), {})
    report, group = stored.report, group_of(test)
    column = Column.from_objects(report, report=stored.id, group=group, dtype=_dtype(test))
    return table.setdefault((group, stored.id), _ColumnBuilder(column))


def _matrix(suite: str, mode: str, table: _ColumnsByGroup, rank: Mapping[str, int]) -> ResultMatrix:
    builders = _sorted_columns(table, rank)
    names = sorted(
        {name for builder in builders for name in builder.tests},
        key=lambda name: (name.casefold(), name),
    )
    outcomes = ({n: t.outcome for n, t in builder.tests.items()} for builder in builders)
    cells = tuple(zip(*(map(column.get, names) for column in outcomes), strict=True))
    columns = (
        b.column.model_copy(update={"samples": sample_counts(b.tests.values())}) for b in builders
    )
    return ResultMatrix(suite, mode, tuple(columns), tuple(names), cells)


def _sorted_columns(table: _ColumnsByGroup, rank: Mapping[str, int]) -> list[_ColumnBuilder]:
    """Return the columns in the order that `matrices` describes.

    `rank` maps the id of each accelerator to its position.
    """
    accelerators: dict[str, set[str]] = {}
    for builder in table.values():
        accelerators.setdefault(builder.column.group, set()).add(builder.column.accelerator)

    def sort_key(builder: _ColumnBuilder) -> tuple[int, str, int, str]:
        column = builder.column
        accelerator_count = len(accelerators[column.group])
        return (
            -accelerator_count,
            column.group,
            rank.get(column.accelerator, len(rank)),
            column.report,
        )

    return sorted(table.values(), key=sort_key)


def single_platform_suites(reports: Iterable[StoredReport]) -> frozenset[str]:
    """Return the names of vendors' suites that only one platform reports.

    Their results cannot be compared between platforms.
    """
    platforms: dict[str, set[str]] = {}
    for stored in reports:
        for suite in stored.report.suites:
            if suite_owner(suite.name):
                platforms.setdefault(suite.name, set()).add(stored.report.accelerator)
    return frozenset(
        suite for suite, suite_platforms in platforms.items() if len(suite_platforms) == 1
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of a suite's tests with each outcome, after a report."""

    __pydantic_config__ = DESCRIBED

    started: dt.datetime
    """The start time of the report."""
    counts: Mapping[Outcome, int]
    """The number of tests by outcome."""


def tallies(changes: Iterable[OutcomeChange]) -> dict[str, tuple[Tally, ...]]:
    """Return the numbers of tests with each outcome over time, by suite.

    `changes` are all changes of a history. A suite has a tally for each report that changed one of
    its results, oldest first.
    """
    current_outcomes: dict[str, Outcome] = {}
    counts: dict[str, Counter[Outcome]] = {}
    tallies_by_suite: dict[str, list[Tally]] = {}
    ordered = sorted(changes, key=lambda c: (c.started, c.report, c.key))
    for (started, _), report_changes in groupby(ordered, key=lambda c: (c.started, c.report)):
        touched: dict[str, None] = {}
        for change in report_changes:
            suite = parse_key(change.key).suite
            touched[suite] = None
            count = counts.setdefault(suite, Counter())
            outcome_before = current_outcomes.pop(change.key, None)
            if outcome_before:
                count[outcome_before] -= 1
            if change.outcome:
                current_outcomes[change.key] = change.outcome
                count[change.outcome] += 1
        for suite in touched:
            present = {outcome: n for outcome, n in counts[suite].items() if n}
            tallies_by_suite.setdefault(suite, []).append(Tally(started, present))
    return {suite: tuple(points) for suite, points in sorted(tallies_by_suite.items())}

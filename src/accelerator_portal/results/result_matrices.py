"""Builds tables from test reports and from documents that state models.

The functions use plain dicts. At the size of a page, these are several times as fast as a pandas
pivot table.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Annotated, TypeAlias, get_args

from pydantic import Field

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.files.accelerator import Purpose
from accelerator_portal.catalog.files.shared_files import ModelFamily, ModelList, StatedModel
from accelerator_portal.catalog.message import message
from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.stored_reports import StoredReport, sample_counts
from accelerator_reports.files.fields import DESCRIBED, StrictModel
from accelerator_reports.files.sources import Source
from accelerator_reports.outcomes import Outcome, ReportKind
from accelerator_reports.report import TestEntry
from accelerator_reports.suite_names import suite_owner
from accelerator_reports.test_ids import parse_key

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


# Finds the models that a platform supports according to documents, not according to tests.

NO_PURPOSE = "not stated"

# The suite name of stated models: a family's pattern `*/…` matches them, too.
_SUITE = "stated"

# The owner of a Hugging Face repository: "mistralai/Pixtral-12B" is not a model named Mistral.
_OWNER = re.compile(r"(?<![\w./-])[A-Za-z-]+/(?=[\w.-])")
# A cell can name several models: "Llama 2/3", "Qwen1.5 / Qwen2", "BART (large)".
_NAME_SEPARATORS = re.compile(r"[,;:/·()]+")
_WORD_SEPARATORS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """The models that a platform supports according to a document.

    `source` is the document, and `listed` is the list of models from it in the platform's folder.
    `models` are all models of this list. In the result of `statements_of_family`, `models` are only
    the models that belong to the family.
    """

    accelerator: str
    listed: ModelList
    source: Source
    models: tuple[StatedModel, ...]

    @property
    def day(self) -> dt.date:
        """The date of the document, or else the day on which it was read."""
        return self.source.as_of or self.source.read

    @property
    def date_text(self) -> str:
        """The date of the document, or the words `read on 2026-01-31` if it has no date."""
        read = message("read on {day}", day=self.source.read)
        return str(self.source.as_of) if self.source.as_of else read

    @property
    def by_purpose(self) -> Mapping[str, tuple[StatedModel, ...]]:
        """The models by their stated purpose in words, for example `training and inference`.

        The key is `NO_PURPOSE` for models without a purpose.
        """
        models_by_purpose: dict[str, tuple[StatedModel, ...]] = {}
        for model in self.models:
            stated_purposes = model.purpose or self.listed.purpose
            purpose = (
                " and ".join(word for word in get_args(Purpose) if word in stated_purposes)
                or NO_PURPOSE
            )
            models_by_purpose[purpose] = (*models_by_purpose.get(purpose, ()), model)
        return models_by_purpose

    @property
    def words(self) -> str:
        """A text with the publisher and date of the document: `stated by Acme, 2026-01-31`."""
        return message("stated by {by}, {day}", by=self.listed.by, day=self.date_text)


def model_statements(platform: Platform) -> Iterator[Statement]:
    """Yield a statement for each list of models in a platform's folder."""
    if file := platform.stated_models:
        for listed in file.lists:
            source = file.sources[listed.source[0]]
            yield Statement(platform.id, listed, source, listed.models)


def statements_of_family(
    statements: Iterable[Statement], family: ModelFamily
) -> Iterator[Statement]:
    """Yield the statements that name models of a family, each with only these models."""
    for statement in statements:
        models = tuple(
            model
            for model in statement.models
            if any(family.has(_SUITE, name) for name in _model_names(model))
        )
        if models:
            yield Statement(statement.accelerator, statement.listed, statement.source, models)


def _model_names(model: StatedModel) -> Iterator[str]:
    """Yield the names of the models in `model.name`, in the spellings that suites use.

    `Qwen1.5 / Qwen2` contains two names. `Llama 2` has the spellings `Llama 2`, `Llama_2` and
    `Llama2`. Names in `model.examples` are ignored: "LLaVA-NeXT" with the example
    "llava-v1.6-mistral" is not a Mistral model.
    """
    for part in _NAME_SEPARATORS.split(_OWNER.sub("", model.name)):
        if name := part.strip():
            yield from dict.fromkeys(
                (name, _WORD_SEPARATORS.sub("_", name), _WORD_SEPARATORS.sub("", name))
            )

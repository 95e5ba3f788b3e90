"""Reports as tables: one row a test and report, and from it the matrix of a suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import pandas as pd

from accelerator_portal.reports.outcomes import Kind, Outcome
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.reports.store import StoredReport

# What must be equal for cells to be compared, beside suite and mode, which are a table's own.
LIKE = ("compiler", "dtype", "dynamic", "freezing", "shapes", "recipe")

_NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class Column:
    """One report's results for one set of parameters; `group` says them, and is what is alike.

    `dtype` is the type among them; empty where it is not stated.
    """

    report: str
    accelerator: str
    kind: Kind
    group: str
    dtype: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A suite's tests by column, for one mode; a cell is the number of the test in its report.

    `cells` has a row for each of `names`, with a value for each of `columns`; -1: no evidence.
    """

    suite: str
    mode: str
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]


def long_table(reports: Iterable[StoredReport]) -> pd.DataFrame:
    """Return one row per test.

    Its columns: report, accelerator, kind, suite, name, mode, group, outcome, place, dtype.
    `place` is the number of the test in its report.
    """
    rows = [
        (
            stored.id,
            stored.report.accelerator,
            stored.report.kind,
            test.suite,
            test.name,
            str(test.parameters.get("mode", "")),
            group_of(test),
            test.outcome,
            place,
            _dtype(test),
        )
        for stored in reports
        for place, test in enumerate(stored.report.tests)
    ]
    columns = [
        "report",
        "accelerator",
        "kind",
        "suite",
        "name",
        "mode",
        "group",
        "outcome",
        "place",
        "dtype",
    ]
    return pd.DataFrame(rows, columns=columns)


def group_of(test: TestEntry) -> str:
    """Say in words which parameters make tests alike: `inductor, float32`.

    Where the type is not stated, that is said: such cells are not compared with any others.
    """
    parts = [_words(name, test) for name in LIKE]
    known = {"mode", *LIKE}
    more = [
        f"{name} {value}" for name, value in sorted(test.parameters.items()) if name not in known
    ]
    return ", ".join(part for part in [*parts, *more] if part)


def _dtype(test: TestEntry) -> str:
    value = test.parameters.get("dtype")
    return "" if value is None else str(value)


def _words(name: str, test: TestEntry) -> str:
    value = test.parameters.get(name)
    if name == "dtype":
        return _dtype(test) or f"type {_NOT_STATED}"
    if value is None or value is False:
        return ""
    return name if value is True else (str(value) if name == "compiler" else f"{name} {value}")


def matrices(table: pd.DataFrame, order: Iterable[str]) -> list[Matrix]:
    """Return a matrix for each suite and mode; accelerators in `order`, tests by name."""
    place = {accelerator: n for n, accelerator in enumerate(order)}
    found = []
    for (suite, mode), part in table.groupby(["suite", "mode"], sort=True):
        keys = part[["group", "accelerator", "report", "kind", "dtype"]].drop_duplicates()
        keys = keys.assign(
            at=keys["accelerator"].map(place),
            # First what most accelerators share: there is something to compare.
            shared=-keys.groupby("group")["accelerator"].transform("nunique"),
        )
        keys = keys.sort_values(["shared", "group", "at", "report"])
        # A report's group is a column once, whatever it calls its types.
        keys = keys.drop_duplicates(["group", "report"])
        chosen = keys[["report", "accelerator", "kind", "group", "dtype"]]
        columns = tuple(
            Column(str(report), str(accelerator), cast("Kind", kind), str(group), str(dtype))
            for report, accelerator, kind, group, dtype in chosen.itertuples(index=False, name=None)
        )
        pivot = part.pivot_table(
            index="name", columns=["group", "report"], values="place", aggfunc="first"
        )
        wanted = pd.MultiIndex.from_tuples([(c.group, c.report) for c in columns])
        pivot = pivot.reindex(columns=wanted).fillna(-1).astype(int)
        pivot = pivot.loc[sorted(pivot.index, key=lambda name: (str(name).casefold(), str(name)))]
        cells = tuple(tuple(map(int, row)) for row in pivot.to_numpy())
        found.append(Matrix(str(suite), str(mode), columns, tuple(map(str, pivot.index)), cells))
    return found


def counts(table: pd.DataFrame) -> dict[tuple[str, str], dict[Outcome, int]]:
    """Return how often what happened, by report and suite."""
    sizes = table.groupby(["report", "suite", "outcome"], sort=True).size().reset_index(name="n")
    found: dict[tuple[str, str], dict[Outcome, int]] = {}
    for report, suite, outcome, number in sizes.itertuples(index=False, name=None):
        found.setdefault((str(report), str(suite)), {})[cast("Outcome", outcome)] = int(number)
    return found

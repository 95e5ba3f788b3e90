"""Creates the portal's tables of results with pandas, to compare their times and content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pandas as pd

from accelerator_portal.results.result_matrices import Column, ResultMatrix, group_of
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.outcomes import Outcome, ReportKind


def long_table(reports: Iterable[StoredReport]) -> pd.DataFrame:
    """Return one row per test.

    Its columns: report, accelerator, kind, suite, name, mode, group, outcome, dtype.
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
            str(test.parameters.get("dtype", "")),
        )
        for stored in reports
        for test in stored.report.tests
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
        "dtype",
    ]
    return pd.DataFrame(rows, columns=columns)


def pandas_matrices(table: pd.DataFrame, order: Iterable[str]) -> list[ResultMatrix]:
    """Return a matrix for each suite and mode; accelerators in `order`, tests by name."""
    place = {accelerator: n for n, accelerator in enumerate(order)}
    found = []
    for (suite, mode), part in table.groupby(["suite", "mode"], sort=True):
        keys = part[["group", "accelerator", "report", "kind", "dtype"]].drop_duplicates()
        keys = keys.assign(
            at=keys["accelerator"].map(place),
            # The groups that most accelerators share come first, because they can be compared.
            shared=-keys.groupby("group")["accelerator"].transform("nunique"),
        )
        keys = keys.sort_values(["shared", "group", "at", "report"])
        # A group of a report has one column, also if its tests have several data types.
        keys = keys.drop_duplicates(["group", "report"])
        chosen = keys[["report", "accelerator", "kind", "group", "dtype"]]
        columns = tuple(
            Column(str(report), str(accelerator), cast("ReportKind", kind), str(group), str(dtype))
            for report, accelerator, kind, group, dtype in chosen.itertuples(index=False, name=None)
        )
        pivot = part.pivot_table(
            index="name", columns=["group", "report"], values="outcome", aggfunc="first"
        )
        wanted = pd.MultiIndex.from_tuples([(c.group, c.report) for c in columns])
        pivot = pivot.reindex(columns=wanted).astype(object)
        pivot = pivot.loc[sorted(pivot.index, key=lambda name: (str(name).casefold(), str(name)))]
        cells = tuple(map(tuple, pivot.where(pivot.notna(), None).to_numpy()))
        found.append(
            ResultMatrix(str(suite), str(mode), columns, tuple(map(str, pivot.index)), cells)
        )
    return found


def pandas_counts(table: pd.DataFrame) -> dict[tuple[str, str], dict[Outcome, int]]:
    """Return the number of tests by outcome, for each report and suite."""
    sizes = table.groupby(["report", "suite", "outcome"], sort=True).size().reset_index(name="n")
    found: dict[tuple[str, str], dict[Outcome, int]] = {}
    for report, suite, outcome, number in sizes.itertuples(index=False, name=None):
        found.setdefault((str(report), str(suite)), {})[cast("Outcome", outcome)] = int(number)
    return found


def pandas_tallies(changes: pd.DataFrame) -> pd.DataFrame:
    """Return the number of tests with each outcome (columns) after each report (rows), by suite."""
    before = changes.groupby("key")["outcome"].shift()
    suite = changes["key"].str.split("/", n=1).str[0]
    moments = changes[["started", "report"]].assign(suite=suite)
    steps = [moments.assign(outcome=changes["outcome"], n=1), moments.assign(outcome=before, n=-1)]
    by = ["suite", "started", "report", "outcome"]
    sums = pd.concat(steps).dropna(subset=["outcome"]).groupby(by)["n"].sum()
    return sums.unstack(fill_value=0).groupby(level="suite").cumsum()

"""Making a history's state again from the archive, where the state is missing or damaged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.report import Component, Environment, Report, Trigger
from accelerator_portal.results.history import OutcomeAndStage, point_of, replayed
from accelerator_portal.results.partitions.layout import Table, month_of
from accelerator_portal.results.partitions.manifest import ListedReport, Manifest
from accelerator_portal.results.partitions.part_file import read_part
from accelerator_portal.results.standing import Basis, Point, State


class RebuiltState(NamedTuple):
    """A state, and what it lacks."""

    state: State
    from_columns: int
    """Of so many reports only what the archive's columns say of the environment is known."""
    left_out: int
    """So many reports have no results in a whole file."""


def rebuilt_state(
    root: Path, manifest: Manifest, basis: Basis, at_hand: Mapping[str, Report]
) -> RebuiltState:
    """Return the state after all reports of the archive, read month by month.

    `at_hand` has reports by id: their whole environment is kept.
    """
    state = State(manifest.accelerator, basis)
    from_columns = left_out = 0
    ours = [(name, report) for name, report in manifest.reports.items() if report.basis == basis]
    ours.sort(key=_when)
    for month, reports in groupby(ours, key=lambda item: month_of(item[1].started)):
        results = dict(_rows(root, manifest, basis, "results", month))
        changes = dict(_rows(root, manifest, basis, "changes", month))
        for name, listed in reports:
            at = _point(name, listed, at_hand.get(name), results.get(name, []))
            if at is None:
                left_out += 1
                continue
            from_columns += name not in at_hand
            said = {row["key"]: _outcome(row) for row in results.get(name, [])}
            gone = [row["key"] for row in changes.get(name, []) if row["change"] == "gone"]
            state = replayed(state, at, said, gone)
    return RebuiltState(state, from_columns, left_out)


def _when(item: tuple[str, ListedReport]) -> tuple[dt.datetime, str]:
    name, listed = item
    return listed.started, name


def _rows(
    root: Path, manifest: Manifest, basis: Basis, table: Table, month: str
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the rows of each report in a month, of the files that are whole."""
    rows: list[dict[str, Any]] = []
    for file in manifest.files_of(basis, table):
        if file.partition.month == month:
            try:
                rows += read_part(root, file).to_pylist()
            except ProblemsError:
                continue
    rows.sort(key=lambda row: str(row["report"]))
    for name, of_report in groupby(rows, key=lambda row: str(row["report"])):
        yield name, list(of_report)


def _point(
    name: str, listed: ListedReport, report: Report | None, rows: list[dict[str, Any]]
) -> Point | None:
    if not rows:
        return None
    if report is not None:
        return point_of(report)
    row = rows[0]
    trigger = Trigger(kind=row["trigger"], commit=row["commit"])
    return Point(name, listed.started, row["kind"], trigger, _environment(row))


def _environment(row: Mapping[str, Any]) -> Environment:
    """Return what the columns say of the environment."""
    plain = ("torch", "torch_commit", "driver", "os", "arch", "python", "hardware")
    plugin = None
    if row["plugin"] is not None:
        plugin = Component(
            name=row["plugin"], version=row["plugin_version"], commit=row["plugin_commit"]
        )
    return Environment(plugin=plugin, **{column: row[column] for column in plain})


def _outcome(row: Mapping[str, Any]) -> OutcomeAndStage:
    return row["outcome"], row["stage"]

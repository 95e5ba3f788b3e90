"""Rebuilds a missing or damaged manifest or state from the archive's files."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.report import Component, Environment, Report, Trigger
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.history import OutcomeAndStage, point_of, replayed
from accelerator_portal.results.partitions.compaction import partitions_of
from accelerator_portal.results.partitions.manifest import (
    BASES,
    HISTORY,
    ListedFile,
    ListedReport,
    Manifest,
    Table,
    file_name,
    files_below,
    month_of,
    partition_of,
)
from accelerator_portal.results.partitions.writing import listed_file, read_part, read_whole
from accelerator_portal.results.standing import Basis, Point, Standing, State, basis_of

if TYPE_CHECKING:
    import pyarrow as pa


class FoundFile(NamedTuple):
    """An undamaged file as a manifest lists it, and its number of rows by report."""

    listed: ListedFile
    rows_by_report: Counter[str]


class Rebuilt(NamedTuple):
    """A manifest of all undamaged files, and the damaged files relative to `data/history`."""

    manifest: Manifest
    damaged: tuple[str, ...]


def rebuilt_manifest(root: Path, accelerator: str) -> Rebuilt:
    """Return a manifest of all undamaged files.

    A file's name contains part of its SHA-256, so damage is detected without the manifest. If
    an interrupted merge left the merged file and its parts, the rows count once. Reports are
    those of the states. A file with any other report is from an interrupted fold and is left
    out. Raises ProblemsError if a state cannot be read.
    """
    points: dict[str, Point] = {}
    for basis in BASES:
        points.update(read_state_of(root, accelerator, basis).reports)
    names = [path.relative_to(root / HISTORY).as_posix() for path in files_below(root, accelerator)]
    found = {name: listed_from_file(root, name) for name in names}
    ours = [f for f in found.values() if f and f.rows_by_report.keys() <= points.keys()]
    files = list(_without_parts_of_merged(ours))
    results = _rows(files, "results")
    changes = _rows(files, "changes")
    reports = {
        point.id: ListedReport(
            basis=basis_of(point),
            started=point.started,
            results=results.get(point.id),
            changes=changes[point.id],
        )
        for point in sorted(points.values(), key=lambda point: (point.started, point.id))
    }
    empty = Manifest(accelerator=accelerator)
    manifest = empty.with_files((file.listed for file in files), reports=reports)
    return Rebuilt(manifest, tuple(name for name in names if found[name] is None))


def listed_from_file(root: Path, name: str) -> FoundFile | None:
    """Return the manifest's entry for a file; None if the file is damaged.

    `name` is its path relative to `data/history`.
    """
    place, path = partition_of(name), root / HISTORY / name
    if place is None:
        return None
    data = path.read_bytes()
    if not name.endswith(file_name("", hashlib.sha256(data).hexdigest())):
        return None
    try:
        table = read_whole(path, place.table)
    except ProblemsError:
        return None
    return FoundFile(listed_file(name, data, table), Counter(table["report"].to_pylist()))


def _without_parts_of_merged(files: Iterable[FoundFile]) -> Iterator[FoundFile]:
    """Yield the files, without those whose reports are all in larger files of the partition."""
    found = {file.listed.path: file for file in files}
    for together in partitions_of(file.listed for file in found.values()).values():
        together.sort(key=lambda file: (-file.rows, file.path))
        kept: Counter[str] = Counter()
        for listed in together:
            rows = found[listed.path].rows_by_report
            if not all(kept[report] for report in rows):
                kept.update(rows)
                yield found[listed.path]


def _rows(files: list[FoundFile], table: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for file in files:
        if file.listed.partition.table == table:
            total.update(file.rows_by_report)
    return total


class RebuiltState(NamedTuple):
    """A rebuilt state, and how many reports are incomplete in it."""

    state: State
    from_columns: int
    """The number of reports of which only the environment in the archive's columns is known."""
    left_out: int
    """The number of reports without results in an undamaged file."""


def rebuilt_state(
    root: Path, manifest: Manifest, basis: Basis, at_hand: Mapping[str, Report]
) -> RebuiltState:
    """Return the state after all reports of the archive, read month by month.

    `at_hand` are reports by id, whose complete environment is used.
    """
    state = State(manifest.accelerator, basis)
    from_columns = left_out = 0
    ours = [(name, report) for name, report in manifest.reports.items() if report.basis == basis]
    ours.sort(key=_when)
    for month, reports in groupby(ours, key=lambda item: month_of(item[1].started)):
        results = _results(_whole_files(root, manifest, basis, "results", month))
        gone = _gone(_whole_files(root, manifest, basis, "changes", month))
        for name, listed in reports:
            found = results.get(name)
            if found is None:
                left_out += 1
                continue
            from_columns += name not in at_hand
            report = at_hand.get(name)
            at = point_of(report) if report else _point(name, listed, found.row)
            state = replayed(state, at, found.said, gone.get(name, ()))
    return RebuiltState(state, from_columns, left_out)


def differing_tests(kept: State, again: State) -> list[str]:
    """Return the keys of tests whose stored state differs from the archive.

    `again` is the state rebuilt from the archive. Differences that a rebuild can cause are
    ignored: more verdicts, and reports that differ only in packages counting as the same code.
    """
    ours, theirs = dict(kept.tests()), dict(again.tests())
    return [key for key in sorted(ours | theirs) if not _same(ours.get(key), theirs.get(key))]


def _same(kept: Standing | None, again: Standing | None) -> bool:
    if kept is None or again is None:
        return False
    verdicts = [one.recent.replace("=", "") for one in (kept, again)]
    return _facts(kept) == _facts(again) and verdicts[1].endswith(verdicts[0])


def _facts(standing: Standing) -> list[object]:
    """Return all fields except the verdicts; reports are replaced by their ids."""
    plain = standing._replace(recent="")
    return [one.id if isinstance(one, Point) else one for one in plain]


def _when(item: tuple[str, ListedReport]) -> tuple[dt.datetime, str]:
    name, listed = item
    return listed.started, name


class _ReportResults(NamedTuple):
    """A report's outcomes by test key, and one of its rows, which has the environment."""

    row: Mapping[str, Any]
    said: dict[str, OutcomeAndStage]


def _results(tables: Iterable[pa.Table]) -> dict[str, _ReportResults]:
    found: dict[str, _ReportResults] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "outcome", "stage"))
        for number, (report, key, outcome, stage) in enumerate(zip(*columns, strict=True)):
            if report not in found:
                found[report] = _ReportResults(table.slice(number, 1).to_pylist()[0], {})
            found[report].said[key] = (outcome, stage)
    return found


def _gone(tables: Iterable[pa.Table]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "change"))
        for report, key, change in zip(*columns, strict=True):
            if change == "gone":
                found.setdefault(report, []).append(key)
    return found


def _whole_files(
    root: Path, manifest: Manifest, basis: Basis, table: Table, month: str
) -> Iterator[pa.Table]:
    for file in manifest.files_of(basis, table):
        if file.partition.month == month:
            try:
                yield read_part(root, file)
            except ProblemsError:
                continue


def _point(name: str, listed: ListedReport, row: Mapping[str, Any]) -> Point:
    trigger = Trigger(kind=row["trigger"], commit=row["commit"])
    return Point(name, listed.started, row["kind"], trigger, _environment(row))


def _environment(row: Mapping[str, Any]) -> Environment:
    """Return the environment in the columns of a row."""
    plain = ("torch", "torch_commit", "driver", "os", "arch", "python", "hardware")
    plugin = None
    if row["plugin"] is not None:
        plugin = Component(
            name=row["plugin"], version=row["plugin_version"], commit=row["plugin_commit"]
        )
    return Environment(plugin=plugin, **{column: row[column] for column in plain})

"""Making a manifest again from the files themselves, where it is missing or damaged."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.partitions.compaction import partitions_of
from accelerator_portal.results.partitions.layout import BASES, HISTORY, file_name, partition_of
from accelerator_portal.results.partitions.manifest import (
    ListedFile,
    ListedReport,
    Manifest,
    files_below,
)
from accelerator_portal.results.partitions.part_file import listed_file, read_whole
from accelerator_portal.results.standing import Point, basis_of


class FoundFile(NamedTuple):
    """A whole file, as a manifest lists it, and how many rows of each report it has."""

    listed: ListedFile
    rows_by_report: Counter[str]


class Rebuilt(NamedTuple):
    """A manifest of all whole files, and the files that are damaged, below `data/history`."""

    manifest: Manifest
    damaged: tuple[str, ...]


def rebuilt_manifest(root: Path, accelerator: str) -> Rebuilt:
    """Return the manifest of all whole files.

    A file's name has a part of its SHA-256, so that damage is seen without the manifest. Where an
    interrupted merge left both the merged file and its parts, the rows count once. Reports are
    those of the states; a file that has another one is of an interrupted fold, and is left out.

    Raises ProblemsError where a state cannot be read.
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
    """Return what a manifest says of a file, `name` below `data/history`; None if it is damaged."""
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
    """Leave out a file whose reports all have as many rows in a larger one of its partition."""
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

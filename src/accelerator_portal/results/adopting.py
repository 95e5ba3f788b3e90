"""Taking over histories that were kept before there were partitions: one file of all changes.

Of their reports only the changes are known. The files become those of partitions, and the first
report that is folded later does not notice a difference.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.reports.reading import read_bytes, refuse
from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.partitions.columns import change_tables
from accelerator_portal.results.partitions.layout import (
    HISTORY,
    MONTH_FILE_STEM,
    Partition,
    month_of,
)
from accelerator_portal.results.partitions.manifest import (
    ListedFile,
    ListedReport,
    Manifest,
    write_manifest,
)
from accelerator_portal.results.partitions.part_file import write_part
from accelerator_portal.results.standing import Basis
from accelerator_portal.results.state_file import read_state

if TYPE_CHECKING:
    import pyarrow as pa


def earlier_changes(root: Path, accelerator: str, basis: Basis) -> tuple[OutcomeChange, ...]:
    """Return the changes in the one file of earlier days, if there is one. Raises ProblemsError."""
    path = _earlier_path(root, accelerator, basis)
    if not path.exists():
        return ()
    try:
        return read_changes(path)
    except ProblemsError as error:
        where = path.relative_to(root).as_posix()
        raise ProblemsError([replace(p, path=where) for p in error.problems]) from None


def migrate_history(root: Path, manifest: Manifest, basis: Basis) -> Manifest:
    """Move what is in the one file of earlier days to partitions, and return their manifest.

    The one file is deleted last, so that an interruption is repeated.

    Raises ProblemsError, OSError.
    """
    path = _earlier_path(root, manifest.accelerator, basis)
    if not path.exists():
        return manifest
    changes = earlier_changes(root, manifest.accelerator, basis)
    counts = Counter(change.report for change in changes)
    known = read_state(path.with_suffix(".json")).reports.values()
    reports = {
        p.id: ListedReport(basis=basis, started=p.started, results=None, changes=counts[p.id])
        for p in sorted(known, key=lambda point: (point.started, point.id))
    }
    files = list(_partitioned(root, manifest.accelerator, basis, changes))
    after = manifest.with_files(files, reports={**reports, **manifest.reports})
    write_manifest(root, after)
    path.unlink()
    return after


def _partitioned(
    root: Path, accelerator: str, basis: Basis, changes: Iterable[OutcomeChange]
) -> Iterable[ListedFile]:
    by_month: dict[str, list[OutcomeChange]] = {}
    for change in changes:
        by_month.setdefault(month_of(change.started), []).append(change)
    for month, some in by_month.items():
        for suite, table in change_tables(some).items():
            place = Partition(basis, "changes", accelerator, suite, month)
            yield write_part(root, place, MONTH_FILE_STEM, table)


def _earlier_path(root: Path, accelerator: str, basis: Basis) -> Path:
    return root / HISTORY / accelerator / f"{basis}.parquet"


def changes_table(changes: Iterable[OutcomeChange]) -> pa.Table:
    """Return changes as a table, with the columns that `OutcomeChange` names."""
    import pyarrow as pa

    columns = list(zip(*changes, strict=True)) or [()] * len(OutcomeChange._fields)
    return _sorted(pa.table(list(map(list, columns)), schema=_schema()))


def append_changes(path: Path, changes: Iterable[OutcomeChange]) -> None:
    """Add changes to a file, which is made where there is none; write beside and rename.

    What the file already has of the same reports is replaced: whoever writes the changes first and
    the state after them can be interrupted in between, and fold the report again.

    Raises ProblemsError where the file is no table of changes, OSError where it cannot be written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = changes_table(changes)
    if path.exists():
        known = read_changes_table(path)
        folded_again = pc.is_in(known["report"], value_set=table["report"].combine_chunks())
        table = _sorted(pa.concat_tables([known.filter(pc.invert(folded_again)), table]))
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_bytes_atomically(path, buffer.getvalue().to_pybytes())


def read_changes(path: Path) -> tuple[OutcomeChange, ...]:
    """Read a file of changes.

    Raises ProblemsError.
    """
    columns = (column.to_pylist() for column in read_changes_table(path).columns)
    return tuple(
        OutcomeChange(
            cast("dt.datetime", started).astimezone(dt.timezone.utc), *cast("Any", others)
        )
        for started, *others in zip(*columns, strict=True)
    )


def read_changes_table(path: Path) -> pa.Table:
    """Read a file of changes as a table, which roll-ups over many reports start from.

    Raises ProblemsError.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(pa.BufferReader(read_bytes(path))).read()
    except (pa.ArrowException, OSError):
        table = None
    if table is None or not table.schema.equals(_schema(), check_metadata=False):
        what = "not a valid table of changes"
        raise refuse(path, 1, what, "rebuild the history from all reports")
    return table.replace_schema_metadata(None)  # who wrote it before is no part of a table


def _schema() -> pa.Schema:
    import pyarrow as pa

    texts = OutcomeChange._fields[1:]
    moment = ("started", pa.timestamp("us", tz="UTC"))
    return pa.schema([moment, *((name, pa.large_string()) for name in texts)])


def _sorted(table: pa.Table) -> pa.Table:
    return table.sort_by([(name, "ascending") for name in ("started", "report", "key")])

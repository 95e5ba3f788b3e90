"""Writes reports to the archive's Parquet files, deletes reports, and reads the files."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.history_state import Basis, HistoryPoint, basis_of
from accelerator_portal.results.partitions.columns import (
    SORTED_BY,
    arrow_schema,
    change_tables,
    result_tables,
)
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    ListedFile,
    ListedReport,
    Manifest,
    Partition,
    Table,
    manifest_path,
    month_of,
    parquet_file_name,
    read_manifest,
    report_file_stem,
    table_folders,
    unlisted_files,
    write_manifest,
)
from accelerator_reports.file_reading import file_error, read_bytes
from accelerator_reports.files.atomic_write import remove_leftovers, write_bytes_atomically
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.report import Report

if TYPE_CHECKING:
    import pyarrow as pa


ROWS_PER_GROUP = 16_384
"""The maximum number of rows in a Parquet row group. A reader of one test loads one group, about
100 kB."""

_REMEDY = "restore it from the repository's history"


def add_report(
    root: Path,
    manifest: Manifest,
    report: Report,
    point: HistoryPoint,
    changes: Iterable[OutcomeChange],
) -> Manifest:
    """Write the results and changes of a report to the archive, and return the updated manifest.

    `point` has the facts about the report that a history stores, and `changes` are the changes of
    its tests. If the manifest already lists the report, nothing is written. Existing Parquet files
    of other reports are neither read nor replaced. The files are written before the manifest lists
    them.

    Raises OSError if writing fails.
    """
    if point.id in manifest.reports:
        return manifest
    if not manifest_path(root, manifest.accelerator).exists():
        write_manifest(root, manifest)  # files without any manifest are damage, not an interruption
    tables: Mapping[Table, Mapping[str, pa.Table]] = {
        "results": result_tables(report, point.id, point.started),
        "changes": change_tables(changes),
    }
    basis, month = basis_of(report), month_of(point.started)
    stem = report_file_stem(point.started, point.id)
    files = [
        write_parquet_file(
            root, Partition(basis, table, manifest.accelerator, suite, month), stem, rows
        )
        for table, by_suite in tables.items()
        for suite, rows in by_suite.items()
    ]
    result_count, change_count = (
        sum(rows.num_rows for rows in by_suite.values()) for by_suite in tables.values()
    )
    listed_report = ListedReport(
        basis=basis, started=point.started, results=result_count, changes=change_count
    )
    new_manifest = manifest.with_files(files, reports={point.id: listed_report})
    write_manifest(root, new_manifest)
    return new_manifest


def delete_reports(root: Path, manifest: Manifest, basis: Basis) -> Manifest:
    """Delete the archived runs or baselines, and return the new manifest.

    The new manifest is written before the files are deleted. The caller must hold the manifest's
    lock. Raises OSError if the manifest cannot be written or a file cannot be deleted.
    """
    removed_paths = [file.path for file in manifest.files if file.partition.basis == basis]
    kept_reports = {name: r for name, r in manifest.reports.items() if r.basis != basis}
    new_manifest = manifest.with_files((), without=removed_paths)
    new_manifest = new_manifest.model_copy(update={"reports": kept_reports})
    write_manifest(root, new_manifest)
    delete_unlisted_files(root, new_manifest)
    return new_manifest


def delete_unlisted_files(root: Path, manifest: Manifest) -> None:
    """Delete the accelerator's files that its manifest does not list, and unfinished files.

    The caller must hold the manifest's lock. Raises OSError if a file cannot be deleted.
    """
    for path in unlisted_files(root, manifest):
        path.unlink()
    state_folder = manifest_path(root, manifest.accelerator).parent
    for folder in (state_folder, *table_folders(root, manifest.accelerator)):
        remove_leftovers(folder, utc_now(), age=dt.timedelta())


@contextmanager
def locked_manifest(root: Path, accelerator: str) -> Iterator[Manifest]:
    """Lock the history of an accelerator for writing, and yield its manifest.

    First deletes the files that an interrupted command left. Raises ProblemsError if another
    command holds the lock or the manifest is damaged, OSError if a file cannot be written or
    deleted.
    """
    with history_lock(root, accelerator):
        manifest = read_manifest(root, accelerator)
        delete_unlisted_files(root, manifest)
        yield manifest


@contextmanager
def history_lock(root: Path, accelerator: str) -> Iterator[None]:
    """Lock the history of an accelerator for writing.

    Raises ProblemsError if another command holds the lock, OSError if the lock cannot be
    created.
    """
    lock_path = root / HISTORY / accelerator / "history.lock"
    lock_path.parent.mkdir(parents=True, exist_ok=True)
    file_lock = FileLock(lock_path, timeout=0)
    try:
        file_lock.acquire()
    except Timeout:
        what = f'another command is writing the history of "{accelerator}"'
        remedy = "wait until it finishes, then run this command again"
        raise ProblemsError([Problem(f"{HISTORY}/{accelerator}", 1, what, remedy)]) from None
    try:
        yield
    finally:
        lock_path.unlink(missing_ok=True)  # before the release: another one may hold it right after
        file_lock.release()


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the content of a Parquet file with a table. The same table gives the same bytes.

    The rows must be sorted by `SORTED_BY`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
        sorting_columns=[pq.SortingColumn(table.column_names.index(name)) for name in SORTED_BY],
        write_page_index=True,
        store_schema=False,  # half of a small file; the types are those of Parquet
    )
    return bytes(buffer.getvalue())


def write_parquet_file(root: Path, partition: Partition, stem: str, table: pa.Table) -> ListedFile:
    """Write a table to a new file of a partition, and return the file's manifest entry.

    `stem` is the first part of the file's name. Raises OSError if writing fails.
    """
    import pyarrow.compute as pc

    data = parquet_bytes(table)
    digest = hashlib.sha256(data).hexdigest()
    path = f"{partition.folder}/{parquet_file_name(stem, digest)}"
    write_bytes_atomically(root / HISTORY / path, data)
    times = pc.min_max(table["started"]).as_py()
    return ListedFile(
        path=path,
        rows=table.num_rows,
        bytes=len(data),
        sha256=digest,
        first=times["min"],
        last=times["max"],
    )


def read_listed_file(
    root: Path, file: ListedFile, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the table in a file that a manifest lists.

    If `columns` is given, only these columns are read. Raises ProblemsError if the file is missing
    or differs from its manifest entry.
    """
    path = root / HISTORY / file.path
    damage = file_damage(path, file)
    if damage:
        raise ProblemsError([Problem(f"{HISTORY}/{file.path}", 1, damage, _REMEDY)])
    return read_parquet(path, file.partition.table, columns)


def read_listed_files(
    root: Path, files: Iterable[ListedFile], columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the rows of several files of one partition as one table.

    With `columns`, only these columns are read. Raises ProblemsError if a file is missing or
    damaged.
    """
    import pyarrow as pa

    return pa.concat_tables([read_listed_file(root, file, columns) for file in files])


def file_damage(path: Path, file: ListedFile) -> str | None:
    """Return how the file at `path` differs from its manifest entry `file`; None if they agree.

    Raises ProblemsError if the file cannot be read.
    """
    if not path.is_file():
        return "file not found"
    size = path.stat().st_size
    if size != file.bytes:
        return f"the file has {size:,} bytes, the manifest lists {file.bytes:,}"
    if hashlib.sha256(read_bytes(path)).hexdigest() != file.sha256:
        return "the file was changed; its SHA-256 checksum differs from the manifest"
    return None


def read_parquet(path: Path, table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the table in a Parquet file, without comparing the file with a manifest.

    `table` is the kind of table that the file must have. If `columns` is given, only these columns
    are read. Raises ProblemsError if the file is damaged, or is not a table of this kind.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(table)
    try:
        file = pq.ParquetFile(pa.BufferReader(read_bytes(path)))
        stored_table = file.read(columns).replace_schema_metadata(None)
    except (pa.ArrowException, OSError):
        raise file_error(path, 1, "the file is damaged", _REMEDY) from None
    expected = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    if not stored_table.schema.equals(expected):
        raise file_error(path, 1, f"this is not a valid table of {table}", _REMEDY)
    return stored_table

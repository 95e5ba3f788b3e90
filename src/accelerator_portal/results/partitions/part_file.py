"""One file of the archive: its bytes from a table, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.reports.reading import read_bytes, refuse
from accelerator_portal.results.partitions.columns import SORTED_BY, arrow_schema
from accelerator_portal.results.partitions.layout import HISTORY, Partition, Table, file_name
from accelerator_portal.results.partitions.manifest import ListedFile

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_GROUP = 16_384
"""A reader of one test fetches one of these groups, 100 kB or so."""

_REMEDY = "restore it from the repository's history, or run: accelerator-portal history repair"


def part_bytes(table: pa.Table) -> bytes:
    """Return a table as a Parquet file; the same rows give the same bytes."""
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


def write_part(root: Path, place: Partition, stem: str, table: pa.Table) -> ListedFile:
    """Write a file into a partition and return what a manifest says of it.

    Raises OSError.
    """
    data = part_bytes(table)
    digest = hashlib.sha256(data).hexdigest()
    path = f"{place.folder}/{file_name(stem, digest)}"
    write_bytes_atomically(root / HISTORY / path, data)
    return listed_file(path, data, table)


def listed_file(path: str, data: bytes, table: pa.Table) -> ListedFile:
    """Return what a manifest says of a file with these bytes, which hold this table."""
    import pyarrow.compute as pc

    times = pc.min_max(table["started"]).as_py()
    return ListedFile(
        path=path,
        rows=table.num_rows,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        first=times["min"],
        last=times["max"],
    )


def read_part(root: Path, file: ListedFile, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file that a manifest lists, or some of its columns.

    Raises ProblemsError where it is missing or is not, byte by byte, what was written.
    """
    where = root / HISTORY / file.path
    damage = damage_of(where, file)
    if damage:
        raise ProblemsError([Problem(f"{HISTORY}/{file.path}", 1, damage, _REMEDY)])
    return read_whole(where, file.partition.table, columns)


def damage_of(where: Path, file: ListedFile) -> str | None:
    """Say how a file differs from what a manifest lists; None where it does not.

    Raises ProblemsError where it cannot be read.
    """
    if not where.is_file():
        return "file not found"
    size = where.stat().st_size
    if size != file.bytes:
        return f"the file has {size:,} bytes, the manifest lists {file.bytes:,}"
    if hashlib.sha256(read_bytes(where)).hexdigest() != file.sha256:
        return "the file was changed; its SHA-256 checksum differs from the manifest"
    return None


def read_whole(where: Path, table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file by itself.

    Raises ProblemsError where it is damaged, or is another table.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(table)
    try:
        file = pq.ParquetFile(pa.BufferReader(read_bytes(where)))
        found = file.read(columns).replace_schema_metadata(None)
    except (pa.ArrowException, OSError):
        raise refuse(where, 1, "the file is damaged", _REMEDY) from None
    expected = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    if not found.schema.equals(expected):
        raise refuse(where, 1, f"this is not a valid table of {table}", _REMEDY)
    return found

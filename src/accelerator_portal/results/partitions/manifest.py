"""Reads and writes the manifest that lists an accelerator's files and reports in the archive.

The module also defines where the archive's files are. The folders are named as Hive names them, so
that every engine reads them, with percent-encoded values:

    data/history/runs/results/accelerator=cpu/suite=op-db/month=2026-11/….parquet

The first folder is `runs` or `baselines`, and the second is `results` or `changes`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, cast, get_args
from urllib.parse import quote, unquote

from pydantic import Field, NonNegativeInt, ValidationError

from accelerator_portal.catalog.catalog import HISTORY as HISTORY  # noqa: PLC0414 - part of the layout, too
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.json_text import json_text
from accelerator_portal.results.history_state import Basis
from accelerator_reports.file_reading import read_bytes
from accelerator_reports.files.atomic_write import write_text_atomically
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.problem import Problem, ProblemsError, first_error_text
from accelerator_reports.report import Moment, Slug

SCHEMA_VERSION: Literal[1] = 1

Table = Literal["results", "changes"]
"""A kind of table in the archive. `results` has the outcome of each test in each report, and
`changes` has a row for each `OutcomeChange`."""

TABLES: tuple[Table, ...] = get_args(Table)
BASES: tuple[Basis, ...] = get_args(Basis)

MONTH_FILE_STEM = "month"
"""The first part of the name of a file with the rows of several reports: `month-….parquet`."""

_FOLDER_PATTERN = re.compile(
    rf"({'|'.join(BASES)})/({'|'.join(TABLES)})"
    r"/accelerator=([^/=]+)/suite=([^/=]+)/month=(\d{4}-\d{2})"
)

_RESTORE_REMEDY = "restore it from the repository's history"


class Partition(NamedTuple):
    """The archive's files for one basis, table, accelerator, suite and month (in UTC).

    `basis` is `runs` or `baselines`. `table` is `results` or `changes`.
    """

    basis: Basis
    table: Table
    accelerator: str
    suite: str
    month: str

    @property
    def folder(self) -> str:
        """The folder, relative to `data/history`."""
        accelerator, suite = quote(self.accelerator, ""), quote(self.suite, "")
        return (
            f"{self.basis}/{self.table}/accelerator={accelerator}/suite={suite}/month={self.month}"
        )


def partition_of(path: str) -> Partition | None:
    """Return the partition that contains a file; None if the file is in no partition's folder.

    `path` is the file's path relative to `data/history`.
    """
    match = _FOLDER_PATTERN.fullmatch(path.rpartition("/")[0])
    if match is None:
        return None
    basis, table, accelerator, suite, month = match.groups()
    return Partition(
        cast("Basis", basis), cast("Table", table), unquote(accelerator), unquote(suite), month
    )


class ListedFile(StrictModel):
    """A Parquet file of the archive, with the times of its first and its last report."""

    path: str
    """Path of the file, relative to `data/history`."""
    rows: Annotated[int, Field(gt=0)]
    """The number of rows."""
    bytes: NonNegativeInt
    """The size of the file in bytes."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The SHA-256 of the file."""
    first: Moment
    """The start time of the oldest report in the file."""
    last: Moment
    """The start time of the newest report in the file."""

    @property
    def partition(self) -> Partition:
        """The file's partition. Raises ValueError if the file is not in a partition's folder."""
        file_partition = partition_of(self.path)
        if file_partition is None:
            raise ValueError(self.path)
        return file_partition


class ListedReport(StrictModel):
    """A report in the archive, with its numbers of results and changes."""

    basis: Basis
    """Whether the report is a run or a baseline."""
    started: Moment
    """The start time of the report."""
    results: NonNegativeInt
    """The number of the report's results in the archive."""
    changes: NonNegativeInt
    """The number of the report's changes in the archive."""


class Manifest(StrictModel):
    """Every file and every report of one accelerator's archive."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """The version of this format."""
    accelerator: Slug
    """ID of the accelerator."""
    reports: Mapping[str, ListedReport] = Field(default_factory=dict)
    """The archived reports, by ID."""
    files: tuple[ListedFile, ...] = ()
    """The archived files, sorted by path."""

    def files_of(self, basis: Basis, table: Table) -> tuple[ListedFile, ...]:
        """Return the files of one table (results or changes) of runs or of baselines."""
        return tuple(file for file in self.files if file.partition[:2] == (basis, table))

    def with_files(
        self,
        files: Iterable[ListedFile],
        *,
        without: Iterable[str] = (),
        reports: Mapping[str, ListedReport] | None = None,
    ) -> Manifest:
        """Return a manifest with additional files and reports (by ID).

        A new file replaces a file with the same path. A new report replaces a report with the same
        ID. `without` has the paths of files to remove.
        """
        dropped = set(without)
        by_path = {file.path: file for file in self.files if file.path not in dropped}
        by_path.update((file.path, file) for file in files)
        return self.model_copy(
            update={
                "files": tuple(by_path[path] for path in sorted(by_path)),
                "reports": {**self.reports, **(reports or {})},
            }
        )


def manifest_path(root: Path, accelerator: str) -> Path:
    """Return the path of an accelerator's manifest; `root` is the folder of the repository."""
    return root / HISTORY / accelerator / "manifest.json"


def read_manifest(root: Path, accelerator: str) -> Manifest:
    """Return the manifest of an accelerator; an empty manifest if nothing is archived.

    Raises ProblemsError if the manifest is damaged or belongs to another accelerator, or if it is
    missing although the archive has files of the accelerator.
    """
    path = manifest_path(root, accelerator)
    relative_path = path.relative_to(root).as_posix()
    if not path.exists():
        if any(parquet_files(root, accelerator)):
            raise ProblemsError([Problem(relative_path, 1, "manifest not found", _RESTORE_REMEDY)])
        return Manifest(accelerator=accelerator)
    try:
        manifest = Manifest.model_validate_json(read_bytes(path))
    except ValidationError as error:
        what = f"invalid manifest ({first_error_text(error)})"
        raise ProblemsError([Problem(relative_path, 1, what, _RESTORE_REMEDY)]) from None
    partitions = [partition_of(file.path) for file in manifest.files]
    accelerators = {
        manifest.accelerator,
        *(partition.accelerator if partition else "" for partition in partitions),
    }
    if accelerators != {accelerator}:
        what = f'the manifest does not belong to "{accelerator}"'
        raise ProblemsError([Problem(relative_path, 1, what, _RESTORE_REMEDY)])
    return manifest


def write_manifest(root: Path, manifest: Manifest) -> None:
    """Write a manifest, with one file or report per line. Raises OSError if writing fails."""
    write_text_atomically(manifest_path(root, manifest.accelerator), manifest_text(manifest))


def manifest_text(manifest: Manifest) -> str:
    """Return a manifest as JSON."""
    return json_text(manifest.model_dump(mode="json"), depth=2) + "\n"


def parquet_files(root: Path, accelerator: str) -> Iterator[Path]:
    """Yield every Parquet file of an accelerator, even if the manifest does not list it."""
    for folder in table_folders(root, accelerator):
        yield from sorted(folder.rglob("*.parquet"))


def unlisted_files(root: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield the accelerator's Parquet files that its manifest does not list.

    An interrupted command left them: a file is written before it is listed, and deleted after it is
    no longer listed.
    """
    listed_paths = {root / HISTORY / file.path for file in manifest.files}
    for path in parquet_files(root, manifest.accelerator):
        if path not in listed_paths:
            yield path


def files_by_partition(files: Iterable[ListedFile]) -> Mapping[Partition, list[ListedFile]]:
    """Return the files grouped by partition. The partitions are sorted."""
    return dict(sorted(grouped((file.partition, file) for file in files).items()))


def table_folder(root: Path, basis: Basis, table: Table, accelerator: str) -> Path:
    """Return the folder with all partitions of an accelerator's table."""
    return root / HISTORY / basis / table / f"accelerator={quote(accelerator, '')}"


def table_folders(root: Path, accelerator: str) -> Iterator[Path]:
    """Yield the folders of all tables of an accelerator."""
    for basis in BASES:
        for table in TABLES:
            yield table_folder(root, basis, table, accelerator)


def archived_accelerators(root: Path) -> list[str]:
    """Return the accelerators that have a manifest, a state or a folder in the archive, sorted."""
    history = root / HISTORY
    with_state_file = {
        path.parent.name
        for name in ("manifest.json", "runs.json", "baselines.json")
        for path in history.glob(f"*/{name}")
    }
    with_partitions = {
        unquote(path.name.partition("=")[2])
        for path in history.glob("*/*/accelerator=*")
        if path.is_dir()
    }
    return sorted(with_state_file | with_partitions)


def month_of(moment: dt.datetime) -> str:
    """Return the month of a time in UTC, such as `2026-11`."""
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m}"


def report_file_stem(started: dt.datetime, report: str) -> str:
    """Return the first part of the name of a report's files: `20261127T020000Z-0123456789abcdef`.

    It consists of the report's start time in UTC and its ID.
    """
    return f"{started.astimezone(dt.timezone.utc):%Y%m%dT%H%M%SZ}-{report}"


def parquet_file_name(stem: str, digest: str) -> str:
    """Return the name of a file from its first part and the SHA-256 digest of its content.

    Files with different contents have different names, so no file replaces another one, and damage
    is visible without a manifest.
    """
    return f"{stem}-{digest[:16]}.parquet"

"""Merges the archive's Parquet files of past months into fewer files with the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from accelerator_portal.results.partitions.columns import sorted_table
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    MONTH_FILE_STEM,
    ListedFile,
    Partition,
    archived_accelerators,
    files_by_partition,
    write_manifest,
)
from accelerator_portal.results.partitions.parquet_files import (
    delete_unlisted_files,
    locked_manifest,
    read_listed_file,
    read_listed_files,
    write_parquet_file,
)
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count


def compact_accelerator(root: Path, accelerator: str, before: str) -> tuple[int, int]:
    """Merge the files of each partition whose month is before `before`, such as `2026-11`.

    Returns the number of files that were merged, and the number of files that replace them.
    Partitions with one file are not changed. The merged files are written and compared with the old
    files, then the manifest is written, then the old files are deleted. If this is interrupted, the
    next command that writes the history deletes the files that are not in the manifest.

    Raises ProblemsError if the manifest or a file is damaged, or if another command is writing the
    history. Raises OSError if a file cannot be written.
    """
    with locked_manifest(root, accelerator) as manifest:
        merged: list[ListedFile] = []
        parts: list[ListedFile] = []
        for partition, files in files_by_partition(manifest.files).items():
            if partition.month < before and len(files) > 1:
                merged.append(_merge_files(root, partition, files))
                parts += files
        if merged:
            new_manifest = manifest.with_files(merged, without=[file.path for file in parts])
            write_manifest(root, new_manifest)
            delete_unlisted_files(root, new_manifest)
    return len(parts), len(merged)


def compact_all(
    root: Path, before: str, on_result: Callable[[str], None] = lambda _: None
) -> tuple[Problem, ...]:
    """Merge the files of every accelerator, as `compact_accelerator` does, and return the problems.

    An accelerator with problems does not stop the others. For each accelerator with merged files,
    `on_result` is called with a line such as `cpu: merged 6 files into 2`. Raises OSError if a file
    cannot be written.
    """
    problems: list[Problem] = []
    for accelerator in archived_accelerators(root):
        try:
            parts, merged = compact_accelerator(root, accelerator, before)
        except ProblemsError as error:
            problems += error.problems
            continue
        if parts:
            on_result(f"{accelerator}: merged {count(parts, 'file')} into {merged:,}")
    return tuple(problems)


def _merge_files(root: Path, partition: Partition, files: Sequence[ListedFile]) -> ListedFile:
    """Write the rows of a partition's files into one file, and return its manifest entry.

    Raises ProblemsError if a file is damaged, or if the written file does not contain the same
    rows.
    """
    table = sorted_table(read_listed_files(root, files))
    merged = write_parquet_file(root, partition, MONTH_FILE_STEM, table)
    if not read_listed_file(root, merged).equals(table):
        what = "the merged file differs from its parts; the parts were kept"
        raise ProblemsError([Problem(f"{HISTORY}/{merged.path}", 1, what, "report this as a bug")])
    return merged

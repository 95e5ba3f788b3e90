"""Adding a report to the archive: files of its own, then the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports.report import Report
from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.partitions.columns import change_tables, result_tables
from accelerator_portal.results.partitions.layout import (
    HISTORY,
    TABLES,
    Partition,
    Table,
    month_of,
    report_file_stem,
)
from accelerator_portal.results.partitions.manifest import ListedReport, Manifest, write_manifest
from accelerator_portal.results.partitions.part_file import write_part
from accelerator_portal.results.standing import Basis, Point, basis_of

if TYPE_CHECKING:
    import pyarrow as pa


MAX_SUITES = 1_000
"""A suite has a folder; a report with more suites has put something else in their names."""


def refuse_many_suites(report: Report, path: Path) -> None:
    """Raise ProblemsError, naming `path`, for a report with too many suites."""
    suites = {test.suite for test in report.tests}
    if len(suites) > MAX_SUITES:
        what = f"the report has tests of {len(suites):,} suites, more than {MAX_SUITES:,}"
        remedy = "name a group of tests as the suite, and the rest in names and parameters"
        raise ProblemsError([Problem(path.as_posix(), 1, what, remedy)])


def add_report(
    root: Path, manifest: Manifest, report: Report, point: Point, changes: Iterable[OutcomeChange]
) -> Manifest:
    """Write the rows of a report and the manifest that lists them, and return that manifest.

    No existing file is read or replaced, so time and memory don't depend on the archive. The files
    come before the manifest: an interrupted command writes files of the same names when repeated.
    If the manifest lists the report without results, only the results are added.

    Raises OSError.
    """
    known = manifest.reports.get(point.id)
    if known and known.results is not None:
        return manifest
    tables: dict[Table, Mapping[str, pa.Table]] = {
        "results": result_tables(report, point.id, point.started)
    }
    if known is None:
        tables["changes"] = change_tables(changes)
    basis, month = basis_of(report), month_of(point.started)
    stem = report_file_stem(point.started, point.id)
    files = [
        write_part(root, Partition(basis, table, manifest.accelerator, suite, month), stem, rows)
        for table, by_suite in tables.items()
        for suite, rows in by_suite.items()
    ]
    results, added = (
        sum(rows.num_rows for rows in tables.get(table, {}).values()) for table in TABLES
    )
    listed = (
        known.model_copy(update={"results": results})
        if known
        else ListedReport(basis=basis, started=point.started, results=results, changes=added)
    )
    after = manifest.with_files(files, reports={point.id: listed})
    write_manifest(root, after)
    return after


def forget(root: Path, manifest: Manifest, basis: Basis) -> Manifest:
    """Delete what is archived of runs, or of baselines; the manifest first. Raises OSError."""
    gone = [file.path for file in manifest.files if file.partition.basis == basis]
    kept = {name: r for name, r in manifest.reports.items() if r.basis != basis}
    lost = tuple(file for file in manifest.lost if not file.path.startswith(f"{basis}/"))
    after = manifest.with_files((), without=gone)
    after = after.model_copy(update={"reports": kept, "lost": lost})
    write_manifest(root, after)
    for path in gone:
        (root / HISTORY / path).unlink(missing_ok=True)
    return after


@contextmanager
def locked(root: Path, accelerator: str) -> Iterator[None]:
    """Hold the history of an accelerator while it is written.

    Raises ProblemsError if another command holds it, OSError where no file can be made.
    """
    lock = root / HISTORY / accelerator / "history.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock, timeout=0)
    try:
        held.acquire()
    except Timeout:
        what = f'another command is writing the history of "{accelerator}"'
        remedy = "wait until it finishes, then run this command again"
        raise ProblemsError([Problem(f"{HISTORY}/{accelerator}", 1, what, remedy)]) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the release: another one may hold it right after
        held.release()

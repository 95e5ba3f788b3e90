"""Adding a report to the archive: files of its own, then the manifest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from accelerator_portal.results.partitions.manifest import (
    ListedFile,
    ListedReport,
    Manifest,
    write_manifest,
)
from accelerator_portal.results.partitions.part_file import write_part
from accelerator_portal.results.standing import Basis, Point

if TYPE_CHECKING:
    import pyarrow as pa


MAX_SUITES = 1_000
"""A suite has a folder; a report with more suites has put something else in their names."""


@dataclass(frozen=True, slots=True)
class ReportTables:
    """The rows that a report adds, one table for each suite; `results` is None if not at hand."""

    basis: Basis
    point: Point
    results: Mapping[str, pa.Table] | None
    changes: Mapping[str, pa.Table] = field(default_factory=dict)

    def rows(self, table: Table) -> Mapping[str, pa.Table]:
        """Return the rows of one table by suite."""
        return self.changes if table == "changes" else self.results or {}


def tables_of(
    report: Report, point: Point, changes: Iterable[OutcomeChange], path: Path
) -> ReportTables:
    """Return the rows of a report. Raises ProblemsError, naming `path`, for too many suites."""
    suites = {test.suite for test in report.tests}
    if len(suites) > MAX_SUITES:
        what = f"the report has tests of {len(suites):,} suites, more than {MAX_SUITES:,}"
        remedy = "name a group of tests as the suite, and the rest in names and parameters"
        raise ProblemsError([Problem(path.as_posix(), 1, what, remedy)])
    basis: Basis = "baselines" if report.kind == "baseline" else "runs"
    results = result_tables(report, point.id, point.started)
    return ReportTables(basis, point, results, change_tables(changes))


def add_report(root: Path, manifest: Manifest, added: ReportTables) -> Manifest:
    """Write the rows of a report and the manifest that lists them, and return that manifest.

    Nothing that is there is read or replaced. Files first: who is interrupted repeats it and
    writes files of the same names. A report that is listed has all its rows already; one of which
    only the changes were kept gets its results.

    Raises OSError.
    """
    known = manifest.reports.get(added.point.id)
    if known and (known.results is not None or added.results is None):
        return manifest
    missing: tuple[Table, ...] = ("results",) if known else TABLES
    files: list[ListedFile] = []
    for table in missing:
        files += _write_rows(root, manifest.accelerator, added, table)
    report = _listed(added, known)
    after = manifest.with_files(files, reports={added.point.id: report})
    write_manifest(root, after)
    return after


def _write_rows(
    root: Path, accelerator: str, added: ReportTables, table: Table
) -> Iterable[ListedFile]:
    started = added.point.started
    stem = report_file_stem(started, added.point.id)
    for suite, rows in added.rows(table).items():
        place = Partition(added.basis, table, accelerator, suite, month_of(started))
        yield write_part(root, place, stem, rows)


def _listed(added: ReportTables, known: ListedReport | None) -> ListedReport:
    results = added.results
    count = None if results is None else sum(rows.num_rows for rows in results.values())
    if known:
        return known.model_copy(update={"results": count})
    changes = sum(rows.num_rows for rows in added.changes.values())
    started: dt.datetime = added.point.started
    return ListedReport(basis=added.basis, started=started, results=count, changes=changes)


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

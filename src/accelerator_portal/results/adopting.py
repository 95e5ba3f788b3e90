"""Taking over histories that were kept before there were partitions: one file of all changes.

Of their reports only the changes are known. The files become those of partitions, and the first
report that is folded later does not notice a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.results.changes_file import read_changes
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

"""Lists the reports in a folder `results/`, and limits their number and size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from accelerator_reports.files.folder_name import report_fault
from accelerator_reports.files.problem import Problem

# Readers look at no more runs than this; the history keeps the results of older ones.
MAX_REPORTS = 100
MAX_REPORTS_BYTES = 64 * 1024**2

_REMEDY = "remove the oldest reports; the history keeps their results"


def list_reports(
    root: Path, folder: str, names: Iterable[str]
) -> tuple[tuple[Path, ...], list[Problem]]:
    """Return the paths of the reports in a folder, and the problems of the folder.

    `names` are the names of all files in the folder. A file that is not a report is a problem. If
    the folder has too many reports or their total size is too large, that is also a problem, and
    no path is returned.
    """
    report_files: list[Path] = []
    problems: list[Problem] = []
    for name in names:
        file = root / folder / name
        if fault := report_fault(name) or _file_fault(file):
            problems.append(Problem(f"{folder}/{name}", 1, *fault))
        else:
            report_files.append(file)
    limit_problems = [Problem(folder, 1, what, _REMEDY) for what in exceeded_limits(report_files)]
    return () if limit_problems else tuple(report_files), problems + limit_problems


def _file_fault(file: Path) -> tuple[str, str] | None:
    if file.is_symlink() or not file.is_file():
        return "this is not a regular file", "replace the link with the file"
    return None


def exceeded_limits(files: Sequence[Path]) -> Iterator[str]:
    """Yield a message if a folder has too many reports, and one if their total size is too large.

    `files` are the reports in the folder. The total size leaves out each report that is larger than
    MAX_REPORTS_BYTES, because that report is a problem when it is read. The size of a sparse file
    is its apparent size.
    """
    if len(files) > MAX_REPORTS:
        yield f"the folder has {len(files):,} reports, more than {MAX_REPORTS}"
    sizes = (file.stat().st_size for file in files)
    size = sum(size for size in sizes if size <= MAX_REPORTS_BYTES)
    if size > MAX_REPORTS_BYTES:
        yield f"the reports have {size / 1024**2:,.0f} MiB, more than {MAX_REPORTS_BYTES >> 20}"

"""Looking for damage in the archive of an accelerator, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.partitions.layout import BASES, HISTORY
from accelerator_portal.results.partitions.manifest import Manifest, files_below, read_manifest
from accelerator_portal.results.partitions.part_file import read_part

_FOLD = "add the report again: accelerator-portal history fold FILE"
_TIDY = "run: accelerator-portal history repair"


def check_accelerator(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield everything that is wrong with the archive of an accelerator; all files are read."""
    try:
        manifest = read_manifest(root, accelerator)
    except ProblemsError as error:
        yield from error.problems
    else:
        yield from _files(root, manifest)
        yield from _totals(manifest)
        yield from _states(root, manifest)


def _files(root: Path, manifest: Manifest) -> Iterator[Problem]:
    for file in manifest.files:
        try:
            read_part(root, file, ["key"])
        except ProblemsError as error:
            yield from error.problems
    listed = {file.path for file in manifest.files}
    for path in files_below(root, manifest.accelerator):
        name = path.relative_to(root / HISTORY).as_posix()
        if name not in listed:
            what = "the manifest does not list this file; a command was interrupted"
            yield Problem(f"{HISTORY}/{name}", 1, what, _TIDY)


def _totals(manifest: Manifest) -> Iterator[Problem]:
    """Compare the rows of the files and of the reports: each list knows what the other misses."""
    for basis in BASES:
        reports = [report for report in manifest.reports.values() if report.basis == basis]
        counted = {
            "results": sum(report.results or 0 for report in reports),
            "changes": sum(report.changes for report in reports),
        }
        for table, rows in counted.items():
            listed = sum(f.rows for f in manifest.files if f.partition[:2] == (basis, table))
            lost = sum(f.rows or 0 for f in manifest.lost if f.path.startswith(f"{basis}/{table}/"))
            if listed + lost != rows:
                path = f"{HISTORY}/{manifest.accelerator}/manifest.json"
                what = f"its files have {listed:,} rows of {basis}/{table}, its reports {rows:,}"
                yield Problem(path, 1, what, "restore the file from the repository's history")


def _states(root: Path, manifest: Manifest) -> Iterator[Problem]:
    for basis in BASES:
        try:
            state = read_state_of(root, manifest.accelerator, basis)
        except ProblemsError as error:
            yield from error.problems
            continue
        archived = {n: r for n, r in manifest.reports.items() if r.basis == basis}
        path = f"{HISTORY}/{manifest.accelerator}/{basis}.json"
        for name in sorted(archived.keys() - state.reports.keys()):
            started = archived[name].started
            report = f"the report {name} of {started:%Y-%m-%d %H:%M} UTC"
            what = f"{report} is in the archive but not in the history"
            yield Problem(path, 1, what, _FOLD)
        for name in sorted(state.reports.keys() - archived.keys()):
            started = state.reports[name].started
            report = f"the report {name} of {started:%Y-%m-%d %H:%M} UTC"
            what = f"{report} is in the history but not in the archive"
            yield Problem(path, 1, what, _FOLD)

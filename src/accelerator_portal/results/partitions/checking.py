"""Looking for damage in the archive of an accelerator, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.wording import count
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.partitions.layout import BASES, HISTORY
from accelerator_portal.results.partitions.manifest import Manifest, files_below, read_manifest
from accelerator_portal.results.partitions.part_file import read_part
from accelerator_portal.results.partitions.state_rebuilding import differing_tests, rebuilt_state
from accelerator_portal.results.standing import State

_FOLD = "add the report again: accelerator-portal history fold FILE"
_TIDY = "run: accelerator-portal history repair"
_RESTORE = "restore the file from the repository's history"


def check_accelerator(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield everything that is wrong with the archive of an accelerator; all files are read."""
    try:
        manifest = read_manifest(root, accelerator)
    except ProblemsError as error:
        yield from error.problems
    else:
        damaged = list(_files(root, manifest))
        yield from damaged
        yield from _totals(manifest)
        yield from _states(root, manifest, whole=not (damaged or manifest.lost))


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
                yield Problem(path, 1, what, _RESTORE)


def _states(root: Path, manifest: Manifest, *, whole: bool) -> Iterator[Problem]:
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
        if whole and archived.keys() == state.reports.keys():
            yield from _standings(root, manifest, state, path)


def _standings(root: Path, manifest: Manifest, state: State, path: str) -> Iterator[Problem]:
    """Compare how tests stand with what their archived results come to: a flipped bit shows."""
    again = rebuilt_state(root, manifest, state.basis, {})
    differing = [] if again.left_out else differing_tests(state, again.state)
    if differing:
        more = f" (and {count(len(differing) - 1, 'more test')})" if len(differing) > 1 else ""
        what = f"{differing[0]}{more} differs from the archived results"
        yield Problem(path, 1, what, f"{_RESTORE}, or delete it and {_TIDY}")

"""Repairs the archive of an accelerator from its undamaged files.

A file that is damaged is kept under another name; what cannot be written again is noted in the
manifest as lost, so that it is never just missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.report import Report
from accelerator_portal.results.archive import read_state_of, state_path
from accelerator_portal.results.folding import NamedReport
from accelerator_portal.results.history import point_of
from accelerator_portal.results.partitions.columns import result_tables
from accelerator_portal.results.partitions.manifest import (
    BASES,
    HISTORY,
    ListedFile,
    ListedReport,
    LostFile,
    Manifest,
    Partition,
    files_below,
    month_of,
    partition_of,
    read_manifest,
    report_file_stem,
    write_manifest,
)
from accelerator_portal.results.partitions.rebuilding import (
    differing_tests,
    listed_from_file,
    rebuilt_manifest,
    rebuilt_state,
)
from accelerator_portal.results.partitions.writing import read_part, write_part
from accelerator_portal.results.standing import State
from accelerator_portal.results.state_file import read_state, write_state

NamedRows = tuple[str, ListedFile]
"""The rows of a report that were written again."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did, as sentences, and the files that stay lost."""

    done: tuple[str, ...]
    lost: tuple[LostFile, ...]


class _Damage(NamedTuple):
    """A damaged file; `rows` is None if no manifest states their number."""

    path: str
    place: Partition
    rows: int | None


def repair_accelerator(root: Path, accelerator: str, reports: Iterable[NamedReport]) -> Repair:
    """Repair an archive; `reports` are available reports, to write their results again.

    Raises OSError, and ProblemsError if neither the manifest nor a state can be read.
    """
    try:
        manifest = read_manifest(root, accelerator)
        damaged = list(_damaged_files(root, manifest))
        done = []
    except ProblemsError:
        manifest, names = rebuilt_manifest(root, accelerator)
        damaged = list(_unlisted_damage(names))
        rows = count(sum(file.rows for file in manifest.files), "row")
        files = count(len(manifest.files), "undamaged file")
        done = [f"Wrote the manifest again from {files} with {rows}."]
    at_hand = {point_of(report, path).id: report for path, report in reports if report.started}
    lost: list[LostFile] = []
    for damage in damaged:
        again = list(_written_again(root, manifest, damage, at_hand))
        manifest = _with_rows(manifest, damage, again)
        missing = None if damage.rows is None else damage.rows - _rows(again)
        if missing != 0:
            lost.append(LostFile(path=damage.path, rows=missing))
        _set_aside(root / HISTORY / damage.path, {file.path for _, file in again}, damage)
        done.append(_sentence(damage, _rows(again), missing))
    manifest = manifest.model_copy(update={"lost": (*manifest.lost, *lost)})
    if done:
        write_manifest(root, manifest)
    done += _states_again(root, manifest, at_hand)
    return Repair((*done, *_tidied(root, manifest)), manifest.lost)


def _states_again(root: Path, manifest: Manifest, at_hand: Mapping[str, Report]) -> Iterator[str]:
    """Write damaged or missing states again from the archive, and yield what was done."""
    for basis in BASES:
        path = state_path(root, manifest.accelerator, basis)
        archived = [report for report in manifest.reports.values() if report.basis == basis]
        if not archived or _is_whole(path):
            continue
        found = rebuilt_state(root, manifest, basis, at_hand)
        if path.exists():
            path.replace(path.with_name(f"{path.name}.damaged"))
        write_state(path, found.state)
        where = path.relative_to(root).as_posix()
        yield f"Recreated {where} from {count(len(found.state.reports), 'archived report')}."
        if found.from_columns:
            reports = count(found.from_columns, "report")
            why = "because the archive doesn't have them"
            yield f"Package versions and origins are missing in {reports}, {why}."
        if found.left_out:
            left_out = count(found.left_out, "report")
            yield f"Left out {left_out}, because no file has the results."


def _is_whole(state: Path) -> bool:
    try:
        return state.exists() and bool(read_state(state))
    except ProblemsError:
        return False


def _damaged_files(root: Path, manifest: Manifest) -> Iterator[_Damage]:
    for file in manifest.files:
        try:
            read_part(root, file, ["key"])
        except ProblemsError:
            yield _Damage(file.path, file.partition, file.rows)


def _unlisted_damage(names: Iterable[str]) -> Iterator[_Damage]:
    for name in names:
        place = partition_of(name)
        if place is not None:
            yield _Damage(name, place, None)


def _written_again(
    root: Path, manifest: Manifest, damage: _Damage, at_hand: Mapping[str, Report]
) -> Iterator[NamedRows]:
    """Write a damaged file's results again, from available reports that no other file has."""
    place = damage.place
    if place.table != "results":
        return
    elsewhere = _reports_in_others(root, manifest, damage)
    for name, report in at_hand.items():
        known = manifest.reports.get(name)
        if known is None or name in elsewhere or not _belongs(known, damage):
            continue
        rows = result_tables(report, name, known.started).get(place.suite)
        if rows is not None:
            stem = report_file_stem(known.started, name)
            yield name, write_part(root, place, stem, rows)


def _belongs(report: ListedReport, damage: _Damage) -> bool:
    """Return whether a damaged file may have had rows of a report."""
    archived = damage.rows is None or report.results is not None
    place = damage.place
    return archived and (report.basis, month_of(report.started)) == (place.basis, place.month)


def _reports_in_others(root: Path, manifest: Manifest, damage: _Damage) -> set[str]:
    """Return the reports that have rows in another file of the partition."""
    found: set[str] = set()
    for file in manifest.files:
        if file.path != damage.path and file.partition == damage.place:
            try:
                found |= set(read_part(root, file, ["report"])["report"].to_pylist())
            except ProblemsError:
                continue
    return found


def _with_rows(manifest: Manifest, damage: _Damage, again: list[NamedRows]) -> Manifest:
    """Return the manifest with new files instead of the damaged one.

    A manifest rebuilt from undamaged files does not count the rows of damaged files yet.
    """
    reports = dict(manifest.reports)
    for name, file in again if damage.rows is None else ():
        results = (reports[name].results or 0) + file.rows
        reports[name] = reports[name].model_copy(update={"results": results})
    files = (file for _, file in again)
    return manifest.with_files(files, without=[damage.path], reports=reports)


def _rows(again: list[NamedRows]) -> int:
    return sum(file.rows for _, file in again)


def _set_aside(path: Path, written: set[str], damage: _Damage) -> None:
    """Rename a damaged file, unless it was written again under the same name."""
    if path.exists() and damage.path not in written:
        path.replace(path.with_name(f"{path.name}.damaged"))


def _sentence(damage: _Damage, written: int, missing: int | None) -> str:
    path = f"{HISTORY}/{damage.path}"
    if missing == 0:
        return f"Recreated {path} from reports: {count(written, 'row')}."
    lost = "an unknown number of rows" if missing is None else count(missing, "row")
    again = count(written, "row")
    return f"Lost {lost} of {path} and recreated {again}. The manifest lists the loss."


def _tidied(root: Path, manifest: Manifest) -> Iterator[str]:
    """Delete undamaged files that are not listed and whose reports are all in the manifest.

    Files of other reports stay: folding the report again adds them to the manifest.
    """
    listed = {file.path for file in manifest.files}
    for path in files_below(root, manifest.accelerator):
        name = path.relative_to(root / HISTORY).as_posix()
        found = None if name in listed else listed_from_file(root, name)
        if found and found.rows_by_report.keys() <= manifest.reports.keys():
            path.unlink()
            yield f"Deleted {HISTORY}/{name}, which an interrupted command left."


_FOLD = "add the report again: accelerator-portal history fold FILE"
_TIDY = "run: accelerator-portal history repair"
_RESTORE = "restore the file from the repository's history"


def check_accelerator(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield all problems of an accelerator's archive; reads all files."""
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
    """Compare the number of rows in the files with that of the reports."""
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
                files = f"the files have {listed:,} rows of {basis}/{table}"
                what = f"{files}, but the reports have {rows:,}"
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
    """Compare the state with one rebuilt from the archive, which detects a flipped bit."""
    again = rebuilt_state(root, manifest, state.basis, {})
    differing = [] if again.left_out else differing_tests(state, again.state)
    if differing:
        more = f" (and {count(len(differing) - 1, 'more test')})" if len(differing) > 1 else ""
        what = f"{differing[0]}{more} differs from the archived results"
        yield Problem(path, 1, what, f"{_RESTORE}, or delete it and {_TIDY}")

"""Checks the archive of an accelerator: its files, its manifest and the states of its tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.report import Component, Environment, Trigger
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.history import OutcomeAndStage, state_with_archived_report
from accelerator_portal.results.history_state import Basis, HistoryPoint, State, StoredTestState
from accelerator_portal.results.partitions.columns import ENVIRONMENT_COLUMNS
from accelerator_portal.results.partitions.manifest import (
    BASES,
    HISTORY,
    Manifest,
    Table,
    month_of,
    parquet_files,
    read_manifest,
)
from accelerator_portal.results.partitions.writing import read_listed_file

if TYPE_CHECKING:
    import pyarrow as pa

_FOLD_REMEDY = "add the report again: accelerator-portal history fold FILE"
_DELETE_REMEDY = "delete this file"
_RESTORE_REMEDY = "restore the file from the repository's history"


def check_accelerator(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield the problems of an accelerator's archive; reads all files.

    With a damaged manifest, nothing else is checked. With a damaged file, the states of tests are
    not compared with the results.
    """
    try:
        manifest = read_manifest(root, accelerator)
    except ProblemsError as error:
        yield from error.problems
    else:
        damaged = list(_file_problems(root, manifest))
        yield from damaged
        yield from _row_count_problems(manifest)
        yield from _state_problems(root, manifest, files_intact=not damaged)


def _file_problems(root: Path, manifest: Manifest) -> Iterator[Problem]:
    for file in manifest.files:
        try:
            read_listed_file(root, file, ["key"])
        except ProblemsError as error:
            yield from error.problems
    listed = {file.path for file in manifest.files}
    for path in parquet_files(root, manifest.accelerator):
        name = path.relative_to(root / HISTORY).as_posix()
        if name not in listed:
            what = "the manifest does not list this file; a command was interrupted"
            yield Problem(f"{HISTORY}/{name}", 1, what, _DELETE_REMEDY)


def _row_count_problems(manifest: Manifest) -> Iterator[Problem]:
    """Yield a problem if the files have more or fewer rows than the archived reports.

    The manifest states both numbers for each table.
    """
    for basis in BASES:
        reports = [report for report in manifest.reports.values() if report.basis == basis]
        counted: Mapping[Table, int] = {
            "results": sum(report.results for report in reports),
            "changes": sum(report.changes for report in reports),
        }
        for table, rows in counted.items():
            listed = sum(file.rows for file in manifest.files_of(basis, table))
            if listed != rows:
                path = f"{HISTORY}/{manifest.accelerator}/manifest.json"
                files = f"the files have {listed:,} rows of {basis}/{table}"
                what = f"{files}, but the reports have {rows:,}"
                yield Problem(path, 1, what, _RESTORE_REMEDY)


def _state_problems(root: Path, manifest: Manifest, *, files_intact: bool) -> Iterator[Problem]:
    for basis in BASES:
        try:
            state = read_state_of(root, manifest.accelerator, basis)
        except ProblemsError as error:
            yield from error.problems
            continue
        archived = {n: r.started for n, r in manifest.reports.items() if r.basis == basis}
        folded = {n: point.started for n, point in state.reports.items()}
        path = f"{HISTORY}/{manifest.accelerator}/{basis}.json"
        if archived and not folded:
            yield Problem(path, 1, "file not found", f"{_RESTORE_REMEDY}, or {_FOLD_REMEDY}")
            continue
        for here, there, where in (
            (archived, folded, "in the archive but not in the history"),
            (folded, archived, "in the history but not in the archive"),
        ):
            for name in sorted(here.keys() - there.keys()):
                report = f"the report {name} of {here[name]:%Y-%m-%d %H:%M} UTC"
                yield Problem(path, 1, f"{report} is {where}", _FOLD_REMEDY)
        if files_intact and archived.keys() == folded.keys():
            yield from _test_state_problems(root, manifest, state, path)


def _test_state_problems(
    root: Path, manifest: Manifest, state: State, path: str
) -> Iterator[Problem]:
    """Yield a problem if the stored state differs from the state rebuilt from the archive.

    This detects a damaged state file.
    """
    again = rebuilt_state(root, manifest, state.basis)
    differing = differing_tests(state, again) if again else []
    if differing:
        more = f" (and {count(len(differing) - 1, 'more test')})" if len(differing) > 1 else ""
        what = f"{differing[0]}{more} differs from the archived results"
        yield Problem(path, 1, what, _RESTORE_REMEDY)


def rebuilt_state(root: Path, manifest: Manifest, basis: Basis) -> State | None:
    """Return the state after all archived reports of `basis`, computed from their results.

    None if the results of a report are not in the archive. One month is in memory at a time. Raises
    ProblemsError if a file is missing or damaged.
    """
    state = State(manifest.accelerator, basis)
    archived_reports = [
        (name, report) for name, report in manifest.reports.items() if report.basis == basis
    ]
    archived_reports.sort(key=lambda item: (item[1].started, item[0]))
    for month, reports in groupby(archived_reports, key=lambda item: month_of(item[1].started)):
        results = _results_by_report(_tables_of_month(root, manifest, basis, "results", month))
        gone = _gone_keys_by_report(_tables_of_month(root, manifest, basis, "changes", month))
        for name, listed in reports:
            if (found := results.get(name)) is None:
                return None
            row = found.row
            trigger = Trigger(kind=row["trigger"], commit=row["commit"])
            at = HistoryPoint(name, listed.started, row["kind"], trigger, _environment_of_row(row))
            state = state_with_archived_report(state, at, found.outcomes, gone.get(name, ()))
    return state


def differing_tests(kept: State, again: State) -> list[str]:
    """Return the keys of tests whose stored state (`kept`) differs from the rebuilt one (`again`).

    Two differences are normal and ignored. A rebuilt state may have more verdicts. It may also
    treat two reports as tests of the same code, because the archive lacks facts such as the
    packages.
    """
    stored_states, rebuilt_states = dict(kept.tests()), dict(again.tests())
    return [
        key
        for key in sorted(stored_states | rebuilt_states)
        if not _has_same_state(stored_states.get(key), rebuilt_states.get(key))
    ]


def _has_same_state(kept: StoredTestState | None, again: StoredTestState | None) -> bool:
    if kept is None or again is None:
        return False
    verdicts = [one.recent.replace("=", "") for one in (kept, again)]
    return _compared_fields(kept) == _compared_fields(again) and verdicts[1].endswith(verdicts[0])


def _compared_fields(standing: StoredTestState) -> list[object]:
    """Return the fields of a test's state without `recent`; each report is replaced by its id."""
    plain = standing._replace(recent="")
    return [one.id if isinstance(one, HistoryPoint) else one for one in plain]


class _ArchivedResults(NamedTuple):
    """The results of a report by test key (`outcomes`), and one of the report's rows (`row`).

    The row contains the facts that all rows of the report share, such as the environment.
    """

    row: Mapping[str, Any]
    outcomes: dict[str, OutcomeAndStage]


def _results_by_report(tables: Iterable[pa.Table]) -> dict[str, _ArchivedResults]:
    found: dict[str, _ArchivedResults] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "outcome", "stage"))
        for number, (report, key, outcome, stage) in enumerate(zip(*columns, strict=True)):
            if report not in found:
                found[report] = _ArchivedResults(table.slice(number, 1).to_pylist()[0], {})
            found[report].outcomes[key] = (outcome, stage)
    return found


def _gone_keys_by_report(tables: Iterable[pa.Table]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "change"))
        for report, key, change in zip(*columns, strict=True):
            if change == "gone":
                found.setdefault(report, []).append(key)
    return found


def _tables_of_month(
    root: Path, manifest: Manifest, basis: Basis, table: Table, month: str
) -> Iterator[pa.Table]:
    for file in manifest.files_of(basis, table):
        if file.partition.month == month:
            yield read_listed_file(root, file)


def _environment_of_row(row: Mapping[str, Any]) -> Environment:
    plugin = None
    if row["plugin"] is not None:
        plugin = Component(
            name=row["plugin"], version=row["plugin_version"], commit=row["plugin_commit"]
        )
    return Environment(plugin=plugin, **{column: row[column] for column in ENVIRONMENT_COLUMNS})

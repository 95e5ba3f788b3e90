"""Checks the archive of an accelerator: its files, its manifest and the states of its tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from accelerator_portal.results.history import OutcomeAndStage, state_with_archived_report
from accelerator_portal.results.history_state import Basis, HistoryPoint, State, StoredTestState
from accelerator_portal.results.partitions.columns import ENVIRONMENT_COLUMNS
from accelerator_portal.results.partitions.manifest import (
    BASES,
    HISTORY,
    Manifest,
    Table,
    month_of,
    read_manifest,
    unlisted_files,
)
from accelerator_portal.results.partitions.parquet_files import read_listed_file
from accelerator_portal.results.stored_history import read_state_of
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.report import Component, Environment, Trigger

if TYPE_CHECKING:
    import pyarrow as pa

_FOLD_REMEDY = "add the report again: accelerator-portal history fold FILE"
_DELETE_REMEDY = "to delete it, run: accelerator-portal history compact"
_RESTORE_REMEDY = "restore the file from the repository's history"


def check_accelerator(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield the problems of an accelerator's archive, after reading all its files.

    If the manifest is damaged, nothing else is checked. If another file is damaged, the stored
    states of tests are not compared with the archived results.
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
    for path in unlisted_files(root, manifest):
        what = "the manifest does not list this file; a command was interrupted"
        yield Problem(path.relative_to(root).as_posix(), 1, what, _DELETE_REMEDY)


def _row_count_problems(manifest: Manifest) -> Iterator[Problem]:
    """Yield a problem for each table whose files and reports have different numbers of rows.

    The manifest states the number of rows of each file, and of each report.
    """
    for basis in BASES:
        reports = [report for report in manifest.reports.values() if report.basis == basis]
        rows_by_table: Mapping[Table, int] = {
            "results": sum(report.results for report in reports),
            "changes": sum(report.changes for report in reports),
        }
        for table, rows in rows_by_table.items():
            file_rows = sum(file.rows for file in manifest.files_of(basis, table))
            if file_rows != rows:
                path = f"{HISTORY}/{manifest.accelerator}/manifest.json"
                files_text = f"the files have {file_rows:,} rows of {basis}/{table}"
                what = f"{files_text}, but the reports have {rows:,}"
                yield Problem(path, 1, what, _RESTORE_REMEDY)


def _state_problems(root: Path, manifest: Manifest, *, files_intact: bool) -> Iterator[Problem]:
    for basis in BASES:
        try:
            state = read_state_of(root, manifest.accelerator, basis)
        except ProblemsError as error:
            yield from error.problems
            continue
        archived_starts = {n: r.started for n, r in manifest.reports.items() if r.basis == basis}
        folded_starts = {n: point.started for n, point in state.reports.items()}
        path = f"{HISTORY}/{manifest.accelerator}/{basis}.json"
        if archived_starts and not folded_starts:
            yield Problem(path, 1, "file not found", f"{_RESTORE_REMEDY}, or {_FOLD_REMEDY}")
            continue
        for starts, other_starts, where_text in (
            (archived_starts, folded_starts, "in the archive but not in the history"),
            (folded_starts, archived_starts, "in the history but not in the archive"),
        ):
            for report_id in sorted(starts.keys() - other_starts.keys()):
                report_text = f"the report {report_id} of {starts[report_id]:%Y-%m-%d %H:%M} UTC"
                yield Problem(path, 1, f"{report_text} is {where_text}", _FOLD_REMEDY)
        if files_intact and archived_starts.keys() == folded_starts.keys():
            yield from _test_state_problems(root, manifest, state, path)


def _test_state_problems(
    root: Path, manifest: Manifest, state: State, path: str
) -> Iterator[Problem]:
    """Yield a problem if the stored state differs from the state rebuilt from the archive.

    This detects a damaged state file. `path` is the path of this file.
    """
    rebuilt = rebuilt_state(root, manifest, state.basis)
    differing = differing_tests(state, rebuilt) if rebuilt else []
    if differing:
        more = f" (and {count(len(differing) - 1, 'more test')})" if len(differing) > 1 else ""
        what = f"{differing[0]}{more} differs from the archived results"
        yield Problem(path, 1, what, _RESTORE_REMEDY)


def rebuilt_state(root: Path, manifest: Manifest, basis: Basis) -> State | None:
    """Return the state of an accelerator's tests, computed again from all archived results.

    `basis` selects runs or baselines. None if the results of a report are not in the archive. Only
    one month is in memory at a time. Raises ProblemsError if a file is missing or damaged.
    """
    state = State(manifest.accelerator, basis)
    archived_reports = [
        (report_id, report)
        for report_id, report in manifest.reports.items()
        if report.basis == basis
    ]
    archived_reports.sort(key=lambda item: (item[1].started, item[0]))
    for month, reports in groupby(archived_reports, key=lambda item: month_of(item[1].started)):
        results = _results_by_report(_tables_of_month(root, manifest, basis, "results", month))
        gone = _gone_keys_by_report(_tables_of_month(root, manifest, basis, "changes", month))
        for report_id, listed_report in reports:
            if (report_results := results.get(report_id)) is None:
                return None
            row = report_results.row
            trigger = Trigger(kind=row["trigger"], commit=row["commit"])
            point = HistoryPoint(
                report_id, listed_report.started, row["kind"], trigger, _environment_of_row(row)
            )
            state = state_with_archived_report(
                state, point, report_results.outcomes, gone.get(report_id, ())
            )
    return state


def differing_tests(stored: State, rebuilt: State) -> list[str]:
    """Return the keys of tests whose states differ between the stored and the rebuilt state.

    Two differences are normal and ignored. A rebuilt state may have more verdicts. It may also
    treat two reports as tests of the same code, because the archive lacks facts such as the
    packages.
    """
    stored_states, rebuilt_states = dict(stored.tests()), dict(rebuilt.tests())
    return [
        key
        for key in sorted(stored_states | rebuilt_states)
        if not _has_same_state(stored_states.get(key), rebuilt_states.get(key))
    ]


def _has_same_state(stored: StoredTestState | None, rebuilt: StoredTestState | None) -> bool:
    if stored is None or rebuilt is None:
        return False
    verdicts = [state_of_test.recent.replace("=", "") for state_of_test in (stored, rebuilt)]
    return _compared_fields(stored) == _compared_fields(rebuilt) and verdicts[1].endswith(
        verdicts[0]
    )


def _compared_fields(state_of_test: StoredTestState) -> list[object]:
    """Return the fields of a test's state in a form that can be compared.

    Each report is replaced by its id, and `recent` is replaced by an empty text.
    """
    fields = state_of_test._replace(recent="")
    return [value.id if isinstance(value, HistoryPoint) else value for value in fields]


class _ArchivedResults(NamedTuple):
    """The results of a report by test key (`outcomes`), and one of the report's rows (`row`).

    The row contains the facts that all rows of the report share, such as the environment.
    """

    row: Mapping[str, Any]
    outcomes: dict[str, OutcomeAndStage]


def _results_by_report(tables: Iterable[pa.Table]) -> dict[str, _ArchivedResults]:
    results: dict[str, _ArchivedResults] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "outcome", "stage"))
        for number, (report, key, outcome, stage) in enumerate(zip(*columns, strict=True)):
            if report not in results:
                results[report] = _ArchivedResults(table.slice(number, 1).to_pylist()[0], {})
            results[report].outcomes[key] = (outcome, stage)
    return results


def _gone_keys_by_report(tables: Iterable[pa.Table]) -> dict[str, list[str]]:
    gone_keys: dict[str, list[str]] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in ("report", "key", "change"))
        for report, key, change in zip(*columns, strict=True):
            if change == "gone":
                gone_keys.setdefault(report, []).append(key)
    return gone_keys


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

"""Reads the stored test history of an accelerator from `data/history`, and adds newer reports.

`<accelerator>/runs.json` contains the state of each test after the last archived run.
`<accelerator>/baselines.json` contains the state of each expected result after the last archived
baseline. Parquet files contain every result and every change: see `partitions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from accelerator_portal.results.history import OutcomeChange, fold_report
from accelerator_portal.results.history_state import Basis, State
from accelerator_portal.results.partitions.columns import changes_in
from accelerator_portal.results.partitions.manifest import HISTORY, read_manifest
from accelerator_portal.results.partitions.parquet_files import read_listed_file
from accelerator_portal.results.state_file import read_state
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.files.problem import Problem, ProblemsError


@dataclass(frozen=True, slots=True)
class History:
    """The state of an accelerator's tests, and all changes that led to this state, oldest first.

    `left_out` has the problems of the reports that could not be added.
    """

    state: State
    changes: tuple[OutcomeChange, ...] = ()
    left_out: tuple[Problem, ...] = ()


def state_path(root: Path, accelerator: str, basis: Basis) -> Path:
    """Return the path of an accelerator's `runs.json` or `baselines.json`.

    `root` is the folder of the repository.
    """
    return root / HISTORY / accelerator / f"{basis}.json"


def read_state_of(root: Path, accelerator: str, basis: Basis) -> State:
    """Return the stored state of an accelerator's tests; an empty state if no file stores it.

    `basis` selects runs or baselines. Raises ProblemsError if the file is invalid. The error names
    the file's path in the repository.
    """
    path = state_path(root, accelerator, basis)
    try:
        return read_state(path) if path.exists() else State(accelerator, basis)
    except ProblemsError as error:
        raise error.at(path.relative_to(root).as_posix()) from None


def read_history(root: Path, accelerator: str, basis: Basis) -> History:
    """Return the stored history of an accelerator; an empty history if nothing is stored.

    `basis` selects runs or baselines. The changes are sorted by time, and those of the same report
    by key. Raises ProblemsError if a stored file is missing or damaged.
    """
    state = read_state_of(root, accelerator, basis)
    changes: list[OutcomeChange] = []
    for file in read_manifest(root, accelerator).files_of(basis, "changes"):
        changes += changes_in(read_listed_file(root, file))
    changes.sort(key=lambda change: (change.started, change.report, change.key))
    unknown = [change for change in changes if change.report not in state.reports]
    if (
        unknown
        and len({change.report for change in unknown}) == 1
        and unknown[0] is changes[-len(unknown)]
    ):
        changes = changes[: -len(unknown)]  # adding a report was interrupted, and will be repeated
    elif unknown:
        path = state_path(root, accelerator, basis).relative_to(root).as_posix()
        what = "the file lacks reports that the archive has"
        raise ProblemsError([Problem(path, 1, what, "restore it from the repository's history")])
    return History(state, tuple(changes))


def with_reports(history: History, reports: Iterable[StoredReport]) -> History:
    """Return a new history that also contains newer reports; no file is written.

    The reports are added in order of time. Reports without a date are ignored. A report that cannot
    be added, for example because it is older than the history, is left out. Its problems are added
    to `left_out`.
    """
    state, changes, left_out = history.state, list(history.changes), list(history.left_out)
    dated = (stored for stored in reports if stored.report.started)
    for stored in sorted(dated, key=lambda stored: stored.order):
        try:
            state, new_changes = fold_report(state, stored.report, Path(stored.path))
        except ProblemsError as error:
            left_out += (replace(p, path=stored.path) for p in error.problems)
            continue
        changes += new_changes
    return History(state, tuple(changes), tuple(left_out))

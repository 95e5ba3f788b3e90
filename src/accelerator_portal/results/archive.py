"""What is kept of a platform's reports over time, in two files; the reports need not be kept.

`data/history/<accelerator>/runs.json` is how its tests stand after the last run that was folded,
`runs.parquet` every change up to there; `baselines.json` and `baselines.parquet` the same for what
a project expects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.results.changes_file import append_changes, read_changes
from accelerator_portal.results.history import OutcomeChange, fold
from accelerator_portal.results.standing import Basis, State
from accelerator_portal.results.state_file import read_state, write_state

HISTORY = "data/history"
BASES: tuple[Basis, ...] = ("runs", "baselines")


@dataclass(frozen=True, slots=True)
class History:
    """How an accelerator's tests stand, and every change that led there, in the order of time.

    `left_out` says of each report that could not be folded why.
    """

    state: State
    changes: tuple[OutcomeChange, ...] = ()
    left_out: tuple[Problem, ...] = ()


def basis_of(report: Report) -> Basis:
    """Return the history that a report belongs to."""
    return "baselines" if report.kind == "baseline" else "runs"


def state_path(root: Path, accelerator: str, basis: Basis) -> Path:
    """Return where a state is kept; `root` is the repository."""
    return root / HISTORY / accelerator / f"{basis}.json"


def changes_path(root: Path, accelerator: str, basis: Basis) -> Path:
    """Return where the changes are kept; `root` is the repository."""
    return state_path(root, accelerator, basis).with_suffix(".parquet")


def read_state_of(root: Path, accelerator: str, basis: Basis) -> State:
    """Return the kept state of an accelerator; an empty one where there is none.

    Raises ProblemsError, which names the file below the repository.
    """
    path = state_path(root, accelerator, basis)
    try:
        return read_state(path) if path.exists() else State(accelerator, basis)
    except ProblemsError as error:
        where = path.relative_to(root).as_posix()
        raise ProblemsError([replace(p, path=where) for p in error.problems]) from None


def read_history(root: Path, accelerator: str, basis: Basis) -> History:
    """Return what is kept of an accelerator; an empty history where there is nothing.

    Raises ProblemsError.
    """
    state = read_state_of(root, accelerator, basis)
    path = changes_path(root, accelerator, basis)
    return History(state, read_changes(path) if path.exists() else ())


def keep(root: Path, state: State, changes: Iterable[OutcomeChange], *, anew: bool = False) -> None:
    """Write a state, and add changes to those that are kept, or replace all of them: `anew`.

    The changes are written first: whoever is interrupted folds the same report again.

    Raises ProblemsError, OSError.
    """
    path = changes_path(root, state.accelerator, state.basis)
    if anew:
        path.unlink(missing_ok=True)
    append_changes(path, changes)
    write_state(state_path(root, state.accelerator, state.basis), state)


def with_reports(history: History, reports: Iterable[StoredReport]) -> History:
    """Return a history with the reports that are newer than it; nothing is written.

    A report without a date has no place in time, and is not looked at; what cannot be folded, as
    it is older than what was, is said in `left_out`.
    """
    state, changes, left_out = history.state, list(history.changes), list(history.left_out)
    dated = [stored for stored in reports if stored.report.started]
    dated.sort(key=lambda stored: (stored.report.started, stored.id))
    for stored in dated:
        try:
            state, more = fold(state, stored.report, Path(stored.path))
        except ProblemsError as error:
            left_out += (Problem(stored.path, p.line, p.what, p.remedy) for p in error.problems)
            continue
        changes += more
    return History(state, tuple(changes), tuple(left_out))

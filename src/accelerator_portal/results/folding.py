"""Adds test reports to the stored histories in `data/history`, in order of time ("folds" them).

Each accelerator has one history for its runs, and one for its baselines.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.progress import Progress, no_progress
from accelerator_portal.results.history import fold_report, history_point
from accelerator_portal.results.history_state import Basis, State, basis_of
from accelerator_portal.results.partitions.parquet_files import (
    add_report,
    delete_reports,
    locked_manifest,
)
from accelerator_portal.results.state_file import write_state
from accelerator_portal.results.stored_history import read_state_of, state_path
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report
from accelerator_reports.report_names import with_full_suite_names

CLOCK_DIFFERENCE = dt.timedelta(days=1)
"""The time by which the clock of a machine that runs tests may be ahead."""

NamedReport = tuple[Path, Report]
"""The path of a report's file, which may be relative to the repository, and the report."""


class FoldedHistory(NamedTuple):
    """The result of adding reports to one history.

    `name` names the history, such as `cpu, runs`. `given` is the number of reports to add, and
    `new` is the number of reports that the history did not contain before. `changes` is the number
    of changes in the new reports: changed outcomes, new tests and tests that are gone.
    """

    name: str
    new: int
    given: int
    changes: int

    def __str__(self) -> str:
        new, changes = count(self.new, "new report"), count(self.changes, "change")
        return f"{self.name}: {new} of {self.given}, {changes}"


@dataclass(frozen=True, slots=True)
class FoldResult:
    """The result for each history without problems, and the problems of all other histories."""

    histories: tuple[FoldedHistory, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def total(self) -> FoldedHistory | None:
        """The sums of the numbers of all histories; None for fewer than two histories."""
        if len(self.histories) < 2:  # noqa: PLR2004 - several
            return None
        counts = zip(*(history[1:] for history in self.histories), strict=True)
        return FoldedHistory(f"{len(self.histories)} histories", *map(sum, counts))


def fold_reports(
    root: Path,
    reports: Iterable[NamedReport],
    *,
    anew: bool = False,
    on_result: Callable[[FoldedHistory], None] = lambda _: None,
    progress: Progress = no_progress,
) -> FoldResult:
    """Add reports to the histories of their accelerators, and store the histories.

    A report that is already in its history changes nothing, so an interrupted command can be
    repeated. A report with a problem does not stop the other reports. If `anew` is true, each
    history that gets a report is deleted first, so `reports` must then contain all reports of this
    history. `on_result` is called with the result of each history without problems. Raises OSError
    if a file cannot be written.
    """
    histories: list[FoldedHistory] = []
    problems: list[Problem] = []
    for (accelerator, basis), group in groupby(
        sorted(reports, key=_fold_order), key=_accelerator_and_basis
    ):
        try:
            state = State(accelerator, basis)
            folded_history = _fold_history(root, state, list(group), anew=anew, progress=progress)
        except ProblemsError as error:
            problems += error.problems
            continue
        on_result(folded_history)
        histories.append(folded_history)
    return FoldResult(tuple(histories), tuple(problems))


def read_reports(root: Path, files: Iterable[Path]) -> tuple[list[NamedReport], list[Problem]]:
    """Return the reports in files, and the problems of files that cannot be read.

    Suites get their full names, as in reports of platform folders: `pytest` becomes `acme/pytest`
    (see `SuiteNames.full_name`). If the catalog at `root` cannot be loaded, names stay the same.
    """
    catalog, _ = load_catalog(root)
    reports: list[NamedReport] = []
    problems: list[Problem] = []
    for file in files:
        try:
            report = read_report(file)
        except ProblemsError as error:
            problems += error.problems
            continue
        if catalog:
            report = with_full_suite_names(report, catalog.suite_names)
        reports.append((file, report))
    return reports, problems


def folder_reports(root: Path) -> tuple[list[NamedReport], list[Problem]]:
    """Return all reports with a start time in platform folders, and the problems found there."""
    catalog, problems = load_catalog(root)
    if catalog is None:
        return [], problems
    stored, unreadable = stored_reports(catalog)
    dated = [(Path(s.path), s.report) for s in stored if s.report.started]
    return dated, [*problems, *unreadable]


def without_future_reports(
    reports: Iterable[NamedReport], now: dt.datetime
) -> tuple[list[NamedReport], list[Problem]]:
    """Return the reports that do not start in the future, and a problem for each that does.

    A start up to `CLOCK_DIFFERENCE` after `now` is accepted. Reports from the future are refused,
    because a history accepts reports only in order of time: later real reports would be too old.
    """
    present: list[NamedReport] = []
    problems: list[Problem] = []
    for path, report in reports:
        if report.started and report.started > now + CLOCK_DIFFERENCE:
            what = f"the report started {report.started:%Y-%m-%d %H:%M} UTC, which is in the future"
            remedy = "correct the clock of the machine that ran it, and correct started"
            problems.append(Problem(path.as_posix(), 1, what, remedy))
        else:
            present.append((path, report))
    return present, problems


def _fold_history(
    root: Path, empty: State, reports: Sequence[NamedReport], *, anew: bool, progress: Progress
) -> FoldedHistory:
    """Fold reports into one history, and save it after each new report.

    `empty` states the accelerator and the basis of the history, and contains no reports. `reports`
    are in order of time. With `anew`, the stored history is deleted first. Raises ProblemsError
    after adding the other reports if the history cannot take one of them.
    """
    accelerator, basis = empty.accelerator, empty.basis
    name = f"{accelerator}, {basis}"
    new_count = change_count = 0
    problems: list[Problem] = []
    with (
        locked_manifest(root, accelerator) as stored_manifest,
        progress(name, len(reports)) as advance,
    ):
        manifest, stored_path = stored_manifest, state_path(root, accelerator, basis)
        if anew:
            stored_path.unlink(missing_ok=True)
            manifest = delete_reports(root, manifest, basis)
        state = read_state_of(root, accelerator, basis)
        for path, report in reports:
            advance()
            try:
                new_state, changes = fold_report(state, report, path)
            except ProblemsError as error:
                problems += error.at(path.as_posix()).problems
                continue
            point = history_point(report, path)
            if new_state is not state or point.id not in manifest.reports:
                manifest = add_report(root, manifest, report, point, changes)
                write_state(stored_path, new_state)  # last: an interrupted fold is repeated
            if new_state is not state:
                new_count, change_count = new_count + 1, change_count + len(changes)
            state = new_state
    if problems:
        raise ProblemsError(problems)
    return FoldedHistory(name, new_count, len(reports), change_count)


def _accelerator_and_basis(item: NamedReport) -> tuple[str, Basis]:
    return item[1].accelerator, basis_of(item[1])


def _fold_order(item: NamedReport) -> tuple[str, Basis, str]:
    started = item[1].started
    return *_accelerator_and_basis(item), started.isoformat() if started else ""

"""Adds test reports to the archive of results in `data/history`, in order of time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.progress import Progress, no_progress
from accelerator_portal.results.history import ResultKind, result_kind
from accelerator_portal.results.result_files import (
    delete_results,
    result_tables,
    write_report,
    writing,
)
from accelerator_portal.results.result_table import ResultTable
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report, with_full_suite_names

CLOCK_DIFFERENCE = dt.timedelta(days=1)
"""The time by which the clock of a machine that runs tests may be ahead."""

NamedReport = tuple[Path, Report]
"""The path of a report's file, which may be relative to the repository, and the report."""


class AddedReports(NamedTuple):
    """The number of reports that were added to the runs or baselines of an accelerator.

    `name` names the history, such as `cpu, runs`. `given` is the number of reports to add, and
    `new` is the number of reports that the archive did not contain before. `changes` is the number
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
class Intake:
    """The result for each history without problems, and the problems of all other histories."""

    histories: tuple[AddedReports, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def total(self) -> AddedReports | None:
        """The sums of the numbers of all histories; None for fewer than two histories."""
        if len(self.histories) < 2:  # noqa: PLR2004 - several
            return None
        counts = zip(*(history[1:] for history in self.histories), strict=True)
        return AddedReports(f"{len(self.histories)} histories", *map(sum, counts))


def add_reports(
    root: Path,
    reports: Iterable[NamedReport],
    *,
    anew: bool = False,
    on_result: Callable[[AddedReports], None] = lambda _: None,
    progress: Progress = no_progress,
) -> Intake:
    """Add reports to the archive.

    A report that is already in the archive changes nothing, so an interrupted command can be
    repeated. A report with a problem does not stop the other reports. If `anew` is true, each
    history that gets a report is deleted first, so `reports` must then contain all reports of this
    history. `on_result` is called with the result of each history without problems. Raises OSError
    if a file cannot be written.
    """
    histories: list[AddedReports] = []
    problems: list[Problem] = []
    for history, group in groupby(sorted(reports, key=_order), key=_history_of):
        try:
            added = _add(root, history, list(group), anew=anew, progress=progress)
        except ProblemsError as error:
            problems += error.problems
            continue
        on_result(added)
        histories.append(added)
    return Intake(tuple(histories), tuple(problems))


def _add(
    root: Path,
    history: tuple[str, ResultKind],
    reports: Sequence[NamedReport],
    *,
    anew: bool,
    progress: Progress,
) -> AddedReports:
    """Add reports of one history, in order of time; each is complete before the next one.

    Raises ProblemsError after adding the other reports if the history cannot take one of them.
    """
    accelerator, kind = history
    name = f"{accelerator}, {kind}"
    new: set[str] = set()
    problems: list[Problem] = []
    with writing(root, accelerator), progress(name, len(reports)) as advance:
        if anew:
            delete_results(root, accelerator, kind)
        table = ResultTable.read(root, accelerator, kind)
        for path, report in reports:
            advance()
            try:
                added = table.add(report, path)
            except ProblemsError as error:
                problems += error.at(path.as_posix()).problems
                continue
            if added:
                write_report(root, accelerator, kind, added[0], result_tables(report, *added))
                new.add(added[0].id)
        changes = table.history().changes if new else ()
    if problems:
        raise ProblemsError(problems)
    change_count = sum(change.report in new for change in changes)
    return AddedReports(name, len(new), len(reports), change_count)


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


def _history_of(item: NamedReport) -> tuple[str, ResultKind]:
    return item[1].accelerator, result_kind(item[1])


def _order(item: NamedReport) -> tuple[str, ResultKind, str]:
    started = item[1].started
    return *_history_of(item), started.isoformat() if started else ""

"""`accelerator-portal history`: what reports said over time, kept beside the data."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import click

from accelerator_portal.catalog import Problem, ProblemsError, load_catalog
from accelerator_portal.cli.options import ROOT, count, tell
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import read_report
from accelerator_portal.reports.store import stored_reports
from accelerator_portal.results.archive import (
    BASES,
    History,
    basis_of,
    keep,
    read_history,
    read_state_of,
)
from accelerator_portal.results.classify import classes
from accelerator_portal.results.history import fold
from accelerator_portal.results.standing import Basis, State

Dated = tuple[Path, Report]
"""A report with the path by which problems name it."""


@click.group()
def history() -> None:
    """Keep what reports said over time, and show it."""


@history.command("fold")
@ROOT
@click.option("--anew", is_flag=True, help="Forget what is kept; the reports given are all.")
@click.option("--quarantine", is_flag=True, help="Pass over folders and reports with errors.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def fold_reports(root: Path, files: tuple[Path, ...], anew: bool, quarantine: bool) -> None:
    """Fold reports into the histories below data/history; without FILES those of the folders.

    What was folded already is passed over, so that it can be interrupted and repeated.
    """
    reports, problems = _given(files) if files else _of_folders(root)
    if problems and not quarantine:
        tell(problems)
        sys.exit(1)
    order = sorted(reports, key=_place)
    failed: list[Problem] = []
    folded: list[_Folded] = []
    for (accelerator, basis), together in groupby(order, key=lambda item: _place(item)[:2]):
        try:
            done = _fold(root, State(accelerator, basis), list(together), anew=anew)
            click.echo(done)
            folded.append(done)
        except ProblemsError as error:
            failed += error.problems
        except OSError as error:
            raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if len(folded) > 1:
        new, given, changes = (sum(counts) for counts in zip(*(f[1:] for f in folded), strict=True))
        click.echo(_Folded(f"{len(folded)} histories", new, given, changes))
    if failed:
        tell(failed)
        sys.exit(1)


class _Folded(NamedTuple):
    """What came of folding: the history, reports that are new, all that were given, changes."""

    name: str
    new: int
    given: int
    changes: int

    def __str__(self) -> str:
        new, changes = count(self.new, "new report"), count(self.changes, "change")
        return f"{self.name}: {new} of {self.given}, {changes}"


@history.command("show")
@ROOT
@click.argument("accelerator")
def show(root: Path, accelerator: str) -> None:
    """Say what is kept of an accelerator: how its tests stand, and what each report changed."""
    found = False
    for basis in BASES:
        try:
            kept = read_history(root, accelerator, basis)
        except ProblemsError as error:
            tell(error.problems)
            sys.exit(1)
        if kept.state.reports:
            found = True
            click.echo(f"{basis}: {count(len(kept.state.reports), 'report')}")
            for line in _lines(kept):
                click.echo(f"  {line}")
    if not found:
        click.echo(f'No history of "{accelerator}" is kept. history fold makes one.', err=True)
        sys.exit(1)


def _lines(kept: History) -> Iterable[str]:
    words = Counter(word for _, word in classes(kept.state))
    yield f"now: {_counts(words)}"
    for (started, _), together in groupby(kept.changes, key=lambda c: (c.started, c.report)):
        yield f"{started:%Y-%m-%d}: {_counts(Counter(change.kind for change in together))}"


def _counts(words: Mapping[Any, int]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in sorted(words.items()))


def _fold(root: Path, empty: State, reports: Sequence[Dated], *, anew: bool) -> _Folded:
    """Fold reports of one accelerator, in the order of time, and keep each before the next."""
    state = empty if anew else read_state_of(root, empty.accelerator, empty.basis)
    name = f"{state.accelerator}, {state.basis}"
    new = changed = 0
    quiet = not sys.stderr.isatty()
    with click.progressbar(reports, label=name, hidden=quiet, file=sys.stderr) as bar:
        for path, report in bar:
            after, changes = fold(state, report, path)
            if after is not state:
                keep(root, after, changes, anew=anew and not new)
                new, changed = new + 1, changed + len(changes)
            state = after
    return _Folded(name, new, len(reports), changed)


def _place(item: Dated) -> tuple[str, Basis, str]:
    report = item[1]
    started = report.started.isoformat() if report.started else ""
    return report.accelerator, basis_of(report), started


def _given(files: Sequence[Path]) -> tuple[list[Dated], list[Problem]]:
    found: list[Dated] = []
    problems: list[Problem] = []
    for file in files:
        try:
            found.append((file, read_report(file)))
        except ProblemsError as error:
            problems += error.problems
    return found, problems


def _of_folders(root: Path) -> tuple[list[Dated], list[Problem]]:
    """The reports of the folders that have a date: the others have no place in time."""
    catalog, problems = load_catalog(root)
    if catalog is None:
        return [], problems
    stored, unreadable = stored_reports(catalog)
    dated = [(Path(s.path), s.report) for s in stored if s.report.started]
    return dated, [*problems, *unreadable]

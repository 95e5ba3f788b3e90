"""`accelerator-portal history`: what reports said over time, kept beside the data."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.history_archive import check, compact, refuse_without_history, repair
from accelerator_portal.cli.history_rollup import rollup
from accelerator_portal.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    JSON,
    ROOT,
    print_json,
    print_problems,
    progress_bar,
    require_repository,
)
from accelerator_portal.results.archive import BASES, History, read_history
from accelerator_portal.results.classify import classes
from accelerator_portal.results.folding import (
    fold_reports,
    folder_reports,
    read_reports,
    without_future,
)


@click.group()
def history() -> None:
    """Manage the history of test results: add, show, merge, check and repair."""


@history.command()
@ANY_ROOT
@click.option(
    "--rebuild", is_flag=True, help="Delete the existing history and rebuild it from these reports."
)
@click.option("--quarantine", is_flag=True, help="Skip folders and reports with errors.")
@click.argument("files", nargs=-1, type=INPUT_FILE)
def fold(root: Path, files: tuple[Path, ...], rebuild: bool, quarantine: bool) -> None:
    """Add reports to the histories in data/history.

    Without FILES, the reports in vendor folders are added.

    Reports that were added before are skipped, so you can interrupt the command and run it again.
    """
    if not files:
        require_repository(root)
    found, problems = read_reports(root, files) if files else folder_reports(root)
    reports, future = without_future(found, dt.datetime.now(dt.timezone.utc))
    if problems and not quarantine:
        print_problems(problems)
        sys.exit(1)
    folding = fold_reports(root, reports, anew=rebuild, told=click.echo, progress=progress_bar)
    if folding.total:
        click.echo(folding.total)
    if future or folding.problems:
        print_problems([*future, *folding.problems])
        sys.exit(1)


@history.command()
@ROOT
@click.argument("accelerator")
@JSON
def show(root: Path, accelerator: str, as_json: bool) -> None:
    """Show the history of an accelerator: current outcomes and what each report changed."""
    refuse_without_history(root, accelerator)
    found = {basis: read_history(root, accelerator, basis) for basis in BASES}
    found = {basis: kept for basis, kept in found.items() if kept.state.reports}
    if as_json:
        print_json({basis: _record(kept) for basis, kept in found.items()})
        return
    for basis, kept in found.items():
        click.echo(f"{basis}: {count(len(kept.state.reports), 'report')}")
        for line in _lines(kept):
            click.echo(f"  {line}")


for command in (compact, check, repair, rollup):
    history.add_command(command)


def _lines(kept: History) -> Iterable[str]:
    yield f"now: {_counts(_standing(kept))}"
    for started, _, kinds in _changes(kept):
        yield f"{started:%Y-%m-%d}: {_counts(kinds)}"


def _record(kept: History) -> dict[str, Any]:
    changes = [
        {"started": started, "report": report, "changes": kinds}
        for started, report, kinds in _changes(kept)
    ]
    return {"reports": len(kept.state.reports), "now": _standing(kept), "changes": changes}


def _standing(kept: History) -> Counter[str]:
    return Counter(word for _, word in classes(kept.state))


def _changes(kept: History) -> Iterator[tuple[dt.datetime, str, Counter[str]]]:
    for (started, report), together in groupby(kept.changes, lambda c: (c.started, c.report)):
        yield started, report, Counter(change.kind for change in together)


def _counts(words: Mapping[Any, int]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in sorted(words.items()))

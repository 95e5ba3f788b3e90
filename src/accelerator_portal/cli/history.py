"""`accelerator-portal history`: what reports said over time, kept beside the data."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.history_archive import check, compact, repair
from accelerator_portal.cli.history_rollup import rollup
from accelerator_portal.cli.options import ROOT, print_problems, progress_bar
from accelerator_portal.results.archive import BASES, History, read_history
from accelerator_portal.results.classify import classes
from accelerator_portal.results.folding import (
    fold_reports,
    folder_reports,
    read_reports,
    without_future,
)
from accelerator_portal.results.partitions.layout import archived_accelerators


@click.group()
def history() -> None:
    """Manage the history of test results: add, show, merge, check and repair."""


@history.command()
@ROOT
@click.option(
    "--anew", is_flag=True, help="Delete the existing history and rebuild it from these reports."
)
@click.option("--quarantine", is_flag=True, help="Skip folders and reports with errors.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def fold(root: Path, files: tuple[Path, ...], anew: bool, quarantine: bool) -> None:
    """Add reports to the histories in data/history.

    Without FILES, the reports in vendor folders are added.

    Reports that were added before are skipped, so you can interrupt the command and run it again.
    """
    found, problems = read_reports(root, files) if files else folder_reports(root)
    reports, future = without_future(found, dt.datetime.now(dt.timezone.utc))
    if problems and not quarantine:
        print_problems(problems)
        sys.exit(1)
    try:
        folding = fold_reports(root, reports, anew=anew, told=click.echo, progress=progress_bar)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if folding.total:
        click.echo(folding.total)
    if future or folding.problems:
        print_problems([*future, *folding.problems])
        sys.exit(1)


@history.command()
@ROOT
@click.argument("accelerator")
def show(root: Path, accelerator: str) -> None:
    """Show the history of an accelerator: current outcomes and what each report changed."""
    found = False
    for basis in BASES if accelerator in archived_accelerators(root) else ():
        try:
            kept = read_history(root, accelerator, basis)
        except ProblemsError as error:
            print_problems(error.problems)
            sys.exit(1)
        if kept.state.reports:
            found = True
            click.echo(f"{basis}: {count(len(kept.state.reports), 'report')}")
            for line in _lines(kept):
                click.echo(f"  {line}")
    if not found:
        click.echo(
            f'There is no history of "{accelerator}". Create it with: history fold', err=True
        )
        sys.exit(1)


for command in (compact, check, repair, rollup):
    history.add_command(command)


def _lines(kept: History) -> Iterable[str]:
    words = Counter(word for _, word in classes(kept.state))
    yield f"now: {_counts(words)}"
    for (started, _), together in groupby(kept.changes, key=lambda c: (c.started, c.report)):
        yield f"{started:%Y-%m-%d}: {_counts(Counter(change.kind for change in together))}"


def _counts(words: Mapping[Any, int]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in sorted(words.items()))

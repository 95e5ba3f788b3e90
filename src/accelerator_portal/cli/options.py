"""What several commands share: options, and how problems are told."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from accelerator_portal.catalog import Catalog, Problem, load_catalog
from accelerator_portal.catalog.progress import Advance
from accelerator_portal.catalog.wording import count

ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Repository folder. Default: the current folder.",
)

ARCHIVE = click.option(
    "--archive",
    metavar="PLACE",
    help="Archive of older runs and last valid folders: a folder or an fsspec URL.",
)


def print_problems(problems: Sequence[Problem]) -> None:
    """Print every problem, and how many there are."""
    for problem in problems:
        click.echo(problem)
    click.echo(f"{count(len(problems), 'problem')} found.", err=True)


def usable_catalog(root: Path) -> Catalog:
    """Return the catalog below a folder; print the problems and exit if it cannot be loaded."""
    catalog, problems = load_catalog(root)
    if catalog is None:
        print_problems(problems)
        sys.exit(1)
    return catalog


@contextmanager
def progress_bar(label: str, length: int) -> Iterator[Advance]:
    """Show a bar on a terminal while items are counted; in a log there is none."""
    quiet = not sys.stderr.isatty()
    with click.progressbar(length=length, label=label, hidden=quiet, file=sys.stderr) as bar:
        yield lambda: bar.update(1)

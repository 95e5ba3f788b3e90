"""What several commands share: options, and how problems are told."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import click

from accelerator_portal.catalog import Problem
from accelerator_portal.catalog.wording import count

T = TypeVar("T")

ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The repository; by default the folder you are in.",
)

ARCHIVE = click.option(
    "--archive",
    metavar="PLACE",
    help="Where older runs and last good folders are kept: a folder, or an fsspec URL.",
)


def tell(problems: Sequence[Problem]) -> None:
    """Print every problem, and how many there are."""
    for problem in problems:
        click.echo(problem)
    click.echo(f"{count(len(problems), 'problem')} found.", err=True)


def progress_bar(label: str, items: Sequence[T]) -> AbstractContextManager[Iterable[T]]:
    """Return items that a bar counts while they are taken; in a log there is no bar."""
    quiet = not sys.stderr.isatty()
    return click.progressbar(items, label=label, hidden=quiet, file=sys.stderr)

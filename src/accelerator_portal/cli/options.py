"""What several commands share: options, and how problems are told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from accelerator_portal.catalog import Problem

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


def count(number: int, thing: str) -> str:
    """Return a number and what it counts: `1 problem`, `2 problems`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

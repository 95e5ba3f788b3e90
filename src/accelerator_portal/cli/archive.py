"""`accelerator-portal archive`: the branch with what the nightly keeps."""

from __future__ import annotations

import re
from pathlib import Path

import click

from accelerator_portal.automation.archive_store import (
    BRANCH,
    fetch_archive,
    open_archive,
    push_archive,
)
from accelerator_portal.automation.inputs import remember
from accelerator_portal.cli.options import ANY_ROOT, OUTPUT_FOLDER

PLACE = click.argument("place", type=OUTPUT_FOLDER)


@click.group()
def archive() -> None:
    """Fetch and push the branch that stores the archive."""


@archive.command()
@ANY_ROOT
@PLACE
def fetch(root: Path, place: Path) -> None:
    """Check out the archive branch into the new folder PLACE, empty if there is no branch yet."""
    there = fetch_archive(root, place)
    click.echo(f"Fetched the archive to {place}." if there else f"There is no branch {BRANCH} yet.")


@archive.command()
@PLACE
def push(place: Path) -> None:
    """Replace the archive branch with one commit that contains the files in PLACE."""
    new = push_archive(place)
    click.echo("Pushed the archive." if new else "The archive has no changes to push.")


@archive.command()
@PLACE
@click.argument("inputs")
def published(place: Path, inputs: str) -> None:
    """Record in PLACE that the published site was built from INPUTS.

    INPUTS is a checksum that `build --outputs` writes.

    If nothing has changed since, the nightly update doesn't publish again.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", inputs):
        raise click.UsageError(
            "INPUTS isn't a SHA-256 checksum. Use the value that `build --outputs` writes"
        )
    remember(open_archive(str(place)), inputs)

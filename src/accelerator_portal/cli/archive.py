"""`accelerator-portal archive`: the branch with what the nightly keeps."""

from __future__ import annotations

import re
from pathlib import Path

import click

from accelerator_portal.automation.archive_branch import BRANCH, fetch_archive, push_archive
from accelerator_portal.automation.archive_store import ArchiveError, open_archive
from accelerator_portal.automation.inputs import remember
from accelerator_portal.cli.options import ROOT

PLACE = click.argument("place", type=click.Path(file_okay=False, path_type=Path))


@click.group()
def archive() -> None:
    """Bring and push the branch with what the nightly keeps."""


@archive.command()
@ROOT
@PLACE
def fetch(root: Path, place: Path) -> None:
    """Check the branch out into the new folder PLACE; empty, where there is none yet."""
    try:
        there = fetch_archive(root, place)
    except ArchiveError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"The archive is in {place}." if there else f"There is no {BRANCH} yet.")


@archive.command()
@PLACE
def push(place: Path) -> None:
    """Replace the branch by one commit with what PLACE holds now."""
    try:
        new = push_archive(place)
    except ArchiveError as error:
        raise click.ClickException(str(error)) from None
    click.echo("The archive is pushed." if new else "The archive holds nothing new.")


@archive.command()
@PLACE
@click.argument("inputs")
def published(place: Path, inputs: str) -> None:
    """Record in PLACE that the published site was made of INPUTS, which `build --outputs` gives.

    Where nothing has changed since, the nightly does not publish again.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", inputs):
        raise click.UsageError("INPUTS is not a SHA-256; take it from `build --outputs`")
    try:
        remember(open_archive(str(place)), inputs)
    except ArchiveError as error:
        raise click.ClickException(str(error)) from None

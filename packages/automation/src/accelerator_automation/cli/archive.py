"""`accelerator-portal archive` and `push-data`: push the archive and data to git branches."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from accelerator_automation import git_push
from accelerator_automation.archive_store import open_archive, store_published_digest
from accelerator_reports.cli.options import ANY_ROOT, OUTPUT_FOLDER
from accelerator_reports.files.wording import count

PLACE = click.argument("place", type=OUTPUT_FOLDER)


@click.group()
def archive() -> None:
    """Fetch and push the branch that stores the archive.

    The archive contains older test runs and the last valid version of each vendor folder.
    """


@archive.command()
@ANY_ROOT
@PLACE
def fetch(root: Path, place: Path) -> None:
    """Check out the archive branch into a new folder.

    The folder PLACE is empty if there is no branch yet.
    """
    has_branch = git_push.fetch_archive(root, place)
    click.echo(
        f"Fetched the archive to {place}."
        if has_branch
        else f"There is no branch {git_push.ARCHIVE_BRANCH} yet."
    )


@archive.command()
@PLACE
def push(place: Path) -> None:
    """Push the files in PLACE to the archive branch.

    The branch then has one commit. Changes that another job pushed after `archive fetch` are kept.
    If both changed the same file, nothing is pushed and the command fails.
    """
    has_changes = git_push.push_archive(place)
    click.echo("Pushed the archive." if has_changes else "The archive has no changes to push.")


@archive.command()
@PLACE
@click.argument("inputs")
def published(place: Path, inputs: str) -> None:
    """Record the checksum of the published site's inputs.

    INPUTS is the checksum that `build --outputs` writes. It is stored in PLACE, the folder with
    the archive. The nightly update publishes again only when the inputs have another checksum.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", inputs):
        raise click.UsageError(
            "INPUTS isn't a SHA-256 checksum. Use the value that `build --outputs` writes"
        )
    store_published_digest(open_archive(str(place)), inputs)


@click.command()
@ANY_ROOT
@click.argument("paths", nargs=-1, required=True)
@click.option("--branch", required=True, help="Push to this branch.")
@click.option("--message", required=True, help="Use this commit message.")
def push_data(root: Path, paths: tuple[str, ...], branch: str, message: str) -> None:
    """Push changed files to a branch.

    The files are in or below PATHS. The branch may have new commits since the checkout.

    A file that these commits changed, too, is not pushed: the branch's version stays. The other
    files are pushed, and the command exits with status 1. Run the job again to generate the file
    from the newest commit.
    """
    push_result = git_push.push_data(root, branch, paths, message)
    click.echo(f"Pushed {count(push_result.pushed, 'file')} to {branch}.")
    for path in push_result.left_out:
        click.echo(
            f"{path}: not pushed, because {branch} changed it, too. Run the job again.", err=True
        )
    sys.exit(int(bool(push_result.left_out)))

"""`accelerator-portal push-data`: for the workflows that push what they made."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.automation.github_branch import push_data as push
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import ANY_ROOT


@click.command()
@ANY_ROOT
@click.argument("paths", nargs=-1, required=True)
@click.option("--branch", required=True, help="Push to this branch.")
@click.option("--message", required=True, help="Use this commit message.")
def push_data(root: Path, paths: tuple[str, ...], branch: str, message: str) -> None:
    """Push changed files below PATHS, even if the branch has new commits.

    If the branch changed the same file, the branch's version stays, the other files are pushed
    and the command exits with status 1. Run the job again to create that file from the new branch.
    """
    done = push(root, branch, paths, message)
    click.echo(f"Pushed {count(done.pushed, 'file')} to {branch}.")
    for path in done.left_out:
        click.echo(
            f"{path}: not pushed, because {branch} changed it too. Run the job again.", err=True
        )
    sys.exit(int(bool(done.left_out)))

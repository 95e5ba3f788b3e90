"""`accelerator-portal build`: the whole site; the last one stays until the new one is ready."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from accelerator_portal.cli.options import ROOT

QUARANTINE = "PORTAL_QUARANTINE"


@click.command()
@ROOT
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="site",
    help="The folder of the site; by default site.",
)
@click.option(
    "--quarantine", is_flag=True, help="Set folders with errors aside, and build the rest."
)
def build(root: Path, out: Path, quarantine: bool) -> None:
    """Build the site with MkDocs, strictly.

    The new site is built beside the last one, which it replaces only when it is whole.
    """
    target = out.absolute()
    beside = target.with_name(f".{target.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(beside)]
    environment = {**os.environ, QUARANTINE: "true" if quarantine else "false"}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command, cwd=root, env=environment, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        _replace(target, beside)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    click.echo(f"The site is in {out}.")


def _replace(target: Path, beside: Path) -> None:
    """Put a folder in the place of another, which comes back where that fails."""
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    try:
        beside.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)

"""`accelerator-portal build`: the whole site; the last one stays until the new one is whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from accelerator_portal.automation.archive_store import ArchiveError, open_archive
from accelerator_portal.automation.last_good import lay_out, standing_in
from accelerator_portal.automation.publishing import (
    NothingToPutBackError,
    beside,
    publish,
    put_back,
    recover,
)
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.wording import count
from accelerator_portal.checks.quarantine import load_and_set_aside
from accelerator_portal.cli.options import ARCHIVE, ROOT
from accelerator_portal.site.broken_links import BuiltSite, faults

QUARANTINE = "PORTAL_QUARANTINE"
LAST_GOOD = "PORTAL_LAST_GOOD"

_SHOWN = 20


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
@ARCHIVE
@click.option("--put-back", "back", is_flag=True, help="Build nothing: put the last site back.")
def build(root: Path, out: Path, quarantine: bool, archive: str | None, back: bool) -> None:
    """Build the site with MkDocs, strictly, and look at every link before it is published.

    The new site is built beside the last one, which it replaces only when it is whole. The last
    one is kept: --put-back changes the two for each other. With an archive, folders with errors
    are shown in their last good version.
    """
    target = out.absolute()
    try:
        if back:
            put_back(target)
            click.echo(f"The previous site is in {out} again.")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        recover(target)
        with TemporaryDirectory(prefix="portal-last-good-") as folder:
            last_good = _laid_out(root, archive, Path(folder)) if archive else None
            _build(root, beside(target), quarantine, last_good)
        _verify(beside(target))
        publish(target)
    except (ArchiveError, NothingToPutBackError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    finally:
        shutil.rmtree(beside(target), ignore_errors=True)
    click.echo(f"The site is in {out}.")


def _laid_out(root: Path, url: str, place: Path) -> Path:
    """Lay out the last good versions of the folders that have errors now."""
    found, _ = load_and_set_aside(root, today())
    archive = open_archive(url)
    broken = found.set_aside if found else ()
    lay_out(archive, standing_in(archive, broken, today()), place)
    return place


def _build(root: Path, place: Path, quarantine: bool, last_good: Path | None) -> None:
    """Build into a folder; ends the program as MkDocs does where that fails."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    environment = {
        **os.environ,
        QUARANTINE: "true" if quarantine or last_good else "false",
        LAST_GOOD: str(last_good.absolute()) if last_good else "",
    }
    done = subprocess.run(command, cwd=root, env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def _verify(place: Path) -> None:
    """Say every fault of what was built; ends the program where there is one."""
    found = [str(fault) for fault in faults(BuiltSite(place))]
    for line in found[:_SHOWN]:
        click.echo(line, err=True)
    if found:
        raise click.ClickException(
            f"the new site has {count(len(found), 'broken link')}; the last one stays"
        )

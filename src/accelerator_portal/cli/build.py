"""`accelerator-portal build`: the whole site; the last one stays until the new one is whole."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.automation import building
from accelerator_portal.automation.archive_store import open_archive
from accelerator_portal.automation.building import restore_previous
from accelerator_portal.catalog.clock import today
from accelerator_portal.cli.options import ARCHIVE, OUTPUT_FILE, OUTPUT_FOLDER, ROOT

_SHOWN = 20


@click.command()
@ROOT
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    default="site",
    help="Write the site to this folder. Default: site.",
)
@click.option(
    "--quarantine", is_flag=True, help="Exclude vendor folders with errors and build the rest."
)
@ARCHIVE
@click.option(
    "--outputs",
    type=OUTPUT_FILE,
    help="Append inputs=SHA256, a checksum of the site's inputs, to this file. Needs --archive.",
)
@click.option("--restore", is_flag=True, help="Restore the previous site instead of building.")
def build(  # noqa: PLR0913, PLR0917 - one for each option
    root: Path,
    out: Path,
    quarantine: bool,
    archive: str | None,
    outputs: Path | None,
    restore: bool,
) -> None:
    """Build the site with MkDocs in strict mode and check every link.

    A successful build replaces the existing site; a failed build leaves it unchanged. The previous
    site is kept: --restore restores it. With an archive, vendor folders with errors appear in
    their last valid version.
    """
    try:
        if restore:
            restore_previous(out.absolute())
            click.echo(f"Restored the previous site to {out}.")
            return
        store = open_archive(archive) if archive else None
        building.build(root, out, today(), store, quarantine=quarantine)
        if outputs and store:
            _add_inputs(outputs, building.inputs_of_build(root, today(), store))
    except building.EngineError as error:  # it said why itself
        sys.exit(error.code)
    except building.BrokenLinksError as error:
        for link in error.links[:_SHOWN]:
            click.echo(link, err=True)
        raise click.ClickException(str(error)) from None
    click.echo(f"Built the site in {out}.")


def _add_inputs(outputs: Path, digest: str) -> None:
    """Add a line to GitHub's file: other steps wrote to it."""
    with outputs.open("a", encoding="utf-8") as file:
        file.write(f"inputs={digest}\n")

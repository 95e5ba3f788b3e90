"""Part of `accelerator_portal.cli.build`: build."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from accelerator_automation import building
from accelerator_automation.archive_store import Archive, open_archive
from accelerator_automation.building import Quarantine, restore_previous
from accelerator_automation.last_good_folders import last_good_dates
from accelerator_automation.quarantined_builds import build_with_quarantine
from accelerator_portal.checks import errors
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.cli.options import ARCHIVE, ROOT
from accelerator_reports.cli.options import OUTPUT_FILE, OUTPUT_FOLDER
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import ProblemsError

_MAX_SHOWN_LINKS = 20


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
    """Build the site and check every link.

    MkDocs runs in strict mode.

    A successful build replaces the existing site; a failed build leaves it unchanged. The previous
    site is kept: --restore restores it. With an archive, vendor folders with errors appear in
    their last valid version.
    """
    try:
        if restore:
            restore_previous(out.absolute())
            click.echo(f"Restored the previous site to {out}.")
            return
        restore_after_interruption(out)
        if quarantine or archive:
            store = open_archive(archive) if archive else None
            digest = _build_with_quarantine(root, out, store)
            if outputs and store:
                with outputs.open("a", encoding="utf-8") as file:  # other steps write to it, too
                    file.write(f"inputs={digest}\n")
        else:
            building.build(root, out)
    except building.EngineError as error:  # MkDocs has printed the error
        sys.exit(error.code)
    except building.BrokenLinksError as error:
        for link in error.links[:_MAX_SHOWN_LINKS]:
            click.echo(link, err=True)
        raise click.ClickException(str(error)) from None
    click.echo(f"Built the site in {out}.")


def restore_after_interruption(out: Path) -> None:
    """If an interrupted build left no site at `out`, restore the previous one, and say so."""
    if building.recover_site(out.absolute()):
        click.echo(f"Restored the site in {out}: an earlier build was interrupted.", err=True)


def _build_with_quarantine(root: Path, out: Path, archive: Archive | None) -> str:
    """Build the site without broken folders, and return the digest of its inputs.

    Prints the reason for each folder that only the build shows to be broken. Raises ProblemsError
    if the shared data has errors.
    """
    catalog, problems = load_with_quarantine(root, today())
    if catalog is None or errors(problems):
        raise ProblemsError(errors(problems))
    standing_in = last_good_dates(archive, catalog.set_aside, today()) if archive else {}
    quarantine = build_with_quarantine(
        root,
        out,
        catalog,
        Quarantine(archive, standing_in),
        today(),
        on_search=partial(click.echo, err=True),
    )
    for name, why in quarantine.excluded.items():
        click.echo(f"{ACCELERATORS}/{name} is quarantined, because {why}", err=True)
    without_excluded, _ = load_with_quarantine(root, today(), excluded=quarantine.excluded)
    return building.inputs_digest(root, without_excluded or catalog, quarantine.standing_in)

"""`accelerator-portal additional-platforms`: writes the hand-over to pytorch.org."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.cli.build import refuse_other_files
from accelerator_portal.cli.options import ROOT, checked_catalog
from accelerator_portal.releases.upstream_listing import read_upstream
from accelerator_portal.site.hand_over import (
    OVERVIEW,
    hand_over_files,
    hand_over_problems,
    hand_overs,
)
from accelerator_reports.cli.options import INPUT, OUTPUT_FOLDER
from accelerator_reports.files.fields import is_public_https_url
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.text_file import write_folder_atomically
from accelerator_reports.files.wording import count


def _site_address(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not is_public_https_url(value):
        raise click.BadParameter("it must be the https address of the published site")
    return f"{value.rstrip('/')}/"


@click.command()
@ROOT
@click.option(
    "--site-url",
    envvar="PORTAL_SITE_URL",
    required=True,
    callback=_site_address,
    help="Link to the complete guides on the published site at this address.",
)
@click.option(
    "--upstream",
    type=INPUT,
    help="Compare with a checkout of pytorch.github.io, or a downloaded additional-platforms.json.",
)
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    required=True,
    help="Write to this folder. It must be new, empty or an earlier hand-over.",
)
def additional_platforms(root: Path, site_url: str, upstream: Path | None, out: Path) -> None:
    """Write a hand-over to pytorch.org.

    For each platform, these are its JSON and Markdown files, the application and the text of the
    pull request. hand-over.md lists them and, with --upstream, what to correct on pytorch.org.
    """
    refuse_other_files(out, OVERVIEW, "hand-over")
    catalog = checked_catalog(root)
    items = hand_overs(catalog, site_url)
    listing, problems = read_upstream(upstream) if upstream else (None, [])
    problems += hand_over_problems(items)
    if problems:
        raise ProblemsError(problems)
    write_folder_atomically(
        out, {file.path: file.content for file in hand_over_files(catalog, items, listing)}
    )
    click.echo(f"Wrote the files of {count(len(items), 'platform')} to {out}. Read {OVERVIEW}.")

"""`accelerator-portal nightly`: collect, look up, fold, keep, build, publish, tell."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.automation.archive_store import ArchiveError, open_archive
from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.night_lock import NightRunningError, one_night
from accelerator_portal.automation.night_steps import LOOKED_UP, Tonight
from accelerator_portal.automation.night_summary import summary
from accelerator_portal.automation.nightly import github_for, run_night
from accelerator_portal.automation.stepping import Done
from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.cli.options import ARCHIVE, ROOT, tell


@click.command()
@ROOT
@ARCHIVE
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="site",
    help="The folder of the site.",
)
@click.option(
    "--made-here",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Reports of this project's own runs, as <accelerator>/<name>.json.",
)
@click.option(
    "--issues",
    "repository",
    metavar="OWNER/NAME",
    help="Open, renew and close an issue for each breakage there. Needs GH_TOKEN.",
)
@click.option(
    "--pull-requests",
    metavar="OWNER/NAME",
    help="Open a pull request there for each platform with a new plugin release. Needs GH_TOKEN.",
)
@click.option(
    "--summary", "told", type=click.Path(dir_okay=False, path_type=Path), help="Write it here."
)
@click.option(
    "--outputs",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Add published=true or false to this file, for the workflow.",
)
@click.option(
    "--preview",
    is_flag=True,
    help="Another job publishes the site: don't record it as published.",
)
@click.option("--skip", multiple=True, type=click.Choice([*LOOKED_UP]))
def nightly(  # noqa: PLR0913, PLR0917 - one for each option
    root: Path,
    archive: str | None,
    out: Path,
    made_here: Path | None,
    repository: str | None,
    pull_requests: str | None,
    told: Path | None,
    outputs: Path | None,
    preview: bool,
    skip: tuple[str, ...],
) -> None:
    """Take what is new, set aside what is broken, publish the rest, say what changed.

    Fetches the declared reports, looks up packages and commands, folds the histories and builds
    the site beside the last one. A step that fails is said, and the others go on; the command then
    fails at its end. It can be stopped and started again: nothing is lost or doubled.

    With an archive, older runs and last good folders are kept there, broken folders are shown as
    they were last, and where nothing is new nothing is built.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        tell(problems)
        sys.exit(1)
    try:
        store = open_archive(archive) if archive else None
        api = github_for(catalog, required=bool(repository or pull_requests))
    except (ArchiveError, GitHubError) as error:
        raise click.ClickException(str(error)) from None
    tonight = Tonight(root, out.absolute(), catalog, store, api, repository, made_here, preview)
    tonight.pull_requests = pull_requests
    try:
        with one_night(root, tonight.out):
            night = run_night(tonight, skip, _say)
    except NightRunningError as error:
        raise click.ClickException(str(error)) from None
    if told:
        write_text_atomically(told, summary(night, catalog))
    else:
        click.echo(summary(night, catalog))
    if outputs:
        with outputs.open("a", encoding="utf-8") as file:  # GitHub's file: other steps wrote to it
            file.write(f"published={'true' if night.published else 'false'}\n")
    if night.failed:
        sys.exit(1)


def _say(step: Done) -> None:
    click.echo(f"{step.name}: {'failed: ' if step.failed else ''}{step.words}", err=True)

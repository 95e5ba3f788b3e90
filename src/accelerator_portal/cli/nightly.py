"""`accelerator-portal nightly`: collect, look up, fold, keep, build, publish, tell."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from accelerator_portal.automation.archive_store import ArchiveError, open_archive
from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.github_client import client_here
from accelerator_portal.automation.nightly import Done, Night, run, summary
from accelerator_portal.catalog import Catalog, ProblemsError, load_catalog
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.cli.night_steps import LOOKED_UP, Tonight, steps
from accelerator_portal.cli.options import ARCHIVE, ROOT, tell
from accelerator_portal.site.difference import compare, markdown, read_state


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
    "--summary", "told", type=click.Path(dir_okay=False, path_type=Path), help="Write it here."
)
@click.option(
    "--outputs",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Add published=true or false to this file, for the workflow.",
)
@click.option("--skip", multiple=True, type=click.Choice([name for name, _ in LOOKED_UP]))
def nightly(  # noqa: PLR0913, PLR0917 - one for each option
    root: Path,
    archive: str | None,
    out: Path,
    made_here: Path | None,
    repository: str | None,
    told: Path | None,
    outputs: Path | None,
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
        api = _api(catalog, needed=repository is not None)
    except (ArchiveError, GitHubError) as error:
        raise click.ClickException(str(error)) from None
    tonight = Tonight(root, out.absolute(), catalog, store, archive, api, repository, made_here)
    with TemporaryDirectory(prefix="portal-night-") as folder:
        before = _copy(out, Path(folder, "before"))  # the build takes its place
        done = run(steps(tonight, skip), _say)
        difference = _difference(before, out) if tonight.published else ""
    night = Night(
        done,
        tuple(tonight.fetched),
        tonight.set_aside(),
        tonight.overdue(),
        difference,
        standing_in=tonight.standing_in,
        issues=tonight.issues,
    )
    _tell(summary(night, catalog), told, outputs, published=tonight.published)
    if night.failed:
        sys.exit(1)


def _api(catalog: Catalog, *, needed: bool) -> Api | None:
    """GitHub's client, where something is to be asked of it. Raises GitHubError."""
    on_github = any(
        feed.url is None for p in catalog.platforms for feed in p.accelerator.report_feeds
    )
    try:
        return client_here() if needed or on_github else None
    except GitHubError:
        if needed:
            raise
        return None  # each feed on GitHub says so


def _copy(site: Path, place: Path) -> Path:
    """Copy a site that there may be."""
    if site.is_dir():
        shutil.copytree(site, place)
    return place


def _difference(before: Path, after: Path) -> str:
    """What readers see differently; empty where there was no site, or there is none."""
    try:
        return markdown(compare(read_state(before), read_state(after)))
    except ProblemsError:
        return ""


def _tell(text: str, told: Path | None, outputs: Path | None, *, published: bool) -> None:
    if told:
        write_text_atomically(told, text)
    else:
        click.echo(text)
    if outputs:
        with outputs.open("a", encoding="utf-8") as file:  # GitHub's file: other steps wrote to it
            file.write(f"published={'true' if published else 'false'}\n")


def _say(step: Done) -> None:
    click.echo(f"{step.name}: {'failed: ' if step.failed else ''}{step.words}", err=True)

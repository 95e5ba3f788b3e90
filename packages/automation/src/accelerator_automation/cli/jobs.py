"""The tasks of jobs: `nightly`, `build`, `archive`, `push-data` and `pull-request-comment`."""

from __future__ import annotations

import re
import sys
import time
from functools import partial
from pathlib import Path

import click
from pydantic import ValidationError

from accelerator_automation import building, proposals
from accelerator_automation.archive_store import (
    Archive,
    last_good_dates,
    open_archive,
    store_published_digest,
)
from accelerator_automation.building import (
    Quarantine,
    archive_metrics,
    build_with_quarantine,
    restore_previous,
)
from accelerator_automation.github.client import client_from_environment
from accelerator_automation.github.comments import maintainers
from accelerator_automation.github.models import PullRequestRun
from accelerator_automation.night_steps import (
    NETWORK_STEPS,
    TRIAL_SYSTEM,
    NightRun,
    StepResult,
    summary,
)
from accelerator_automation.nightly import github_client_for, night_metrics, nightly_lock, run_night
from accelerator_automation.site_change_comment import post_comment
from accelerator_portal.checks import errors
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.cli.options import ARCHIVE, ROOT, catalog_of_main, usable_catalog
from accelerator_portal.packages.trial_installs import Machine
from accelerator_reports.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    INPUT_FOLDER,
    OUTPUT_FILE,
    OUTPUT_FOLDER,
)
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.text_file import write_text_atomically
from accelerator_reports.files.wording import count

# Part of `accelerator_portal.cli.build`: build.

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


# `accelerator-portal archive` and `push-data`: push the archive and data to git branches.

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
    has_branch = proposals.fetch_archive(root, place)
    click.echo(
        f"Fetched the archive to {place}."
        if has_branch
        else f"There is no branch {proposals.ARCHIVE_BRANCH} yet."
    )


@archive.command()
@PLACE
def push(place: Path) -> None:
    """Push the files in PLACE to the archive branch.

    The branch then has one commit. Changes that another job pushed after `archive fetch` are kept.
    If both changed the same file, nothing is pushed and the command fails.
    """
    has_changes = proposals.push_archive(place)
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
    push_result = proposals.push_data(root, branch, paths, message)
    click.echo(f"Pushed {count(push_result.pushed, 'file')} to {branch}.")
    for path in push_result.left_out:
        click.echo(
            f"{path}: not pushed, because {branch} changed it, too. Run the job again.", err=True
        )
    sys.exit(int(bool(push_result.left_out)))


# `accelerator-portal pull-request-comment`: posts the portal's comment on a pull request.


@click.command("pull-request-comment")
@ROOT
@click.option(
    "--event",
    type=INPUT_FILE,
    envvar="GITHUB_EVENT_PATH",
    required=True,
    help="Read GitHub's workflow_run event from this file. Default: the file in GITHUB_EVENT_PATH.",
)
def pull_request_comment(root: Path, event: Path) -> None:
    """Write the portal's comment on a pull request. Needs GH_TOKEN.

    ROOT is a checkout of the base branch, never of the pull request. The command reads the
    platforms' maintainers from this checkout.
    """
    try:
        run = PullRequestRun.model_validate_json(event.read_bytes())
    except ValidationError as error:
        location = ".".join(map(str, error.errors()[0]["loc"]))
        raise click.ClickException(f"{event} isn't a workflow_run event: {location}") from None
    catalog = catalog_of_main(root)
    click.echo(post_comment(client_from_environment(), run, maintainers(catalog)))


def _system(_context: click.Context, _param: click.Parameter, value: str) -> Machine:
    parts = value.split("/")
    if len(parts) != len(Machine._fields):
        raise click.BadParameter(f"use OS/ARCH/PYTHON, such as {'/'.join(TRIAL_SYSTEM)}")
    return Machine(*parts)


@click.command()
@ROOT
@ARCHIVE
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    default="site",
    help="Write the site to this folder. Default: site.",
)
@click.option(
    "--made-here",
    type=INPUT_FOLDER,
    help="Add the reports run by this project in this folder, as <accelerator>/<name>.json.",
)
@click.option(
    "--reports",
    type=INPUT_FOLDER,
    help="Add the other reports in this folder, as <accelerator>/<name>.json.",
)
@click.option(
    "--allow-host",
    "private_hosts",
    multiple=True,
    metavar="NAME",
    help="Fetch feeds from this host, too, although it is in a private network. Repeatable.",
)
@click.option(
    "--trials",
    type=INPUT_FOLDER,
    help="Add the installations in this folder, which `install verify --try` wrote as "
    "<accelerator>.json.",
)
@click.option(
    "--trials-system",
    "trial_system",
    metavar="OS/ARCH/PYTHON",
    default="/".join(TRIAL_SYSTEM),
    callback=_system,
    help="Add only installations on this system. Default: " + "/".join(TRIAL_SYSTEM) + ".",
)
@click.option(
    "--issues",
    "repository",
    metavar="OWNER/NAME",
    help="Create, update and close an issue in this repository for each regression, and for each "
    "platform whose cited files have changed. Requires GH_TOKEN.",
)
@click.option(
    "--pull-requests",
    metavar="OWNER/NAME",
    help="Open a pull request in this repository for each platform with a new plugin release, for "
    "each new PyTorch release, and for changed lists of models and baselines. Requires GH_TOKEN.",
)
@click.option(
    "--summary",
    "summary_file",
    type=OUTPUT_FILE,
    help="Write the summary to this file instead of printing it.",
)
@click.option(
    "--outputs",
    type=OUTPUT_FILE,
    help="Append published=true to this file if the site must be published, else published=false.",
)
@click.option(
    "--preview",
    is_flag=True,
    help="Build without recording the site as published, because another job publishes it.",
)
@click.option(
    "--skip",
    multiple=True,
    type=click.Choice([*NETWORK_STEPS]),
    help="Skip the look-up of packages or the check of install commands. Repeatable.",
)
def nightly(  # noqa: PLR0913, PLR0917 - one for each option
    root: Path,
    archive: str | None,
    out: Path,
    made_here: Path | None,
    reports: Path | None,
    private_hosts: tuple[str, ...],
    trials: Path | None,
    trial_system: Machine,
    repository: str | None,
    pull_requests: str | None,
    summary_file: Path | None,
    outputs: Path | None,
    preview: bool,
    skip: tuple[str, ...],
) -> None:
    """Run the nightly update and build the site.

    The command fetches the declared reports, verifies packages and install commands, updates the
    histories and builds the site. If a step fails, the other steps still run, and the command fails
    at the end. You can interrupt it and run it again.

    With an archive, the command stores older runs and the last valid version of each folder in it,
    shows a broken folder in its last valid version, and builds no site if nothing changed.
    """
    catalog = usable_catalog(root)
    store = open_archive(archive) if archive else None
    api = github_client_for(catalog, required=bool(repository or pull_requests))
    night_run = NightRun(root, out.absolute(), catalog, store, api, repository, made_here, reports)
    night_run.private_hosts, night_run.preview = frozenset(map(str.lower, private_hosts)), preview
    night_run.pull_requests = pull_requests
    night_run.trials, night_run.trial_system = trials, trial_system
    night_run.on_search = partial(click.echo, err=True)
    start = time.monotonic()
    with nightly_lock(root, night_run.out):
        restore_after_interruption(out)
        run_night(night_run, skip, _print_step_result)
    if summary_file:
        write_text_atomically(summary_file, summary(night_run))
    else:
        click.echo(summary(night_run))
    if outputs:
        with outputs.open("a", encoding="utf-8") as file:  # other steps write to it, too
            file.write(f"published={'true' if night_run.is_to_publish else 'false'}\n")
    if store:
        archive_metrics(store, night_metrics(night_run, time.monotonic() - start))
    if night_run.failed:
        sys.exit(1)


def _print_step_result(step: StepResult) -> None:
    click.echo(f"{step.name}: {'failed: ' if step.failed else ''}{step.words}", err=True)

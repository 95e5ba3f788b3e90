"""`accelerator-portal nightly`: runs the nightly update, builds the site and writes a summary."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import click

from accelerator_automation.archive_store import open_archive
from accelerator_automation.cli.build import restore_after_interruption
from accelerator_automation.night_metrics import archive_metrics
from accelerator_automation.night_steps import NETWORK_STEPS, TRIAL_SYSTEM, NightRun
from accelerator_automation.night_summary import summary
from accelerator_automation.nightly import github_client_for, night_metrics, nightly_lock, run_night
from accelerator_automation.step_runner import StepResult
from accelerator_portal.cli.options import ARCHIVE, ROOT, usable_catalog
from accelerator_portal.packages.install_check import Machine
from accelerator_reports.cli.options import INPUT_FOLDER, OUTPUT_FILE, OUTPUT_FOLDER
from accelerator_reports.files.atomic_write import write_text_atomically


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

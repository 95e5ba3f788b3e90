"""`accelerator-portal packages` and `install`: update package data and verify install commands."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click
from packaging.utils import canonicalize_name

from accelerator_portal.cli.options import ROOT, progress_bar, usable_catalog
from accelerator_reports.cli.options import OUTPUT_FOLDER, WholeNumber
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import did_you_mean, printable
from accelerator_reports.files.wording import count


@click.group()
def packages() -> None:
    """Manage package data from package indexes."""


@packages.command("sync")
@ROOT
@click.option(
    "--package",
    "wanted",
    multiple=True,
    metavar="NAME",
    help="Update only this package. Repeatable.",
)
def sync_packages(root: Path, wanted: tuple[str, ...]) -> None:
    """Update data/packages from package indexes.

    The command reads the indexes that install options use.

    Only metadata is downloaded, never whole packages. If an index can't be read, its data stays
    unchanged and the command still succeeds. You can interrupt it and run it again.
    """
    from accelerator_portal.http import RequestLimits
    from accelerator_portal.packages.portal_packages import portal_packages
    from accelerator_portal.packages.sync import SyncOptions, package_lines, sync, sync_summary

    catalog = usable_catalog(root)
    package_names = [package.name for package in portal_packages(catalog)]
    names = _requested_packages(wanted, package_names)
    start = time.monotonic()
    with progress_bar("packages", len(names) or len(package_names)) as advance:
        options = SyncOptions(
            day=utc_now().date(),
            only=names,
            limits=click.get_current_context().find_object(RequestLimits) or RequestLimits(),
            on_package=lambda _: advance(),
        )
        sync_result = sync(root, catalog, options)
    for package in sync_result.packages:
        for line in package_lines(package, catalog.packages_read):
            click.echo(printable(line))
    traffic, seconds = sync_result.traffic, time.monotonic() - start
    traffic_text = (
        f"{count(traffic.requests, 'request')}, {traffic.bytes / 1e6:.1f} MB, {seconds:.0f} s."
    )
    click.echo(traffic_text, err=True)
    click.echo(sync_summary(sync_result))


def _requested_packages(option_names: tuple[str, ...], package_names: list[str]) -> frozenset[str]:
    names = frozenset(map(canonicalize_name, option_names))
    for name in sorted(names.difference(package_names)):
        error_text = (
            f'no vendor folder uses the package "{name}"; {did_you_mean(name, package_names)}'
        )
        raise click.BadParameter(error_text, param_hint="--package")
    return names


@click.group()
def install() -> None:
    """Verify install commands."""


@install.command()
@ROOT
@click.option(
    "--accelerator",
    "accelerators",
    multiple=True,
    metavar="ID",
    help="Verify only the commands of this accelerator. Repeatable.",
)
@click.option(
    "--cache",
    type=OUTPUT_FOLDER,
    default=".cache/uv",
    help="Keep uv's cache in this folder. Default: .cache/uv.",
)
@click.option(
    "--try",
    "try_minutes",
    is_flag=False,
    flag_value=30,
    default=0,
    metavar="[MINUTES]",
    type=WholeNumber(0, 600),
    help="Install the commands that match this machine, too, for this many minutes. Default: 30.",
)
def verify(root: Path, accelerators: tuple[str, ...], cache: Path, try_minutes: int) -> None:
    """Resolve all pip and uv commands without installing.

    The results are written to data/verdicts.

    With --try, the commands that match this operating system, processor and Python are also
    installed, each in a new environment that is removed afterward. Their packages are imported,
    and their checks are run. This runs the code of the packages: use an environment without
    credentials. Each installation is isolated with bubblewrap: it can't write anything else.
    Each result is written at once; press Ctrl-C to stop.

    If a package index doesn't respond, the commands that use it keep their previous results and
    dates.
    """
    from accelerator_portal.packages.trial_installs import require_isolation
    from accelerator_portal.packages.verification import Verification, total_counts, verify_commands

    catalog = usable_catalog(root, *accelerators)
    if try_minutes:
        require_isolation()
    verification = Verification(
        day=utc_now().date(),
        cache=cache.absolute(),
        trial_seconds=60 * try_minutes,
        progress=progress_bar,
        on_trial=partial(click.echo, err=True),
    )
    counts_by_platform = verify_commands(
        root, catalog, verification, accelerators, on_progress=click.echo
    )
    if sum_of_all := total_counts(counts_by_platform):
        click.echo(sum_of_all)

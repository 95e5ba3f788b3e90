"""`accelerator-portal install`: what can be said of install commands without installing."""

from __future__ import annotations

import datetime as dt
from functools import partial
from pathlib import Path

import click

from accelerator_portal.cli.options import (
    OUTPUT_FOLDER,
    ROOT,
    progress_bar,
    refuse_unknown,
    usable_catalog,
)


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
    "--jobs",
    type=click.IntRange(1, 32),
    default=4,
    help="Resolve this many commands at once. Default: 4.",
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
    type=click.IntRange(0, 600),
    help="Install the commands that match this machine, too, for this long. Default: 30.",
)
def verify(
    root: Path, accelerators: tuple[str, ...], jobs: int, cache: Path, try_minutes: int
) -> None:
    """Resolve every pip and uv command without installing, and write the results to data/verdicts.

    With --try, the commands that match this operating system, processor and Python are also
    installed, each in a new environment that is removed afterward. Their packages are imported,
    and their checks are run. This runs the code of the packages: use an environment without
    credentials. Each result is written at once; press Ctrl-C to stop.

    If a package index doesn't respond, the command keeps its previous result and date.
    """
    from accelerator_portal.packages.verification import Verification, total, verify_commands

    catalog = usable_catalog(root)
    for accelerator in accelerators:
        refuse_unknown(accelerator, catalog.by_id)
    how = Verification(
        day=dt.datetime.now(dt.timezone.utc).date(),
        cache=cache.absolute(),
        jobs=jobs,
        trial_seconds=60 * try_minutes,
        progress=progress_bar,
        trial_told=partial(click.echo, err=True),
    )
    found = verify_commands(root, catalog, how, accelerators, told=click.echo)
    if sum_of_all := total(found):
        click.echo(sum_of_all)

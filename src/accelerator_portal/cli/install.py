"""`accelerator-portal install`: what can be said of install commands without installing."""

from __future__ import annotations

import datetime as dt
import sys
from functools import partial
from pathlib import Path

import click

from accelerator_portal.catalog import Catalog, ProblemsError, load_catalog
from accelerator_portal.cli.options import ROOT, print_problems, progress_bar


@click.group()
def install() -> None:
    """Verify install commands."""


@install.command()
@ROOT
@click.option(
    "--platform", "platforms", multiple=True, help="Verify only this platform. Repeatable."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 32),
    default=4,
    help="Number of commands to resolve at once. Default: 4.",
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    default=".cache/uv",
    help="Folder of uv's cache. Default: .cache/uv.",
)
@click.option(
    "--try", "try_them", is_flag=True, help="Also install the commands that match this machine."
)
def verify(root: Path, platforms: tuple[str, ...], jobs: int, cache: Path, try_them: bool) -> None:
    """Resolve every pip and uv command without installing, and write the results to data/verdicts.

    With --try, the commands of --platform that match this operating system, processor and Python
    are also installed, each in a new environment, and their checks are run.

    If a package index doesn't respond, the command keeps its previous result and date.
    """
    from accelerator_portal.packages.verification import Verification, total, verify_commands

    catalog, problems = load_catalog(root)
    if catalog is None:
        print_problems(problems)
        sys.exit(1)
    _refuse_unknown(catalog, platforms)
    how = Verification(
        day=dt.datetime.now(dt.timezone.utc).date(),
        cache=cache.absolute(),
        jobs=jobs,
        try_them=try_them,
        progress=progress_bar,
        trial_told=partial(click.echo, err=True),
    )
    try:
        found = verify_commands(root, catalog, how, platforms, told=click.echo)
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(1)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if sum_of_all := total(found):
        click.echo(sum_of_all)


def _refuse_unknown(catalog: Catalog, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in catalog.by_id:
            known = ", ".join(sorted(catalog.by_id))
            what = f'there is no platform "{name}". Platforms: {known}'
            raise click.BadParameter(what, param_hint="--platform")

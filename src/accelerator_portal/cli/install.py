"""`accelerator-portal install`: what can be said of install commands without installing."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

from accelerator_portal.catalog import Catalog, Platform, ProblemsError, load_catalog
from accelerator_portal.cli.options import ROOT, tell
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.questions import every_question
from accelerator_portal.packages.trying import is_of_this_machine, try_row
from accelerator_portal.packages.verdict_file import Verdicts, read_verdicts, write_verdicts
from accelerator_portal.packages.verifying import answered, shares, tried, verdicts


@click.group()
def install() -> None:
    """Look at install commands."""


@install.command()
@ROOT
@click.option("--platform", "platforms", multiple=True, help="Only this platform; may be repeated.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, help="So many at once (4).")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    default=".cache/uv",
    help="uv's cache (.cache/uv).",
)
@click.option("--try", "try_them", is_flag=True, help="Also install what is for this machine.")
def verify(root: Path, platforms: tuple[str, ...], jobs: int, cache: Path, try_them: bool) -> None:
    """Resolve every pip and uv command with uv, without installing; write data/verdicts.

    With --try the commands of --platform that are for this system, processor and Python are really
    installed, each in a fresh environment, and their checks are run.

    A command for which an index does not answer keeps the verdict that it had, with its date.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        tell(problems)
        sys.exit(1)
    total: Counter[str] = Counter()
    wanted = _wanted(catalog, platforms)
    for platform in wanted:
        try:
            found = _verified(root, catalog, platform, jobs, cache.absolute())
            if try_them:
                found = _tried(catalog, platform, found, cache.absolute())
            if found:
                write_verdicts(root, platform.id, found)
            click.echo(f"{platform.id}: {_words(shares(found))}")
            total.update(shares(found))
        except ProblemsError as error:
            tell(error.problems)
            sys.exit(1)
        except OSError as error:
            raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if len(wanted) > 1:
        click.echo(f"{len(wanted)} platforms: {_words(total)}")


def _wanted(catalog: Catalog, names: tuple[str, ...]) -> list[Platform]:
    for name in names:
        if name not in catalog.by_id:
            known = ", ".join(sorted(catalog.by_id))
            what = f'there is no platform "{name}"; known here: {known}'
            raise click.BadParameter(what, param_hint="--platform")
    return [platform for platform in catalog.platforms if not names or platform.id in names]


def _verified(root: Path, catalog: Catalog, platform: Platform, jobs: int, cache: Path) -> Verdicts:
    from accelerator_portal.packages.reaching import resolve_what_answers

    rows = [row for row in expand(catalog)[0] if row.platform == platform.id]
    before = read_verdicts(root, platform.id)
    asked = every_question(rows)
    resolve = resolve_what_answers(asked, cache)
    quiet = not sys.stderr.isatty()
    with click.progressbar(
        length=len(asked), label=platform.id, hidden=quiet, file=sys.stderr
    ) as bar:
        answers = answered(asked, resolve, jobs, lambda: bar.update(1))
    return verdicts(platform, rows, answers, before, dt.datetime.now(dt.UTC).date())


def _tried(catalog: Catalog, platform: Platform, found: Verdicts, cache: Path) -> Verdicts:
    from accelerator_portal.packages.reaching import own_uv

    uv = own_uv(cache)

    def try_it(row: InstallRow, python: str) -> bool | None:
        if not is_of_this_machine(row, python):
            return None
        click.echo(f"{row.option} {row.build} {row.method}: installing", err=True)
        trial = try_row(row, uv)
        if not trial.ran:
            click.echo(trial.output, err=True)
        return trial.ran

    rows = [row for row in expand(catalog)[0] if row.platform == platform.id]
    return tried(found, rows, try_it)


def _words(counts: Mapping[str, int]) -> str:
    words = {"found": "versions found", "none": "no such combination", "unchecked": "not checked"}
    told = ", ".join(f"{counts[kind]} {text}" for kind, text in words.items() if counts.get(kind))
    return told or "no command of pip or uv"

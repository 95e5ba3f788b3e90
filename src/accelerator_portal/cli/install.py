"""`accelerator-portal install`: what can be said of install commands without installing."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import click

from accelerator_portal.catalog import Catalog, Platform, ProblemsError, load_catalog
from accelerator_portal.cli.options import ROOT, tell
from accelerator_portal.install.expand import expand


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
def verify(root: Path, platforms: tuple[str, ...], jobs: int, cache: Path) -> None:
    """Resolve every pip and uv command with uv, without installing; write data/verdicts.

    A command for which an index does not answer keeps the verdict that it had, with its date.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        tell(problems)
        sys.exit(1)
    for platform in _wanted(catalog, platforms):
        try:
            click.echo(_verified(root, catalog, platform, jobs, cache.absolute()))
        except ProblemsError as error:
            tell(error.problems)
            sys.exit(1)
        except OSError as error:
            raise click.ClickException(f"{error.filename}: {error.strerror}") from None


def _wanted(catalog: Catalog, names: tuple[str, ...]) -> list[Platform]:
    for name in names:
        if name not in catalog.by_id:
            known = ", ".join(sorted(catalog.by_id))
            what = f'there is no platform "{name}"; known here: {known}'
            raise click.BadParameter(what, param_hint="--platform")
    return [platform for platform in catalog.platforms if not names or platform.id in names]


def _verified(root: Path, catalog: Catalog, platform: Platform, jobs: int, cache: Path) -> str:
    """Verify and write one platform; whoever is interrupted keeps those before it."""
    from accelerator_portal.packages.questions import every_question
    from accelerator_portal.packages.reaching import resolve_what_answers
    from accelerator_portal.packages.verdict_file import read_verdicts, write_verdicts
    from accelerator_portal.packages.verifying import answered, shares, verdicts

    rows = [row for row in expand(catalog)[0] if row.platform == platform.id]
    before = read_verdicts(root, platform.id)
    asked = every_question(rows)
    if not asked:
        return f"{platform.id}: no command of pip or uv"
    resolve = resolve_what_answers(asked, cache)
    quiet = not sys.stderr.isatty()
    with click.progressbar(
        length=len(asked), label=platform.id, hidden=quiet, file=sys.stderr
    ) as bar:
        answers = answered(asked, resolve, jobs, lambda: bar.update(1))
    found = verdicts(platform, rows, answers, before, dt.datetime.now(dt.UTC).date())
    write_verdicts(root, platform.id, found)
    counts = shares(found)
    words = {"found": "versions found", "none": "no such combination", "unchecked": "not checked"}
    told = ", ".join(f"{counts[kind]} {text}" for kind, text in words.items() if counts.get(kind))
    return f"{platform.id}: {told}"

"""`accelerator-portal nightly`: collect, look up, fold, build, compare, publish."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from accelerator_portal.automation.feeds import Fetched, fetch_reports
from accelerator_portal.automation.nightly import Done, Night, Step, StepFailed, run, summary
from accelerator_portal.catalog import Catalog, ProblemsError, load_catalog
from accelerator_portal.cli.options import ROOT, count, tell
from accelerator_portal.cli.output import write_file
from accelerator_portal.results.archive import read_history
from accelerator_portal.results.breakages import Breakage, open_breakages
from accelerator_portal.site.difference import compare, markdown, read_state

LOOKED_UP: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("packages", ("packages", "sync")),
    ("commands", ("install", "verify")),
)
"""What asks the network beside the feeds; each is a command of its own."""


@click.command()
@ROOT
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="site",
    help="The folder of the site.",
)
@click.option("--summary", "told", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--skip", multiple=True, type=click.Choice([name for name, _ in LOOKED_UP]))
def nightly(root: Path, out: Path, told: Path | None, skip: tuple[str, ...]) -> None:
    """Take what is new, set aside what is broken, build and publish the rest, say what changed.

    Fetches the declared reports, looks up packages and commands, folds the histories and builds
    the site beside the last one. A step that fails is said, and the others go on; the command then
    fails at its end. It can be stopped and started again.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        tell(problems)
        sys.exit(1)
    fetched: list[Fetched] = []
    with TemporaryDirectory(prefix="portal-night-") as folder:
        before = _copy(out, Path(folder, "before"))  # the build takes its place
        done = run(_steps(root, catalog, out, skip, fetched), _say)
        night = _night(root, done, fetched, _difference(before, out))
    text = summary(night, catalog)
    if told:
        write_file(told, text)
    else:
        click.echo(text)
    if night.failed:
        sys.exit(1)


def _steps(
    root: Path, catalog: Catalog, out: Path, skip: tuple[str, ...], fetched: list[Fetched]
) -> list[Step]:
    steps: list[Step] = [("reports", lambda: _collect(root, catalog, fetched))]
    steps += [(name, partial(_command, root, *w)) for name, w in LOOKED_UP if name not in skip]
    steps.append(("history", partial(_command, root, "history", "fold")))
    place = str(out.absolute())
    steps.append(("site", partial(_command, root, "build", "--quarantine", "--out", place)))
    return steps


def _copy(site: Path, place: Path) -> Path:
    """Copy a site that there may be."""
    if site.is_dir():
        shutil.copytree(site, place)
    return place


def _collect(root: Path, catalog: Catalog, fetched: list[Fetched]) -> str:
    fetched += fetch_reports(root, catalog, dt.datetime.now(dt.UTC))
    new = sum(feed.outcome == "new" for feed in fetched)
    return f"{count(len(fetched), 'feed')}, {new} new"


def _command(root: Path, *words: str) -> str:
    """Run a command of the portal in a process of its own; return its last line.

    Raises StepFailed with the last lines of what it said.
    """
    command = [sys.executable, "-m", "accelerator_portal.cli", *words, "--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepFailed(" / ".join((done.stdout + done.stderr).strip().splitlines()[-3:]))
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "done"


def _difference(before: Path, after: Path) -> str:
    """What readers see differently; empty where there was no site, or there is none."""
    try:
        return markdown(compare(read_state(before), read_state(after)))
    except ProblemsError:
        return ""


def _night(root: Path, done: tuple[Done, ...], fetched: list[Fetched], difference: str) -> Night:
    from accelerator_portal.checks.quarantine import load_and_set_aside

    catalog, _ = load_and_set_aside(root)
    return Night(
        done,
        tuple(fetched),
        catalog.set_aside if catalog else None,
        _overdue(root, catalog) if catalog else (),
        difference,
    )


def _overdue(root: Path, catalog: Catalog) -> tuple[tuple[str, Breakage], ...]:
    if catalog.criteria is None:
        return ()
    deadline = dt.timedelta(hours=catalog.criteria.deadlines.breakage_hours)
    now = dt.datetime.now(dt.UTC)
    return tuple(
        (platform.id, breakage)
        for platform in catalog.platforms
        for breakage in open_breakages(read_history(root, platform.id, "runs").state, now, deadline)
        if breakage.overdue
    )


def _say(step: Done) -> None:
    click.echo(f"{step.name}: {'failed: ' if step.failed else ''}{step.words}", err=True)

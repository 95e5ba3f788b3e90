"""The nightly job: what is new is taken, what is broken set aside, and what changed is said.

Each step can be repeated: whoever is stopped starts again, and nothing is lost or doubled.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.github_client import client_here
from accelerator_portal.automation.night_steps import NightRun, steps
from accelerator_portal.automation.night_summary import Night
from accelerator_portal.automation.step_runner import StepResult, run
from accelerator_portal.catalog import Catalog, ProblemsError
from accelerator_portal.catalog.atomic_write import remove_leftovers
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.site.difference import compare, markdown, read_state


def run_night(
    tonight: NightRun,
    skip: Collection[str] = (),
    told: Callable[[StepResult], None] = lambda _: None,
) -> Night:
    """Do every step but those in `skip`, and return what they did and what readers see of it.

    A step that fails is part of what is returned; `told` is called after each. Raises OSError
    where there is no room to keep the last site beside the new one.
    """
    for place in (ACCELERATORS, "data"):
        remove_leftovers(tonight.root / place, dt.datetime.now(dt.timezone.utc))
    with TemporaryDirectory(prefix="portal-night-") as folder:
        before = _copy(tonight.out, Path(folder, "before"))  # the build takes its place
        done = run(steps(tonight, skip), told)
        difference = _difference(before, tonight.out) if tonight.published else ""
    return Night(
        done,
        tuple(tonight.fetched),
        tonight.set_aside(),
        tonight.overdue(),
        difference,
        standing_in=tonight.standing_in,
        issues=tonight.issues,
        published=tonight.published,
    )


def github_for(catalog: Catalog, *, required: bool) -> Api | None:
    """Return GitHub's client, where something is to be asked of it.

    Without a token, feeds on GitHub say so themselves. Raises GitHubError where one is `required`:
    issues and pull requests need it.
    """
    on_github = any(
        feed.url is None for p in catalog.platforms for feed in p.accelerator.report_feeds
    )
    try:
        return client_here() if required or on_github else None
    except GitHubError:
        if required:
            raise
        return None


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

"""Runs the nightly job: updates data, quarantines broken folders, builds and publishes.

Each step can be repeated. After an interruption, start the job again: it continues without loss.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.client import client_from_environment
from accelerator_automation.night_steps import NightRun, StepResult, run_steps, steps
from accelerator_portal.catalog import Catalog
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.site.difference import (
    Difference,
    SiteContent,
    compare,
    compare_pages,
    markdown,
    page_digests,
    site_content,
)
from accelerator_portal.site.site import NightMetrics, StepMetrics
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import UserError
from accelerator_reports.files.text_file import remove_leftovers


def run_night(
    tonight: NightRun,
    skip: Collection[str] = (),
    on_result: Callable[[StepResult], None] = lambda _: None,
) -> NightRun:
    """Run every step except those in `skip`; return `tonight` with all results.

    A failed step does not stop the others. `on_result` is called with the result of each step.
    Raises ProblemsError if a page of the existing site cannot be read.
    """
    for data_folder in (ACCELERATORS, "data"):
        remove_leftovers(tonight.root / data_folder, utc_now())
    pages = page_digests(tonight.out)
    content = _content(tonight.root, tonight.now.date())
    tonight.steps = run_steps(steps(tonight, skip), on_result)
    if pages and tonight.published and tonight.valid_catalog:
        difference = Difference(
            not_compared=None if content else "The data before this night had errors.",
            parts=compare(content, site_content(tonight.valid_catalog)) if content else (),
            pages=compare_pages(pages, page_digests(tonight.out)),
        )
        tonight.difference = markdown(difference)
    return tonight


def github_client_for(catalog: Catalog, *, required: bool) -> Api | None:
    """Return a GitHub client, or None if none is needed or available.

    A client is needed if a platform's feed is on GitHub. It is also needed if `required` is true,
    because the run opens issues or pull requests. No client is available if the token or PyGithub
    is missing. In this case, raises GitHubError if `required` is true.
    """
    on_github = any(
        feed.url is None for p in catalog.platforms for feed in p.accelerator.report_feeds
    )
    try:
        return client_from_environment() if required or on_github else None
    except GitHubError:
        if required:
            raise
        return None


def _content(root: Path, today: dt.date) -> SiteContent | None:
    """Return what readers see of the data before the run; None if it cannot be read."""
    catalog, _ = load_with_quarantine(root, today)
    return site_content(catalog) if catalog else None


class NightRunningError(UserError):
    """Another nightly run uses the same folder; the message names the folder and the fix."""


@contextmanager
def nightly_lock(root: Path, out: Path) -> Iterator[None]:
    """Lock the repository and the folder of its site for one nightly run.

    The locks end with the process, even if it is killed. Raises NightRunningError, OSError.
    """
    locks = (root / ".cache/nightly.lock", out.with_name(f".{out.name}.lock"))
    with _hold_lock(locks[0], root), _hold_lock(locks[1], out):
        yield


@contextmanager
def _hold_lock(lock_path: Path, folder: Path) -> Iterator[None]:
    lock_path.parent.mkdir(parents=True, exist_ok=True)
    file_lock = FileLock(lock_path, timeout=0)
    try:
        file_lock.acquire()
    except Timeout:
        full_path = folder.absolute()
        message = f"{full_path}: another nightly job is running here. Wait until it ends"
        raise NightRunningError(message) from None
    try:
        yield
    finally:
        lock_path.unlink(
            missing_ok=True
        )  # before the release: another night may hold it right after
        file_lock.release()


def night_metrics(night: NightRun, seconds: float) -> NightMetrics:
    """Return the metrics of a nightly run that took `seconds`."""
    return NightMetrics(
        started=night.now.replace(microsecond=0),
        seconds=round(seconds, 1),
        published=night.published,
        steps=tuple(map(_step_metrics, night.steps)),
        feeds=dict(Counter(feed.outcome for feed in night.fetched)),
        quarantined=tuple(night.set_aside()),
        overdue=len(night.overdue()),
    )


def _step_metrics(step: StepResult) -> StepMetrics:
    return StepMetrics(
        name=step.name, seconds=round(step.seconds, 1), failed=step.failed, **asdict(step.traffic)
    )

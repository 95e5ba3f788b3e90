"""Lists the runs of vendors' repositories once a round, not once for each event."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from pydantic import AwareDatetime

from accelerator_portal.automation.events import Number, Part, Repository
from accelerator_portal.automation.github import Api, GitHubError, read

_A_PAGE = 100
# GitHub's own limit where runs are asked for by their event or their day.
_MOST_PAGES = 10
_MOST_WINDOWS = 20
_WINDOW_HOURS = 6


class FoundRun(Part):
    """A run of a workflow."""

    id: Number
    """Its number."""
    event: str
    """What it ran for."""
    status: str
    """`completed` when it ended."""
    conclusion: str | None = None
    """How it ended."""
    display_title: str = ""
    """Its title."""
    created_at: AwareDatetime
    """When it began."""
    path: str = ""
    """Its workflow."""
    head_repository: Repository | None = None
    """Where its commit is."""


class _Runs(Part):
    workflow_runs: tuple[FoundRun, ...]


RunsByTitle = Mapping[str, tuple[FoundRun, ...]]
"""Runs by each word of their titles, the newest first."""


@dataclass
class _Listing:
    lock: threading.Lock = field(default_factory=threading.Lock)
    found: RunsByTitle | None = None
    error: GitHubError | None = None


class RunLists:
    """The runs that began at `since` or later, and some before; each list is asked for once.

    `begins` has a later moment for some repositories: one vendor that takes days does not make the
    lists of the others longer.
    """

    def __init__(
        self, api: Api, since: dt.datetime, begins: Mapping[str, dt.datetime] | None = None
    ) -> None:
        self._api = api
        self._since = since
        self._begins = begins or {}
        self._listings: dict[tuple[str, str], _Listing] = {}
        self._lock = threading.Lock()

    def of(self, repository: str, event: str) -> RunsByTitle:
        """Return a repository's runs of an event. Raises GitHubError, each time if once."""
        with self._lock:
            listing = self._listings.setdefault((repository, event), _Listing())
        with listing.lock:
            if listing.error:
                raise listing.error
            if listing.found is None:
                try:
                    listing.found = _by_title(self._listed(repository, event))
                except GitHubError as error:
                    listing.error = error
                    raise
            return listing.found

    def _listed(self, repository: str, event: str) -> list[FoundRun]:
        """GitHub gives a thousand runs at most: older ones are asked for until there are none."""
        since = _moment(_window_start(self._begins.get(repository, self._since)))
        found: dict[int, FoundRun] = {}
        created = f">={since}"
        for _ in range(_MOST_WINDOWS):
            window = self._window(repository, event, created)
            known = len(found)
            found |= {run.id: run for run in window}
            if len(window) < _A_PAGE * _MOST_PAGES or len(found) == known:
                break
            oldest = min(run.created_at for run in window)
            created = f"{since}..{_moment(oldest)}"
        return sorted(found.values(), key=lambda run: run.id, reverse=True)

    def _window(self, repository: str, event: str, created: str) -> list[FoundRun]:
        path = f"repos/{repository}/actions/runs?event={event}&created={quote(created)}"
        found: list[FoundRun] = []
        for page in range(1, _MOST_PAGES + 1):
            listed = read(self._api, f"{path}&per_page={_A_PAGE}&page={page}", _Runs).workflow_runs
            found += listed
            if len(listed) < _A_PAGE:
                break
        return found


def _by_title(runs: list[FoundRun]) -> RunsByTitle:
    found: dict[str, list[FoundRun]] = {}
    for run in runs:
        for word in set(run.display_title.split()):
            found.setdefault(word, []).append(run)
    return {word: tuple(listed) for word, listed in found.items()}


def _window_start(since: dt.datetime) -> dt.datetime:
    """Return the same moment for some rounds: the same question may have the same answer.

    GitHub then sends none, and counts no request.
    """
    utc = since.astimezone(dt.timezone.utc)
    return utc.replace(hour=utc.hour - utc.hour % _WINDOW_HOURS, minute=0, second=0, microsecond=0)


def _moment(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"

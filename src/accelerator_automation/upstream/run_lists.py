"""Lists runs and artifacts of vendors' repositories once for all events that wait for an answer."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import quote

from accelerator_automation.events import (
    Artifacts,
    ListedArtifact,
    ListedRun,
    ListedRuns,
    time_text,
)
from accelerator_automation.github.api import Api, GitHubError, read_response

_A_PAGE = 100
# GitHub returns at most 1,000 runs for a request that filters by event or date.
_MOST_PAGES = 10
_MOST_WINDOWS = 20
_ARTIFACT_PAGES = 5
_RUN_BY_RUN = 3
"""The number of runs of a repository whose artifacts are requested run by run."""
_WINDOW_HOURS = 6


RunsByTitle = Mapping[str, tuple[ListedRun, ...]]
"""Runs by each word of their titles, newest first."""


@dataclass
class _Listing:
    lock: threading.Lock = field(default_factory=threading.Lock)
    found: RunsByTitle | None = None
    error: GitHubError | None = None


class RunLists:
    """The runs of repositories; each list is requested from GitHub only once.

    A list has the runs of one repository and one event. `begins` has, for each repository, the time
    from which its runs are listed. With a time for each repository, one slow vendor does not make
    the lists of the others longer. A list can also include some earlier runs.
    """

    def __init__(self, api: Api, begins: Mapping[str, dt.datetime]) -> None:
        self._api, self._begins = api, begins
        self._listings: dict[tuple[str, str], _Listing] = {}
        self._lock = threading.Lock()

    def of(self, repository: str, event: str) -> RunsByTitle:
        """Return the runs of one event in a repository, by each word of the runs' titles.

        The newest run comes first. Raises GitHubError.
        """
        with self._lock:
            listing = self._listings.setdefault((repository, event), _Listing())
        with listing.lock:
            if listing.error:
                raise listing.error
            if listing.found is None:
                try:
                    listing.found = _by_title(self._search_runs(repository, event))
                except GitHubError as error:
                    listing.error = error
                    raise
            return listing.found

    def _search_runs(self, repository: str, event: str) -> list[ListedRun]:
        """Return the runs of one event since the repository's time in `begins`, newest first.

        GitHub returns at most 1,000 runs for a search, so several searches may be needed.
        """
        since = time_text(_window_start(self._begins[repository]))
        found: dict[int, ListedRun] = {}
        created = f">={since}"
        for _ in range(_MOST_WINDOWS):
            window = self._runs_in_window(repository, event, created)
            known = len(found)
            found |= {run.id: run for run in window}
            if len(window) < _A_PAGE * _MOST_PAGES or len(found) == known:
                break
            oldest = min(run.created_at for run in window)
            created = f"{since}..{time_text(oldest)}"
        return sorted(found.values(), key=lambda run: run.id, reverse=True)

    def _runs_in_window(self, repository: str, event: str, created: str) -> list[ListedRun]:
        path = f"repos/{repository}/actions/runs?event={event}&created={quote(created)}"
        found: list[ListedRun] = []
        for page in range(1, _MOST_PAGES + 1):
            listed = read_response(
                self._api, f"{path}&per_page={_A_PAGE}&page={page}", ListedRuns
            ).workflow_runs
            found += listed
            if len(listed) < _A_PAGE:
                break
        return found


def _by_title(runs: list[ListedRun]) -> RunsByTitle:
    found: dict[str, list[ListedRun]] = {}
    for run in runs:
        for word in set(run.display_title.split()):
            found.setdefault(word, []).append(run)
    return {word: tuple(listed) for word, listed in found.items()}


def _window_start(since: dt.datetime) -> dt.datetime:
    """Round a time down to a multiple of six hours (UTC).

    The requests of successive rounds are then the same. GitHub's rate limit does not count a
    repeated request if its response has not changed.
    """
    utc = since.astimezone(dt.timezone.utc)
    return utc.replace(hour=utc.hour - utc.hour % _WINDOW_HOURS, minute=0, second=0, microsecond=0)


@dataclass
class _ArtifactListing:
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    by_run: dict[int, tuple[ListedArtifact, ...]] | None = None


class ArtifactLists:
    """The artifacts of vendors' runs.

    For the first `_RUN_BY_RUN` runs of a repository, the artifacts of each run are requested. For
    further runs, one list of the repository's artifacts is requested, which reaches back to the
    repository's time in `begins`. If a run is not in this list, its artifacts are requested.
    """

    def __init__(self, api: Api, begins: Mapping[str, dt.datetime]) -> None:
        self._api, self._begins = api, begins
        self._listings: dict[str, _ArtifactListing] = {}
        self._lock = threading.Lock()

    def of(self, repository: str, run: int) -> tuple[ListedArtifact, ...]:
        """Return the artifacts of a completed run. Raises GitHubError."""
        with self._lock:
            listing = self._listings.setdefault(repository, _ArtifactListing())
        with listing.lock:
            listing.asked += 1
            if listing.asked > _RUN_BY_RUN and listing.by_run is None:
                listing.by_run = self._artifacts_by_run(repository)
        if listing.by_run and run in listing.by_run:
            return listing.by_run[run]
        path = f"repos/{repository}/actions/runs/{run}/artifacts?per_page={_A_PAGE}"
        return read_response(self._api, path, Artifacts).artifacts

    def _artifacts_by_run(self, repository: str) -> dict[int, tuple[ListedArtifact, ...]]:
        """Return the artifacts by the id of their run.

        Empty if GitHub's list is not sorted by age or is too long.
        """
        since = self._begins[repository]
        found: list[ListedArtifact] = []
        for listed in artifact_pages(self._api, repository, _ARTIFACT_PAGES):
            found += listed
            if not _is_newest_first(found):
                return {}
            if len(listed) < _A_PAGE or is_older(listed[-1], since):
                return _by_run(found)
        return {}


def artifact_pages(
    api: Api, repository: str, most: int, name: str | None = None
) -> Iterator[tuple[ListedArtifact, ...]]:
    """Yield at most `most` pages of a repository's artifacts. Raises GitHubError.

    With `name`, only the artifacts of this name are listed.
    """
    path = f"repos/{repository}/actions/artifacts?{f'name={name}&' if name else ''}"
    for page in range(1, most + 1):
        listed = read_response(api, f"{path}per_page={_A_PAGE}&page={page}", Artifacts).artifacts
        yield listed
        if len(listed) < _A_PAGE:
            return


def _is_newest_first(found: Sequence[ListedArtifact]) -> bool:
    return all(one.created_at for one in found) and all(
        one.id > other.id for one, other in pairwise(found)
    )


def is_older(one: ListedArtifact, since: dt.datetime) -> bool:
    """Return whether an artifact was uploaded before `since`; False if GitHub states no time."""
    return one.created_at is not None and one.created_at < since


def _by_run(found: Sequence[ListedArtifact]) -> dict[int, tuple[ListedArtifact, ...]]:
    by_run: dict[int, tuple[ListedArtifact, ...]] = {}
    for one in found:
        if one.workflow_run:
            by_run[one.workflow_run.id] = (*by_run.get(one.workflow_run.id, ()), one)
    return by_run

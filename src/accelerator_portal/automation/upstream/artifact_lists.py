"""Lists the artifacts of a repository once a round, not once for each run."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pydantic import AwareDatetime

from accelerator_portal.automation.events import Number, Part
from accelerator_portal.automation.github import Api, read

_A_PAGE = 100
_MOST_PAGES = 5
_RUN_BY_RUN = 3
"""For so many runs of a repository their artifacts are asked for one by one."""


class _OfRun(Part):
    id: Number


class FoundArtifact(Part):
    """An artifact of a run."""

    id: Number
    """Its number."""
    name: str
    """Its name."""
    size_in_bytes: int
    """Its size, packed."""
    expired: bool
    """Whether it is deleted already."""
    workflow_run: _OfRun | None = None
    """The run that left it."""
    created_at: AwareDatetime | None = None
    """When it was left."""


class FoundArtifacts(Part):
    """A page of artifacts."""

    artifacts: tuple[FoundArtifact, ...]
    """The artifacts."""


@dataclass
class _Listing:
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    by_run: dict[int, tuple[FoundArtifact, ...]] | None = None


class ArtifactLists:
    """The artifacts of runs that began at `since` or later.

    `begins` has a later moment for some repositories.
    """

    def __init__(
        self, api: Api, since: dt.datetime, begins: Mapping[str, dt.datetime] | None = None
    ) -> None:
        self._api = api
        self._since = since
        self._begins = begins or {}
        self._listings: dict[str, _Listing] = {}
        self._lock = threading.Lock()

    def of(self, repository: str, run: int) -> tuple[FoundArtifact, ...]:
        """Return the artifacts of a run that ended. Raises GitHubError."""
        with self._lock:
            listing = self._listings.setdefault(repository, _Listing())
        with listing.lock:
            listing.asked += 1
            if listing.asked > _RUN_BY_RUN and listing.by_run is None:
                listing.by_run = self._listed(repository)
        if listing.by_run and run in listing.by_run:
            return listing.by_run[run]
        path = f"repos/{repository}/actions/runs/{run}/artifacts?per_page={_A_PAGE}"
        return read(self._api, path, FoundArtifacts).artifacts

    def _listed(self, repository: str) -> dict[int, tuple[FoundArtifact, ...]]:
        """List what is certainly whole; nothing where the list has another order or no end."""
        since = self._begins.get(repository, self._since)
        found: list[FoundArtifact] = []
        for page in range(1, _MOST_PAGES + 1):
            path = f"repos/{repository}/actions/artifacts?per_page={_A_PAGE}&page={page}"
            listed = read(self._api, path, FoundArtifacts).artifacts
            found += listed
            if not _is_newest_first(found):
                return {}
            if len(listed) < _A_PAGE or _is_older(listed[-1], since):
                return _by_run(found)
        return {}


def _is_newest_first(found: Sequence[FoundArtifact]) -> bool:
    return all(one.created_at for one in found) and all(
        one.id > other.id for one, other in pairwise(found)
    )


def _is_older(one: FoundArtifact, since: dt.datetime) -> bool:
    return one.created_at is not None and one.created_at < since


def _by_run(found: Sequence[FoundArtifact]) -> dict[int, tuple[FoundArtifact, ...]]:
    by_run: dict[int, tuple[FoundArtifact, ...]] = {}
    for one in found:
        if one.workflow_run:
            by_run[one.workflow_run.id] = (*by_run.get(one.workflow_run.id, ()), one)
    return by_run

"""Lists workflow runs and reads their artifacts, with few requests to GitHub."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import (
    Artifacts,
    ListedArtifact,
    ListedRun,
    ListedRuns,
    time_text,
)
from accelerator_automation.github.zip_members import ArtifactError, read_members

_PAGE_SIZE = 100
# GitHub returns at most 1,000 runs for a request that filters by event or date.
_MOST_PAGES = 10
_MOST_WINDOWS = 20
_ARTIFACT_PAGES = 5
_MOST_SINGLE_LOOKUPS = 3
"""The number of runs of a repository whose artifacts are requested run by run."""
_WINDOW_HOURS = 6


RunsByTitle = Mapping[str, tuple[ListedRun, ...]]
"""Maps each word of the runs' titles to the runs with this word, newest first."""


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
                    listing.found = _grouped_by_title(self._search_runs(repository, event))
                except GitHubError as error:
                    listing.error = error
                    raise
            return listing.found

    def _search_runs(self, repository: str, event: str) -> list[ListedRun]:
        """Return the runs of one event since the repository's time in `begins`, newest first.

        GitHub returns at most 1,000 runs for a search, so several searches may be needed.
        """
        since_text = time_text(_window_start(self._begins[repository]))
        runs_by_id: dict[int, ListedRun] = {}
        created = f">={since_text}"
        for _ in range(_MOST_WINDOWS):
            window_runs = self._runs_in_window(repository, event, created)
            previous_count = len(runs_by_id)
            runs_by_id |= {run.id: run for run in window_runs}
            if len(window_runs) < _PAGE_SIZE * _MOST_PAGES or len(runs_by_id) == previous_count:
                break
            oldest = min(run.created_at for run in window_runs)
            created = f"{since_text}..{time_text(oldest)}"
        return sorted(runs_by_id.values(), key=lambda run: run.id, reverse=True)

    def _runs_in_window(self, repository: str, event: str, created: str) -> list[ListedRun]:
        path = f"repos/{repository}/actions/runs?event={event}&created={quote(created)}"
        runs: list[ListedRun] = []
        for page in range(1, _MOST_PAGES + 1):
            page_runs = read_response(
                self._api, f"{path}&per_page={_PAGE_SIZE}&page={page}", ListedRuns
            ).workflow_runs
            runs += page_runs
            if len(page_runs) < _PAGE_SIZE:
                break
        return runs


def _grouped_by_title(runs: list[ListedRun]) -> RunsByTitle:
    runs_by_word: dict[str, list[ListedRun]] = {}
    for run in runs:
        for word in set(run.display_title.split()):
            runs_by_word.setdefault(word, []).append(run)
    return {word: tuple(word_runs) for word, word_runs in runs_by_word.items()}


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
    """The artifacts of vendors' runs, read with few requests to GitHub.

    The artifacts of the first `_MOST_SINGLE_LOOKUPS` runs of a repository are requested run by run.
    For the next run, the artifacts of the whole repository are listed once. A run that is not in
    this list gets a request of its own. `begins` has, for each repository, the time from which its
    artifacts are listed.
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
            if listing.asked > _MOST_SINGLE_LOOKUPS and listing.by_run is None:
                listing.by_run = self._artifacts_by_run(repository)
        if listing.by_run and run in listing.by_run:
            return listing.by_run[run]
        path = f"repos/{repository}/actions/runs/{run}/artifacts?per_page={_PAGE_SIZE}"
        return read_response(self._api, path, Artifacts).artifacts

    def _artifacts_by_run(self, repository: str) -> dict[int, tuple[ListedArtifact, ...]]:
        """Return the artifacts by the id of their run.

        Empty if GitHub's list is not sorted by age or is too long.
        """
        since = self._begins[repository]
        artifacts: list[ListedArtifact] = []
        for page_artifacts in artifact_pages(self._api, repository, _ARTIFACT_PAGES):
            artifacts += page_artifacts
            if not _is_newest_first(artifacts):
                return {}
            if len(page_artifacts) < _PAGE_SIZE or is_older(page_artifacts[-1], since):
                return _grouped_by_run(artifacts)
        return {}


def artifact_pages(
    api: Api, repository: str, most: int, name: str | None = None
) -> Iterator[tuple[ListedArtifact, ...]]:
    """Yield at most `most` pages of a repository's artifacts. Raises GitHubError.

    With `name`, only the artifacts of this name are listed.
    """
    path = f"repos/{repository}/actions/artifacts?{f'name={name}&' if name else ''}"
    for page in range(1, most + 1):
        page_artifacts = read_response(
            api, f"{path}per_page={_PAGE_SIZE}&page={page}", Artifacts
        ).artifacts
        yield page_artifacts
        if len(page_artifacts) < _PAGE_SIZE:
            return


def _is_newest_first(artifacts: Sequence[ListedArtifact]) -> bool:
    return all(one.created_at for one in artifacts) and all(
        one.id > other.id for one, other in pairwise(artifacts)
    )


def is_older(one: ListedArtifact, since: dt.datetime) -> bool:
    """Return whether an artifact was uploaded before `since`; False if GitHub states no time."""
    return one.created_at is not None and one.created_at < since


def _grouped_by_run(artifacts: Sequence[ListedArtifact]) -> dict[int, tuple[ListedArtifact, ...]]:
    by_run: dict[int, tuple[ListedArtifact, ...]] = {}
    for artifact in artifacts:
        if artifact.workflow_run:
            by_run[artifact.workflow_run.id] = (*by_run.get(artifact.workflow_run.id, ()), artifact)
    return by_run


# Reads files that earlier workflow runs of this repository uploaded as artifacts.
#
# Pull requests of forks and the code that is tested on attached runners can create artifacts with
# any name. A file therefore counts only if it is from a run of the one workflow that writes it, on
# the repository's own code.

M = TypeVar("M", bound=BaseModel)

PLAN_FILE = "upstream-plan"
"""The name of the file that lists the platforms to which a change is sent."""
SENT_FILE = "upstream-sent"
"""The name of the file with the sender's log: the sent and the waiting changes."""
LEDGER_FILE = "upstream-ledger"
"""The name of the file with the settled and the open requests."""

WRITING_WORKFLOWS = {
    PLAN_FILE: ".github/workflows/upstream-event.yml",
    SENT_FILE: ".github/workflows/upstream-event.yml",
    LEDGER_FILE: ".github/workflows/upstream-answer.yml",
}
"""The path of the workflow that writes each file, by the file's name."""

_TRUSTED_EVENTS = {"repository_dispatch", "schedule", "workflow_dispatch"}
_MOST_PACKED = 4 * 1024 * 1024
_MOST_UNPACKED = 32 * 1024 * 1024
_MOST_ARTIFACT_PAGES = 30


@dataclass(frozen=True, slots=True)
class FileSource:
    """Where to read files: the artifacts that a repository's workflows have uploaded.

    `home` is the repository. Artifacts that are older than `since` are left out.
    """

    api: Api
    home: str
    since: dt.datetime
    closed: Collection[int] = ()
    """The ids of artifacts that are left out, because they were read before."""


def workflow_files(source: FileSource, name: str, model: type[M]) -> Iterator[tuple[int, M]]:
    """Yield the id and the content of each artifact with this name, newest first.

    The content is that of the artifact's file `<name>.json`. Artifacts that are unusable, or that
    another workflow uploaded, are skipped. The list is read until a page has only artifacts in
    `source.closed` or from before `source.since`. Raises GitHubError.
    """
    for page in artifact_pages(source.api, source.home, _MOST_ARTIFACT_PAGES, name):
        for artifact in sorted(page, key=lambda one: one.id, reverse=True):
            is_new = artifact.created_at and artifact.created_at >= source.since
            if (
                is_new
                and artifact.name == name
                and not artifact.expired
                and artifact.id not in source.closed
            ):
                file = _read_file(source, artifact, model)
                if file is not None:
                    yield artifact.id, file
        if _is_last_page(source, page):
            return


def newest_workflow_file(source: FileSource, name: str, model: type[M]) -> M | None:
    """Return the content of the newest file with this name, or None. Raises GitHubError."""
    return next((file for _, file in workflow_files(source, name, model)), None)


def _read_file(source: FileSource, artifact: ListedArtifact, model: type[M]) -> M | None:
    """Return the file of an artifact, or None if the artifact cannot be used.

    The artifact must be from the file's own workflow, on this repository's code. Raises
    GitHubError.
    """
    api, home = source.api, source.home
    if artifact.workflow_run is None:
        return None
    run = read_response(api, f"repos/{home}/actions/runs/{artifact.workflow_run.id}", ListedRun)
    is_own_run = run.head_repository is not None and run.head_repository.full_name == home
    if (
        not is_own_run
        or run.event not in _TRUSTED_EVENTS
        or run.path != WRITING_WORKFLOWS[artifact.name]
    ):
        return None
    try:
        archive = api.download(f"repos/{home}/actions/artifacts/{artifact.id}/zip", _MOST_PACKED)
        file_name = f"{artifact.name}.json"
        members = read_members(archive, {file_name: _MOST_UNPACKED}, _MOST_PACKED)
        return model.model_validate_json(members.get(file_name, b""))
    except (ArtifactError, ValidationError):
        return None
    except GitHubError as error:
        if error.passing:
            raise
        return None


def _is_last_page(source: FileSource, artifacts: Sequence[ListedArtifact]) -> bool:
    """Return whether the next pages cannot have new artifacts.

    True if the page `artifacts` is sorted from new to old, and each of its artifacts is in
    `source.closed` or too old. GitHub does not promise the order.
    """
    newest_first = all(one.id > other.id for one, other in pairwise(artifacts))
    return newest_first and all(
        one.id in source.closed or is_older(one, source.since) for one in artifacts
    )

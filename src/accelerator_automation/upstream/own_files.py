"""Reads files that earlier workflow runs of this repository uploaded as artifacts.

Pull requests of forks and the code that is tested on attached runners can create artifacts with any
name. A file therefore counts only if it is from a run of the one workflow that writes it, on the
repository's own code.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from accelerator_automation.events import ListedArtifact, ListedRun
from accelerator_automation.github.api import Api, GitHubError, read
from accelerator_automation.upstream.run_lists import artifact_pages, is_older
from accelerator_automation.zip_members import ArtifactError, members

M = TypeVar("M", bound=BaseModel)

PLAN = "upstream-plan"
"""The name of the file that lists the platforms to which a change is sent."""
SENT = "upstream-sent"
"""The name of the file with the sender's log: the sent and the waiting changes."""
LEDGER = "upstream-ledger"
"""The name of the file with the settled and the open requests."""

WRITTEN_BY = {
    PLAN: ".github/workflows/upstream-event.yml",
    SENT: ".github/workflows/upstream-event.yml",
    LEDGER: ".github/workflows/upstream-answer.yml",
}
"""The path of the workflow that writes each file, by the file's name."""

_EVENTS = {"repository_dispatch", "schedule", "workflow_dispatch"}
_MOST_PACKED = 4 * 1024 * 1024
_MOST_UNPACKED = 32 * 1024 * 1024
_MOST_PAGES = 30


@dataclass(frozen=True, slots=True)
class FileSource:
    """The artifacts of this repository created at `since` or later, without those in `closed`."""

    api: Api
    home: str
    since: dt.datetime
    closed: Collection[int] = ()
    """The ids of artifacts that need not be read again."""


def workflow_files(where: FileSource, name: str, model: type[M]) -> Iterator[tuple[int, M]]:
    """Yield the id of each artifact with this name and its file's content, newest first.

    An artifact contains the file `<name>.json`. Unusable artifacts are skipped. Raises GitHubError.
    """
    yield from _read_files(where, _entries(where, name), name, model)


def newest_workflow_file(where: FileSource, name: str, model: type[M]) -> M | None:
    """Return the content of the newest file with this name, or None.

    Older pages are listed only if the newer ones have no such file. Raises GitHubError.
    """
    listed = artifact_pages(where.api, where.home, _MOST_PAGES, name)
    pages = (_by_age(_usable(where, page, name)) for page in listed)
    found = _read_files(where, chain.from_iterable(pages), name, model)
    return next((file for _, file in found), None)


def _read_files(
    where: FileSource, entries: Iterable[ListedArtifact], name: str, model: type[M]
) -> Iterator[tuple[int, M]]:
    api, home = where.api, where.home
    for entry in entries:
        if entry.id in where.closed or entry.workflow_run is None:
            continue
        run = read(api, f"repos/{home}/actions/runs/{entry.workflow_run.id}", ListedRun)
        if not _is_own(run, home, name):
            continue
        try:
            archive = api.download(f"repos/{home}/actions/artifacts/{entry.id}/zip", _MOST_PACKED)
            file = f"{name}.json"
            found = members(archive, {file: _MOST_UNPACKED}, _MOST_PACKED)
            model_found = model.model_validate_json(found.get(file, b""))
        except (ArtifactError, ValidationError):
            continue
        except GitHubError as error:
            if error.passing:
                raise
            continue
        yield entry.id, model_found


def _is_own(run: ListedRun, home: str, name: str) -> bool:
    source = run.head_repository
    ours = source is not None and source.full_name == home
    return ours and run.event in _EVENTS and run.path == WRITTEN_BY[name]


def _entries(where: FileSource, name: str) -> list[ListedArtifact]:
    found: list[ListedArtifact] = []
    for listed in artifact_pages(where.api, where.home, _MOST_PAGES, name):
        found += _usable(where, listed, name)
        if _is_known(where, listed):
            break
    return _by_age(found)


def _usable(where: FileSource, listed: Iterable[ListedArtifact], name: str) -> list[ListedArtifact]:
    kept = (one for one in listed if one.name == name and not one.expired)
    return [one for one in kept if one.created_at and one.created_at >= where.since]


def _by_age(found: Iterable[ListedArtifact]) -> list[ListedArtifact]:
    return sorted(found, key=lambda entry: entry.id, reverse=True)


def _is_known(where: FileSource, listed: Sequence[ListedArtifact]) -> bool:
    """Return whether to stop listing: all artifacts on this page are closed or too old.

    Later pages are then older. False if the page is not sorted by age, because GitHub does not
    promise the order.
    """
    newest_first = all(one.id > other.id for one, other in pairwise(listed))
    return newest_first and all(
        one.id in where.closed or is_older(one, where.since) for one in listed
    )

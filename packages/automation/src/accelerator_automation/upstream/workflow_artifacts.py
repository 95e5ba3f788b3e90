"""Reads files that earlier workflow runs of this repository uploaded as artifacts.

Pull requests of forks and the code that is tested on attached runners can create artifacts with any
name. A file therefore counts only if it is from a run of the one workflow that writes it, on the
repository's own code.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import ListedArtifact, ListedRun
from accelerator_automation.upstream.run_lists import artifact_pages, is_older
from accelerator_automation.zip_members import ArtifactError, read_members

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
_MOST_PAGES = 30


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
    for page in artifact_pages(source.api, source.home, _MOST_PAGES, name):
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

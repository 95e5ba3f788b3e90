"""Writes files to branches: one file through GitHub's API, or files of a checkout with git.

A branch that is written through the API always has one commit on top of the base. The author of the
commit shows whether the automation or a person wrote it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import StringConstraints

from accelerator_automation.git import (
    GitError,
    changed_entries,
    conflicting_paths,
    git,
    git_error,
    merged_tree,
    run_git,
)
from accelerator_automation.github.api import (
    Api,
    GitHubError,
    none_if_missing,
    parse_response,
    read_response,
)
from accelerator_automation.github.models import GitHubModel, Sha
from accelerator_automation.zip_members import ArtifactError, folder_files
from accelerator_portal.catalog.catalog import HISTORY

AUTHOR = "accelerator-portal"
EMAIL = "accelerator-portal@users.noreply.github.com"

_MOST_PACKED, _MOST_UNPACKED = 64 * 1024 * 1024, 32 * 1024 * 1024

BranchName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _RepositoryInfo(GitHubModel):
    default_branch: BranchName


class _GitObject(GitHubModel):
    sha: Sha


class _Reference(GitHubModel):
    object: _GitObject


class _Author(GitHubModel):
    email: str


class _Commit(GitHubModel):
    sha: Sha
    tree: _GitObject
    author: _Author


class _Contents(GitHubModel):
    sha: Sha
    encoding: str
    content: str


@dataclass(frozen=True, slots=True)
class BranchFile:
    """A file on a branch: the branch, the path of the file, and the text to write."""

    branch: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class BaseCommit:
    """The newest commit of the branch that pull requests target, and the id of its tree."""

    branch: str
    commit: str
    tree: str


@dataclass(frozen=True)
class BranchRepository:
    """A repository on GitHub; `base` and every method can raise GitHubError."""

    api: Api
    name: str

    @property
    def path(self) -> str:
        """The path of the repository in GitHub's API: `repos/OWNER/NAME`."""
        return f"repos/{self.name}"

    @cached_property
    def base(self) -> BaseCommit:
        """The newest commit of the default branch at the time of the first access."""
        branch = read_response(self.api, self.path, _RepositoryInfo).default_branch
        commit = self._commit(self._head(branch))
        return BaseCommit(branch, commit.sha, commit.tree.sha)

    def file_text(self, path: str, commit: str) -> str:
        """Return the text of a file at a commit."""
        api_path = self._contents_path(path, commit)
        contents = read_response(self.api, api_path, _Contents)
        if contents.encoding != "base64":  # GitHub omits the content of files above 1 MB here
            blob_path = f"{self.path}/git/blobs/{contents.sha}"
            contents = read_response(self.api, blob_path, _Contents)
        try:
            return base64.b64decode(contents.content).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise GitHubError(f"{api_path}: the file is not text") from None

    def folder_files(self, path: str, commit: str) -> dict[str, bytes]:
        """Return the files directly in a folder at a commit, by name.

        Requests one archive of the repository instead of each file.
        """
        api_path = f"{self.path}/zipball/{commit}"
        try:
            return folder_files(self.api.download(api_path, _MOST_PACKED), path, _MOST_UNPACKED)
        except ArtifactError as error:
            raise GitHubError(f"{api_path}: {error}") from None

    def has(self, file: BranchFile) -> bool:
        """Return whether the branch of `file` has this file with exactly this text."""
        api_path = self._contents_path(file.path, file.branch)
        contents = none_if_missing(lambda: read_response(self.api, api_path, _Contents))
        return contents is not None and contents.sha == blob_id(file.text)

    def is_own(self, commit: str) -> bool:
        """Return whether the automation is the author of a commit."""
        return self._commit(commit).author.email == EMAIL

    def write(self, file: BranchFile, message: str) -> None:
        """Set a branch to one new commit on top of `base`; create the branch if needed."""
        git_path = f"{self.path}/git"
        entry = {"path": file.path, "mode": "100644", "type": "blob", "content": file.text}
        tree = self._create_object(
            f"{git_path}/trees", {"base_tree": self.base.tree, "tree": [entry]}
        )
        author = {"name": AUTHOR, "email": EMAIL}
        fields: dict[str, object] = {"message": message, "tree": tree, "author": author}
        fields["parents"] = [self.base.commit]
        commit = self._create_object(f"{git_path}/commits", fields)
        if self._branch_exists(file.branch):
            body = {"sha": commit, "force": True}
            self.api.send("PATCH", f"{git_path}/refs/heads/{file.branch}", body)
        else:
            reference = {"ref": f"refs/heads/{file.branch}", "sha": commit}
            self.api.send("POST", f"{git_path}/refs", reference)

    def _commit(self, sha: str) -> _Commit:
        return read_response(self.api, f"{self.path}/git/commits/{sha}", _Commit)

    def _create_object(self, path: str, body: dict[str, object]) -> str:
        return parse_response(path, self.api.send("POST", path, body), _GitObject).sha

    def _head(self, branch: str) -> str:
        api_path = f"{self.path}/git/ref/heads/{branch}"
        return read_response(self.api, api_path, _Reference).object.sha

    def _branch_exists(self, branch: str) -> bool:
        return none_if_missing(lambda: self._head(branch)) is not None

    def _contents_path(self, path: str, ref: str) -> str:
        return f"{self.path}/contents/{quote(path)}?ref={quote(ref, safe='')}"


def blob_id(text: str) -> str:
    """Return the object id that git gives to a file with this text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


# Pushes data that a workflow made to a branch that others push to at the same time.
#
# The working tree is not changed: a commit is created from the branch's newest tree and the files
# that changed here. If the branch changed the same file in the meantime, its version stays and the
# other files are pushed; the next run creates that file again from the branch.

_HISTORY_PREFIX = f"{HISTORY}/"


@dataclass(frozen=True, slots=True)
class PushResult:
    """The number of files that were pushed, and the paths that were not pushed (`left_out`).

    A file is not pushed if others have changed the file on the branch in another way. The files of
    a history folder are pushed together or not at all.
    """

    pushed: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushRetry:
    """How often to try a push while others push first, and how long to wait between attempts.

    `first_wait` is in seconds. The wait doubles after each attempt and is multiplied by a random
    number from 1 to 2. `pause` sleeps for a number of seconds.
    """

    attempts: int = 6
    first_wait: float = 1.0
    pause: Callable[[float], None] = time.sleep


def push_data(
    repository: Path,
    branch: str,
    paths: Sequence[str],
    message: str,
    retry: PushRetry | None = None,
) -> PushResult:
    """Push the files below `paths` that changed since the checkout to a branch of `origin`.

    Files that others have changed on the branch are not pushed (see `PushResult`). Raises GitError
    if git fails, or if others push first at each attempt.
    """
    retry = retry or PushRetry()
    git(repository, "add", "--all", "--", *paths)
    ours = changed_entries(repository, "HEAD", git(repository, "write-tree").strip())
    for attempt in range(1, retry.attempts + 1):
        git(repository, "fetch", "--quiet", "--depth=1", "origin", branch)
        head = git(repository, "rev-parse", "FETCH_HEAD").strip()
        theirs = changed_entries(repository, "HEAD", head)
        left_out = conflicting_paths(ours, theirs, _merge_group)
        entries = {
            path: entry
            for path, entry in ours.items()
            if path not in left_out and theirs.get(path) != entry
        }
        if not entries:
            return PushResult(0, tuple(sorted(left_out)))
        tree = merged_tree(repository, head, entries)
        commit = git(repository, "commit-tree", tree, "-p", head, "-m", message).strip()
        result = run_git(repository, "push", "--quiet", "origin", f"{commit}:refs/heads/{branch}")
        if not result.returncode:
            return PushResult(len(entries), tuple(sorted(left_out)))
        if "rejected]" not in result.stderr:
            raise git_error(result)
        retry.pause(retry.first_wait * 2 ** (attempt - 1) * random.uniform(1, 2))  # noqa: S311
    raise GitError(f"git push: others pushed to {branch} at the same time, {retry.attempts} times")


def _merge_group(path: str) -> str:
    """Return the folder of a history file, or the path of any other file.

    Files with the same result are pushed together or not at all.
    """
    return path.rpartition("/")[0] if path.startswith(_HISTORY_PREFIX) else path

"""Reads files of a repository, and writes one file to a branch, through GitHub's API.

A branch that this module writes has exactly one commit on top of the default branch. The author of
the commit shows whether the automation or a person wrote it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated
from urllib.parse import quote

from pydantic import StringConstraints

from accelerator_automation.github.api import (
    Api,
    GitHubError,
    none_if_missing,
    parse_response,
    read_response,
)
from accelerator_automation.github.models import GitHubModel, GitObject, Sha
from accelerator_automation.github.zip_members import ArtifactError, folder_files

AUTHOR = "accelerator-portal"
EMAIL = "accelerator-portal@users.noreply.github.com"

_MOST_PACKED, _MOST_UNPACKED = 64 * 1024 * 1024, 32 * 1024 * 1024

BranchName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _RepositoryInfo(GitHubModel):
    default_branch: BranchName


class _Reference(GitHubModel):
    object: GitObject


class _Author(GitHubModel):
    email: str


class _Commit(GitHubModel):
    sha: Sha
    tree: GitObject
    author: _Author


class _Contents(GitHubModel):
    sha: Sha
    encoding: str
    content: str


@dataclass(frozen=True, slots=True)
class BranchFile:
    """A file to write to a branch: the branch's name, the path of the file, and its text."""

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
        fields = {
            "message": message,
            "tree": tree,
            "parents": [self.base.commit],
            "author": {"name": AUTHOR, "email": EMAIL},
        }
        commit = self._create_object(f"{git_path}/commits", fields)
        if self._branch_exists(file.branch):
            body = {"sha": commit, "force": True}
            self.api.send("PATCH", f"{git_path}/refs/heads/{file.branch}", body)
        else:
            reference = {"ref": f"refs/heads/{file.branch}", "sha": commit}
            self.api.send("POST", f"{git_path}/refs", reference)

    def _commit(self, sha: str) -> _Commit:
        return read_response(self.api, f"{self.path}/git/commits/{sha}", _Commit)

    def _create_object(self, path: str, body: Mapping[str, object]) -> str:
        return parse_response(path, self.api.send("POST", path, body), GitObject).sha

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

"""One file on a branch of its own, by GitHub's API: no checkout, and no push rights for git.

A branch is always one commit on top of the base, and its author says whether the automation wrote
it: what a person pushed to it is theirs.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from pydantic import StringConstraints

from accelerator_portal.automation.events import Part, Sha
from accelerator_portal.automation.github import Api, GitHubError, parsed, read

AUTHOR = "accelerator-portal"
EMAIL = "accelerator-portal@users.noreply.github.com"

_NOT_FOUND = 404

BranchName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _Home(Part):
    default_branch: BranchName


class _GitObject(Part):
    sha: Sha


class _Reference(Part):
    object: _GitObject


class _Author(Part):
    email: str


class _Commit(Part):
    sha: Sha
    tree: _GitObject
    author: _Author


class _Contents(Part):
    sha: Sha
    content: str


@dataclass(frozen=True, slots=True)
class BranchFile:
    """A file as it is to be on a branch."""

    branch: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class BaseCommit:
    """The newest commit of the branch into which is merged."""

    branch: str
    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class BranchRepository:
    """A repository on GitHub; every method raises GitHubError."""

    api: Api
    name: str

    @property
    def path(self) -> str:
        """Its path in the API."""
        return f"repos/{self.name}"

    def base(self) -> BaseCommit:
        """Return the default branch."""
        branch = read(self.api, self.path, _Home).default_branch
        commit = self._commit(self._head(branch))
        return BaseCommit(branch, commit.sha, commit.tree.sha)

    def file_text(self, path: str, commit: str) -> str:
        """Return the text of a file at a commit."""
        place = self._contents(path, commit)
        try:
            return base64.b64decode(read(self.api, place, _Contents).content).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise GitHubError(f"{place}: the file is not text") from None

    def has(self, file: BranchFile) -> bool:
        """Return whether a branch has a file with exactly this text."""
        place = self._contents(file.path, file.branch)
        try:
            return read(self.api, place, _Contents).sha == blob_number(file.text)
        except GitHubError as error:
            if error.status == _NOT_FOUND:
                return False
            raise

    def is_own(self, commit: str) -> bool:
        """Return whether the automation wrote a commit."""
        return self._commit(commit).author.email == EMAIL

    def write(self, base: BaseCommit, file: BranchFile, message: str) -> None:
        """Make a branch one commit on top of the base, whether the branch exists or not."""
        git = f"{self.path}/git"
        entry = {"path": file.path, "mode": "100644", "type": "blob", "content": file.text}
        tree = self._made(f"{git}/trees", {"base_tree": base.tree, "tree": [entry]})
        author = {"name": AUTHOR, "email": EMAIL}
        fields: dict[str, object] = {"message": message, "tree": tree, "author": author}
        fields["parents"] = [base.commit]
        commit = self._made(f"{git}/commits", fields)
        if self._exists(file.branch):
            body = {"sha": commit, "force": True}
            self.api.send("PATCH", f"{git}/refs/heads/{file.branch}", body)
        else:
            new = {"ref": f"refs/heads/{file.branch}", "sha": commit}
            self.api.send("POST", f"{git}/refs", new)

    def _commit(self, number: str) -> _Commit:
        return read(self.api, f"{self.path}/git/commits/{number}", _Commit)

    def _made(self, path: str, body: dict[str, object]) -> str:
        return parsed(path, self.api.send("POST", path, body), _GitObject).sha

    def _head(self, branch: str) -> str:
        place = f"{self.path}/git/ref/heads/{branch}"
        return read(self.api, place, _Reference).object.sha

    def _exists(self, branch: str) -> bool:
        try:
            return bool(self._head(branch))
        except GitHubError as error:
            if error.status == _NOT_FOUND:
                return False
            raise

    def _contents(self, path: str, ref: str) -> str:
        return f"{self.path}/contents/{quote(path)}?ref={quote(ref, safe='')}"


def blob_number(text: str) -> str:
    """Return the number that git gives to a file with this text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

"""Branches, files and pull requests of the double of GitHub, as far as the automation uses them.

Source: the REST description in the npm package @octokit/openapi, read 2026-11-21.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Query = Mapping[str, str]

_MOST_IN_CONTENTS = 1024 * 1024


class GitRefusal(Exception):  # noqa: N818 - an answer of GitHub's
    """What GitHub refuses, with its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class GitStore:
    """One repository: trees are whole mappings of paths to texts; branches name commits."""

    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    commits: dict[str, Json] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    pulls: list[Json] = field(default_factory=list)

    def push(self, branch: str, files: Mapping[str, str], email: str) -> str:
        """Put a commit on a branch as a person does who pushes with git."""
        head = self.branches.get(branch)
        before = self.trees[self.commits[head]["tree"]] if head else {}
        tree = self.add_tree({**before, **files})
        commit = self.add_commit(
            tree, [head] if head else [], {"email": email, "name": "A"}, "push"
        )
        self.branches[branch] = commit
        return commit

    def add_tree(self, files: dict[str, str]) -> str:
        """Keep a tree and return its number."""
        number = _number(files)
        self.trees[number] = files
        return number

    def add_commit(self, tree: str, parents: list[str], author: Json, message: str) -> str:
        """Keep a commit and return its number."""
        made = {"tree": tree, "parents": parents, "author": author, "message": message}
        number = _number([made, len(self.commits)])
        self.commits[number] = made
        return number

    def files(self, ref: str) -> dict[str, str]:
        """The files of a branch or a commit. Raises GitRefusal."""
        commit = self.branches.get(ref, ref)
        if commit not in self.commits:
            raise GitRefusal(404, "No commit found for the ref")
        return self.trees[self.commits[commit]["tree"]]

    def changed(self, branch: str, base: str = "main") -> list[str]:
        """The paths in which a branch differs from its base: what a pull request shows."""
        ours, theirs = self.files(branch), self.files(base)
        return sorted(path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path))

    def reviewers(self, number: int) -> set[str]:
        """Whom GitHub asks by CODEOWNERS of the base: the last pattern that matches a file."""
        pull = self.pulls[number - 1]
        rules = [line.split() for line in self.files("main")[".github/CODEOWNERS"].splitlines()]
        asked: set[str] = set()
        for path in self.changed(pull["head"]["ref"]):
            owners = [words[1:] for words in rules if words and f"/{path}".startswith(words[0])]
            asked |= set(owners[-1] if owners else ())
        return asked


@dataclass(frozen=True)
class GitRequest:
    """What is asked of a repository, and by whom; `path` has no repository in it."""

    method: str
    path: str
    query: Query
    body: Any
    login: str


def git_answer(store: GitStore, request: GitRequest) -> tuple[int, Any] | None:
    """Answer a request; None for what is of no branch. Raises GitRefusal."""
    if request.path.startswith("pulls"):
        return _pulls(store, request)
    if request.path.startswith("zipball/"):
        return 200, _zipball(store, request.path.partition("/")[2])
    if request.path.startswith("git/blobs/"):
        texts = (text for files in store.trees.values() for text in files.values())
        return 200, _content(next(text for text in texts if request.path.endswith(_blob(text))))
    if request.method == "GET":
        return _read(store, request)
    return _write(store, request) if request.path.startswith("git/") else None


def _read(store: GitStore, request: GitRequest) -> tuple[int, Any] | None:
    if not request.path:
        return 200, {"default_branch": "main", "full_name": "example/repository"}
    if found := re.fullmatch(r"git/ref/heads/(.+)", request.path):
        if found[1] not in store.branches:
            raise GitRefusal(404, "Not Found")
        return 200, {"ref": f"refs/heads/{found[1]}", "object": {"sha": store.branches[found[1]]}}
    if found := re.fullmatch(r"git/commits/([0-9a-f]{40})", request.path):
        commit = store.commits[found[1]]
        return 200, {**commit, "sha": found[1], "tree": {"sha": commit["tree"]}}
    if found := re.fullmatch(r"contents/(.+)", request.path):
        return 200, _contents(store, found[1], request.query.get("ref", "main"))
    if request.path == "commits":
        commits = _commits(store, request.query["path"], request.query.get("sha", "main"))
        return 200, commits[: int(request.query["per_page"])]
    return None


def _contents(store: GitStore, path: str, ref: str) -> Json | list[Json]:
    files = store.files(ref)
    below = {name: text for name, text in files.items() if name.startswith(f"{path}/")}
    if below:  # of a flat folder
        return [{"name": n[len(path) + 1 :], "sha": _blob(text)} for n, text in below.items()]
    if path not in files:
        raise GitRefusal(404, "Not Found")
    content = _content(files[path])
    if len(files[path].encode()) > _MOST_IN_CONTENTS:
        return {**content, "encoding": "none", "content": ""}
    return content


def _content(text: str) -> Json:
    content = base64.encodebytes(text.encode()).decode()
    return {"sha": _blob(text), "encoding": "base64", "content": content}


def _zipball(store: GitStore, commit: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in {"": "", **store.files(commit)}.items():
            archive.writestr(f"acme-plugin-{commit}/{path}", text)
    return packed.getvalue()


def _blob(text: str) -> str:
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # noqa: S324 - git's


def _commits(store: GitStore, path: str, ref: str) -> list[Json]:
    """The commits of a branch or tag that changed a path, the newest first."""
    found, number = [], store.branches.get(ref)
    while number:
        parent = next(iter(store.commits[number]["parents"]), None)
        before, after = (store.files(one) if one else {} for one in (parent, number))
        if any(before.get(n) != after.get(n) for n in {*before, *after} if n.startswith(path)):
            committer = {"date": "2026-03-04T05:06:07Z"}
            found.append({"sha": number, "commit": {"committer": committer}})
        number = parent
    return found


def _write(store: GitStore, request: GitRequest) -> tuple[int, Any]:
    path, body, method = request.path.removeprefix("git/"), request.body, request.method
    if path == "trees":
        before = store.trees[body["base_tree"]]
        new = {entry["path"]: entry["content"] for entry in body["tree"]}
        return 201, {"sha": store.add_tree({**before, **new})}
    if path == "commits":
        made = store.add_commit(body["tree"], body["parents"], body["author"], body["message"])
        return 201, {"sha": made}
    name = body["ref"].removeprefix("refs/heads/") if method == "POST" else path[11:]
    if (method == "POST") == (name in store.branches):
        raise GitRefusal(422, "Reference already exists" if method == "POST" else "no such ref")
    store.branches[name] = body["sha"]
    return 201 if method == "POST" else 200, {"object": {"sha": body["sha"]}}


def _pulls(store: GitStore, request: GitRequest) -> tuple[int, Any]:
    if request.method == "GET":
        wanted = request.query.get("head", "").partition(":")[2]
        state = request.query.get("state", "open")
        found = [
            _shown(store, pull)
            for pull in store.pulls
            if state in {"all", pull["state"]} and wanted in {"", pull["head"]["ref"]}
        ]
        return 200, found if request.query.get("page", "1") == "1" else []
    if request.method == "POST":
        return 201, _shown(store, _opened(store, request.login, request.body))
    pull = store.pulls[int(request.path.removeprefix("pulls/")) - 1]
    pull.update(request.body)
    return 200, _shown(store, pull)


def _opened(store: GitStore, login: str, body: Json) -> Json:
    same = [p for p in store.pulls if p["head"]["ref"] == body["head"] and p["state"] == "open"]
    if same or not store.changed(body["head"], body["base"]):
        raise GitRefusal(422, "A pull request already exists" if same else "No commits between")
    made = {
        "number": len(store.pulls) + 1,
        "state": "open",
        "title": body["title"],
        "body": body["body"],
        "user": {"login": login},
        "head": {"ref": body["head"]},
        "merged_at": None,
    }
    store.pulls.append(made)
    return made


def _shown(store: GitStore, pull: Json) -> Json:
    head = {**pull["head"], "sha": store.branches[pull["head"]["ref"]]}
    return {**pull, "head": head}


def _number(value: object) -> str:
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()  # noqa: S324

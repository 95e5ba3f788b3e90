"""Pushes changed files with git to branches that others push to at the same time.

`push_data` adds a commit to a branch such as main. `push_archive` replaces the only commit of the
branch `archive`. Both functions add the locally changed files to the newest files of the branch. If
others have changed one of these files in another way, `push_data` leaves the file out, and
`push_archive` pushes nothing.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_automation.archive_store import UNFINISHED_SUFFIX, ArchiveError
from accelerator_portal.catalog.catalog import HISTORY
from accelerator_portal.catalog.git import GitError, git, git_error, run_git

ARCHIVE_BRANCH = "archive"

_ARCHIVE_MESSAGE = "Archive of the nightly update: older runs, package data, last valid folders"
_PUSH_ATTEMPTS = 5
_STATUS_NO_MATCH = 2  # of `git ls-remote --exit-code`

_HISTORY_FILE = re.compile(rf"{HISTORY}/(?:.*/accelerator=([^/]+)/.*|([^/]+)\.sha256)")

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's object id of a tree without files."""

_TreeEntry = tuple[str, str]
"""The mode and the object id of a file in a tree; the mode is zeros if the file was removed."""


@dataclass(frozen=True, slots=True)
class PushResult:
    """The number of files that were pushed, and the paths that were not pushed (`left_out`).

    A file is not pushed if others have changed the file on the branch in another way. The files of
    an accelerator's archive are pushed together or not at all.
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
    """Commit the changed files below `paths`, and push the commit to `branch` of `origin`.

    A file is changed if it differs from the commit that is checked out. Files that others have
    changed on the branch are not pushed (see `PushResult`). Raises GitError if git fails, or if
    others push first at each attempt.
    """
    retry = retry or PushRetry()
    git(repository, "add", "--all", "--", *paths)
    ours = _changed_entries(repository, "HEAD", git(repository, "write-tree").strip())
    for attempt in range(1, retry.attempts + 1):
        git(repository, "fetch", "--quiet", "--depth=1", "origin", branch)
        head = git(repository, "rev-parse", "FETCH_HEAD").strip()
        theirs = _changed_entries(repository, "HEAD", head)
        left_out = _conflicting_paths(ours, theirs, _merge_group)
        entries = {
            path: entry
            for path, entry in ours.items()
            if path not in left_out and theirs.get(path) != entry
        }
        if not entries:
            return PushResult(0, tuple(sorted(left_out)))
        tree = _merged_tree(repository, head, entries)
        commit = git(repository, "commit-tree", tree, "-p", head, "-m", message).strip()
        result = run_git(repository, "push", "--quiet", "origin", f"{commit}:refs/heads/{branch}")
        if not result.returncode:
            return PushResult(len(entries), tuple(sorted(left_out)))
        if "rejected]" not in result.stderr:
            raise git_error(result)
        retry.pause(retry.first_wait * 2 ** (attempt - 1) * random.uniform(1, 2))  # noqa: S311
    raise GitError(f"git push: others pushed to {branch} at the same time, {retry.attempts} times")


def _merge_group(path: str) -> str:
    """Return the group of a file: its accelerator if it is archived, otherwise its own path.

    Files of the same group are pushed together or not at all: the list of an accelerator's files
    and the files.
    """
    match = _HISTORY_FILE.fullmatch(path)
    return match[1] or match[2] if match else path


def fetch_archive(repository: Path, place: Path) -> bool:
    """Check out the branch `archive` into the new folder `place`; return whether the branch exists.

    Without the branch, the folder has no files. Raises ArchiveError if `place` exists, and GitError
    if the branch cannot be fetched.
    """
    if place.exists():
        raise ArchiveError(f"{place} already exists. Use a new folder")
    remote = git(repository, "remote", "get-url", "origin").strip()
    git(repository, "init", "--quiet", f"--initial-branch={ARCHIVE_BRANCH}", str(place.absolute()))
    git(place, "remote", "add", "origin", remote)
    result = run_git(place, "ls-remote", "--exit-code", "origin", f"refs/heads/{ARCHIVE_BRANCH}")
    if result.returncode == _STATUS_NO_MATCH:
        return False
    if result.returncode:
        raise git_error(result)
    git(place, "fetch", "--quiet", "--depth=1", "origin", ARCHIVE_BRANCH)
    git(place, "reset", "--quiet", "--hard", "FETCH_HEAD")
    return True


def push_archive(place: Path) -> bool:
    """Push the folder's changes to the branch `archive`; return whether a commit was pushed.

    First removes unfinished files of an interrupted run. Keeps the changes that others pushed since
    `fetch_archive`. Raises GitError. Raises ArchiveError if others pushed a different change of one
    of the changed files, or if others push first at each attempt.
    """
    for unfinished in place.rglob(f"*{UNFINISHED_SUFFIX}"):
        unfinished.unlink(missing_ok=True)
    git(place, "add", "--all")
    tree = git(place, "write-tree").strip()
    fetched_commit = run_git(place, "rev-parse", "--quiet", "--verify", "HEAD").stdout.strip()
    if fetched_commit and git(place, "rev-parse", f"{fetched_commit}^{{tree}}").strip() == tree:
        return False
    newest_commit, own_tree = fetched_commit, tree
    for _ in range(_PUSH_ATTEMPTS):
        commit = git(place, "commit-tree", tree, "-m", _ARCHIVE_MESSAGE).strip()
        # The lease is the fetched commit; if it is empty, the branch must not exist yet.
        lease = f"--force-with-lease=refs/heads/{ARCHIVE_BRANCH}:{newest_commit}"
        result = run_git(
            place, "push", "--quiet", lease, "origin", f"{commit}:refs/heads/{ARCHIVE_BRANCH}"
        )
        if not result.returncode:
            git(place, "reset", "--quiet", "--hard", commit)
            return True
        if "rejected]" not in result.stderr:
            raise git_error(result)
        newest_commit, tree = _merge_with_branch(place, fetched_commit, own_tree)
    raise ArchiveError(f"{ARCHIVE_BRANCH} changed during {_PUSH_ATTEMPTS} attempts to push")


def _merge_with_branch(folder: Path, fetched_commit: str, tree: str) -> tuple[str, str]:
    """Return the newest commit of the branch, and a git tree that adds our changes to that commit.

    Our changes are the differences from the commit `fetched_commit` to `tree`. `fetched_commit` is
    empty if the branch did not exist when the work started. Raises GitError. Raises ArchiveError if
    one of our changed files has a different change on the branch.
    """
    git(folder, "fetch", "--quiet", "--depth=1", "origin", ARCHIVE_BRANCH)
    newest_commit = git(folder, "rev-parse", "FETCH_HEAD").strip()
    base = fetched_commit or _EMPTY_TREE
    ours = _changed_entries(folder, base, tree)
    if conflicts := sorted(_conflicting_paths(ours, _changed_entries(folder, base, newest_commit))):
        what = f"{conflicts[0]} changed on the branch {ARCHIVE_BRANCH} in the meantime"
        raise ArchiveError(f"{what}. Run the job again")
    return newest_commit, _merged_tree(folder, newest_commit, ours)


def _changed_entries(repository: Path, before: str, after: str) -> dict[str, _TreeEntry]:
    """Return the files that differ between two trees or commits, with their entries in `after`.

    The keys are paths. The entry of a removed file has a mode of zeros. Raises GitError.
    """
    text = git(repository, "diff-tree", "-r", "-z", "--no-renames", before, after)
    fields = text.split("\0")[:-1]
    entries = {}
    for header, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, blob, _ = header.split(" ")
        entries[path] = (mode, blob)
    return entries


def _conflicting_paths(
    ours: Mapping[str, _TreeEntry],
    theirs: Mapping[str, _TreeEntry],
    group_of: Callable[[str], str] = lambda path: path,
) -> frozenset[str]:
    """Return the paths in `ours` that cannot be merged with `theirs`.

    Both map the path of a changed file to its new entry. `group_of` returns the group of a path
    (default: each path is its own group). A group conflicts if `theirs` changes one of its files
    and `ours` does not have the same change. All paths of a conflicting group are returned.
    """
    groups = {group_of(path) for path in ours}
    differing = {
        group_of(path)
        for path, entry in theirs.items()
        if group_of(path) in groups and ours.get(path) != entry
    }
    return frozenset(path for path in ours if group_of(path) in differing)


def _merged_tree(repository: Path, onto: str, files: Mapping[str, _TreeEntry]) -> str:
    """Create a git tree from the tree `onto` with the changes in `files`, and return its id.

    `files` maps the path of a changed file to its new entry. An entry with a mode of zeros removes
    the file. Raises GitError.
    """
    entries = "".join(f"{mode} {blob}\t{path}\0" for path, (mode, blob) in files.items())
    with TemporaryDirectory(prefix="portal-index-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git(repository, "read-tree", onto, variables=index)
        git(repository, "update-index", "-z", "--index-info", variables=index, text=entries)
        return git(repository, "write-tree", variables=index).strip()

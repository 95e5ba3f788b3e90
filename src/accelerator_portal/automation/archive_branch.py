"""Stores the archive as a branch of the repository, in one commit without history."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.automation.archive_store import UNFINISHED, ArchiveError
from accelerator_portal.automation.git import (
    EMPTY_TREE,
    GitError,
    changes,
    conflicts,
    failure,
    git,
    merged_tree,
    run,
)

BRANCH = "archive"

_MESSAGE = "Archive of the nightly update: older runs, package data, last valid folders"
_ATTEMPTS = 5
_NO_SUCH = 2  # of `git ls-remote --exit-code`


def fetch_archive(repository: Path, place: Path) -> bool:
    """Check the branch out into a new folder; return whether there is one already.

    Where there is none the folder is empty: the first night. A branch that cannot be fetched is an
    error, and no empty archive, which would then replace it. Raises ArchiveError.
    """
    if place.exists():
        raise ArchiveError(f"{place} already exists. Use a new folder")
    try:
        return _fetch(repository, place)
    except GitError as error:
        raise ArchiveError(str(error)) from None


def push_archive(place: Path) -> bool:
    """Replace the branch by what the folder holds now; return whether that is anything new.

    What somebody else pushed since it was fetched stays; where both changed the same object,
    nothing is pushed. What a killed night left half written is removed. Raises ArchiveError.
    """
    for left in place.rglob(f"*{UNFINISHED}"):
        left.unlink(missing_ok=True)
    try:
        return _push(place)
    except GitError as error:
        raise ArchiveError(str(error)) from None


def _fetch(repository: Path, place: Path) -> bool:
    remote = git(repository, "remote", "get-url", "origin").strip()
    git(repository, "init", "--quiet", f"--initial-branch={BRANCH}", str(place.absolute()))
    git(place, "remote", "add", "origin", remote)
    found = run(place, "ls-remote", "--exit-code", "origin", f"refs/heads/{BRANCH}")
    if found.returncode == _NO_SUCH:
        return False
    if found.returncode:
        raise failure(found)
    git(place, "fetch", "--quiet", "--depth=1", "origin", BRANCH)
    git(place, "reset", "--quiet", "--hard", "FETCH_HEAD")
    return True


def _push(place: Path) -> bool:
    git(place, "add", "--all")
    tree = git(place, "write-tree").strip()
    before = run(place, "rev-parse", "--quiet", "--verify", "HEAD").stdout.strip()
    if before and git(place, "rev-parse", f"{before}^{{tree}}").strip() == tree:
        return False
    newest = before
    for _ in range(_ATTEMPTS):
        commit = git(place, "commit-tree", tree, "-m", _MESSAGE).strip()
        # The lease is what was fetched; empty, the branch must not be there yet.
        lease = f"--force-with-lease=refs/heads/{BRANCH}:{newest}"
        done = run(place, "push", "--quiet", lease, "origin", f"{commit}:refs/heads/{BRANCH}")
        if not done.returncode:
            git(place, "reset", "--quiet", "--hard", commit)
            return True
        if "rejected]" not in done.stderr:
            raise failure(done)
        newest, tree = _merged(place, before, tree)
    raise ArchiveError(f"{BRANCH} changed during {_ATTEMPTS} attempts to push")


def _merged(place: Path, before: str, tree: str) -> tuple[str, str]:
    """Return what somebody else pushed since `before`, and that with our changes."""
    git(place, "fetch", "--quiet", "--depth=1", "origin", BRANCH)
    newest = git(place, "rev-parse", "FETCH_HEAD").strip()
    base = before or EMPTY_TREE
    ours = changes(place, base, tree)
    if wrong := sorted(conflicts(ours, changes(place, base, newest))):
        raise ArchiveError(f"the branch {BRANCH} has another {wrong[0]} by now. Run the job again")
    return newest, merged_tree(place, newest, ours)

"""The archive as a branch of the repository: one commit, so that what is dropped takes no room."""

from __future__ import annotations

import subprocess
from pathlib import Path

from accelerator_portal.automation.archive_store import UNFINISHED, ArchiveError

BRANCH = "archive"

_MESSAGE = "What the nightly keeps: older runs, package facts, last good folders"
_NO_SUCH = 2  # of `git ls-remote --exit-code`
_SECONDS = 600


def fetch_archive(repository: Path, place: Path) -> bool:
    """Check the branch out into a new folder; return whether there is one already.

    Where there is none the folder is empty: the first night. A branch that cannot be fetched is an
    error, and no empty archive, which would then replace it. Raises ArchiveError.
    """
    if place.exists():
        raise ArchiveError(f"{place} is there already; name a folder that is not")
    remote = _git(repository, "remote", "get-url", "origin").strip()
    _git(repository, "init", "--quiet", f"--initial-branch={BRANCH}", str(place.absolute()))
    _git(place, "remote", "add", "origin", remote)
    found = _run(place, "ls-remote", "--exit-code", "origin", f"refs/heads/{BRANCH}")
    if found.returncode == _NO_SUCH:
        return False
    if found.returncode:
        raise _error(found)
    _git(place, "fetch", "--quiet", "--depth=1", "origin", BRANCH)
    _git(place, "reset", "--quiet", "--hard", "FETCH_HEAD")
    return True


def push_archive(place: Path) -> bool:
    """Replace the branch by what the folder holds now; return whether that is anything new.

    What somebody else pushed since it was fetched is not replaced, and what a killed night left
    half written is removed. Raises ArchiveError.
    """
    for left in place.rglob(f"*{UNFINISHED}"):
        left.unlink(missing_ok=True)
    _git(place, "add", "--all")
    tree = _git(place, "write-tree").strip()
    before = _run(place, "rev-parse", "--quiet", "--verify", "HEAD").stdout.strip()
    if before and _git(place, "rev-parse", f"{before}^{{tree}}").strip() == tree:
        return False
    commit = _git(place, "commit-tree", tree, "-m", _MESSAGE).strip()
    # The lease is what was fetched; empty, the branch must not be there yet.
    lease = f"--force-with-lease=refs/heads/{BRANCH}:{before}"
    _git(place, "push", "--quiet", lease, "origin", f"{commit}:refs/heads/{BRANCH}")
    _git(place, "reset", "--quiet", "--hard", commit)
    return True


def _git(place: Path, *words: str) -> str:
    done = _run(place, *words)
    if done.returncode:
        raise _error(done)
    return done.stdout


def _run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *words],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ArchiveError(f"git {words[0]}: {type(error).__name__}") from None


def _error(done: subprocess.CompletedProcess[str]) -> ArchiveError:
    said = (done.stderr.strip().splitlines() or ["it failed"])[-1]
    return ArchiveError(f"git {done.args[1]}: {said}")

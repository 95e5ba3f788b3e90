"""Pushing data that a workflow made to a branch that others push to at the same time.

The working tree is left alone: a commit is made of the branch's newest tree and of the files that
changed here. Where the branch changed the same file meanwhile, its version stays and the other
files are pushed; the next run makes that file anew from the branch.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.automation.git import GitError, failure, git, run
from accelerator_portal.automation.tree_merge import changes, conflicts, merged_tree
from accelerator_portal.catalog.catalog import HISTORY

_HISTORY = f"{HISTORY}/"


@dataclass(frozen=True, slots=True)
class PushResult:
    """What came of a push: how many files are on the branch now, and which were left out."""

    pushed: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushRetry:
    """How often a push that another one overtook is repeated; tests wait shorter."""

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
    """Push what changed below `paths` since the checkout to a branch of `origin`.

    Raises GitError where git fails, or other pushes overtook this one every time.
    """
    retry = retry or PushRetry()
    git(repository, "add", "--all", "--", *paths)
    ours = changes(repository, "HEAD", git(repository, "write-tree").strip())
    for attempt in range(1, retry.attempts + 1):
        git(repository, "fetch", "--quiet", "--depth=1", "origin", branch)
        head = git(repository, "rev-parse", "FETCH_HEAD").strip()
        theirs = changes(repository, "HEAD", head)
        left_out = conflicts(ours, theirs, _unit)
        kept = {
            path: entry
            for path, entry in ours.items()
            if path not in left_out and theirs.get(path) != entry
        }
        if not kept:
            return PushResult(0, tuple(sorted(left_out)))
        tree = merged_tree(repository, head, kept)
        commit = git(repository, "commit-tree", tree, "-p", head, "-m", message).strip()
        done = run(repository, "push", "--quiet", "origin", f"{commit}:refs/heads/{branch}")
        if not done.returncode:
            return PushResult(len(kept), tuple(sorted(left_out)))
        if "rejected]" not in done.stderr:
            raise failure(done)
        retry.pause(retry.first_wait * 2 ** (attempt - 1) * random.uniform(1, 2))  # noqa: S311
    raise GitError(f"git push: others pushed to {branch} at the same time, {retry.attempts} times")


def _unit(path: str) -> str:
    """A history is in several files that are of use together only."""
    return path.rpartition("/")[0] if path.startswith(_HISTORY) else path

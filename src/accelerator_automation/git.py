"""Runs git commands with a time limit, and merges git trees."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_portal.catalog.problem import UserError

_TIMEOUT_SECONDS = 600


class GitError(UserError):
    """A git command failed; the message is the command and git's reason."""


def run_git(
    place: Path, *words: str, variables: Mapping[str, str] | None = None, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, with `text` as its input, and return its result.

    If the command fails, the result's `returncode` is not 0. Raises GitError if git does not start
    or does not end in time.
    """
    try:
        return subprocess.run(
            ["git", *words],
            cwd=place,
            env={**os.environ, **(variables or {})},
            input=text,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {words[0]}: {type(error).__name__}") from None


def git(
    place: Path, *words: str, variables: Mapping[str, str] | None = None, text: str | None = None
) -> str:
    """Run git in a folder, with `text` as its input, and return its output.

    Raises GitError if it fails.
    """
    result = run_git(place, *words, variables=variables, text=text)
    if result.returncode:
        raise git_error(result)
    return result.stdout


def git_error(done: subprocess.CompletedProcess[str]) -> GitError:
    """Return the error for a git command that failed."""
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith("hint:")]
    reasons = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return GitError(f"git {done.args[1]}: {[*reasons, *lines[-1:], 'it failed'][0]}")


# Puts files that changed here on top of a newer commit, without a working tree.
#
# A file that both sides changed differently is a conflict; files of one unit are merged together
# or not at all.

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's object id of a tree without files."""

TreeEntry = tuple[str, str]
"""The mode and the object id of a file in a tree; the mode is zeros if the file was removed."""


def changed_entries(repository: Path, before: str, after: str) -> dict[str, TreeEntry]:
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


def conflicting_paths(
    ours: Mapping[str, TreeEntry],
    theirs: Mapping[str, TreeEntry],
    unit: Callable[[str], str] = lambda path: path,
) -> frozenset[str]:
    """Return the paths in `ours` that cannot be merged with `theirs`.

    Both map the path of a changed file to its new entry. `unit` returns the group of a path
    (default: each path is its own group). A group conflicts if `theirs` changes one of its files
    and `ours` does not have the same change. All paths of a conflicting group are returned.
    """
    units = {unit(path) for path in ours}
    differing = {
        unit(path)
        for path, entry in theirs.items()
        if unit(path) in units and ours.get(path) != entry
    }
    return frozenset(path for path in ours if unit(path) in differing)


def merged_tree(repository: Path, onto: str, files: Mapping[str, TreeEntry]) -> str:
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

"""Which vendors' folders a change touches, as git knows it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from accelerator_portal.catalog.catalog import ACCELERATORS

# What a clone or a fork calls the branch that changes go to.
_USUAL_BASES = ("origin/HEAD", "origin/main")


class UnknownBaseError(ValueError):
    """A commit that git does not know; the message names it."""


def changed_folders(root: Path, base: str | None) -> frozenset[str]:
    """Return the folders that differ from `base`, or from the usual branch where there is none.

    Without git, or without such a branch, none is known to have changed. Raises UnknownBaseError.
    """
    for name in (base,) if base else _USUAL_BASES:
        # The last commit that both have: what others changed since is not this change.
        start = _git(root, "merge-base", "--end-of-options", "HEAD", name)
        if start:
            changed = _git(root, "diff", "--name-only", "--relative", "-z", start[0], "--", ".")
            new = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", ACCELERATORS)
            return frozenset(filter(None, map(_folder, (*changed, *new))))
    if base:
        raise UnknownBaseError(f'there is no commit "{base}". Fetch it, or correct --base')
    return frozenset()


def _folder(path: str) -> str:
    first, _, rest = path.partition("/")
    folder, slash, _ = rest.partition("/")
    return folder if first == ACCELERATORS and slash else ""


def _git(root: Path, *arguments: str) -> list[str]:
    """The lines, or names, that git answers with; none where it fails."""
    command = ["git", "-C", str(root), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    text = done.stdout.decode(errors="surrogateescape") if not done.returncode else ""
    return [part for part in text.replace("\0", "\n").split("\n") if part]

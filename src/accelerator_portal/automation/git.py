"""Running git, with a deadline and with errors in one line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 600


class GitError(Exception):
    """Git failed; the message is the command's name and the last line of its errors."""


def run(
    place: Path, *words: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, whatever its exit status is. Raises GitError if it does not end."""
    try:
        return subprocess.run(
            ["git", *words],
            cwd=place,
            env={**os.environ, **(variables or {})},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {words[0]}: {type(error).__name__}") from None


def git(place: Path, *words: str, variables: Mapping[str, str] | None = None) -> str:
    """Run git in a folder and return its output. Raises GitError."""
    done = run(place, *words, variables=variables)
    if done.returncode:
        raise failure(done)
    return done.stdout


def failure(done: subprocess.CompletedProcess[str]) -> GitError:
    """Return the error that a command which failed stands for."""
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith("hint:")]
    return GitError(f"git {done.args[1]}: {lines[-1] if lines else 'it failed'}")

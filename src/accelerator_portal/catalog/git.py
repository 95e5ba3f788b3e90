"""Runs git commands with a time limit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from accelerator_reports.files.problem import UserError

_TIMEOUT_SECONDS = 600


class GitError(UserError):
    """A git command failed; the message is the command and git's reason."""


def run_git(
    folder: Path,
    *arguments: str,
    variables: Mapping[str, str] | None = None,
    text: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, with `text` as its input, and return its result.

    `variables` are additional environment variables. If the command fails, the result's
    `returncode` is not 0. Raises GitError if git does not start or does not end in time.
    """
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**os.environ, **(variables or {})},
            input=text,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]}: {type(error).__name__}") from None


def git(
    folder: Path,
    *arguments: str,
    variables: Mapping[str, str] | None = None,
    text: str | None = None,
) -> str:
    """Run git in a folder, with `text` as its input, and return its output.

    `variables` are additional environment variables. Raises GitError if git fails.
    """
    result = run_git(folder, *arguments, variables=variables, text=text)
    if result.returncode:
        raise git_error(result)
    return result.stdout


def git_error(result: subprocess.CompletedProcess[str]) -> GitError:
    """Return the error for a git command that failed."""
    lines = [line for line in result.stderr.splitlines() if line and not line.startswith("hint:")]
    reasons = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return GitError(f"git {result.args[1]}: {[*reasons, *lines[-1:], 'it failed'][0]}")

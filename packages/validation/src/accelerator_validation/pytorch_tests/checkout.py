"""Reads the commit and version of a PyTorch checkout, and compares them with the installed torch.

PyTorch's tests can fail with another release of torch: they test features of their own release, and
use helpers of the installed torch.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from accelerator_reports.files.fields import version_or_none
from accelerator_validation.plan import RunError

TESTS_FOLDER = "test"

_COMMIT = re.compile(r"[0-9a-f]{7,}")
# The number of characters of a commit hash that messages show.
_SHORT_COMMIT_CHARS = 12


def checkout_facts(checkout: Path) -> dict[str, str]:
    """Return facts about a PyTorch checkout: `checkout` (its folder), `commit` and `version`.

    An unknown commit or version is "". Raises RunError if the folder is not a PyTorch checkout.
    """
    if not (checkout / TESTS_FOLDER).is_dir():
        problem = f"{checkout} is not a checkout of PyTorch; it has no folder {TESTS_FOLDER}"
        raise RunError(f"{problem}; clone github.com/pytorch/pytorch at the tag of your torch")
    version = ""
    with suppress(OSError, UnicodeDecodeError):
        version = (checkout / "version.txt").read_text("utf-8").strip()[:60]
    commit = checkout_commit(checkout)
    return {"checkout": str(checkout.resolve()), "commit": commit, "version": version}


def checkout_mismatch(given: Mapping[str, str], environment: Mapping[str, Any]) -> str | None:
    """Return a warning if a PyTorch checkout does not match the installed torch, or None.

    `given` has the facts of `checkout_facts`. `environment` is the environment of the run.
    """
    torch_version = environment.get("torch") or ""
    torch_commit = environment.get("torch_commit") or ""
    commit, version = given.get("commit", ""), given.get("version", "")
    if not torch_version:
        return None
    release = _release_numbers(torch_version)
    tag_remedy = (
        f"git checkout v{'.'.join(map(str, release))}" if release else "use the tag of your torch"
    )
    if commit and _COMMIT.fullmatch(torch_commit):
        if torch_commit.startswith(commit) or commit.startswith(torch_commit):
            return None
        built_from = f"torch {torch_version} was built from {torch_commit[:_SHORT_COMMIT_CHARS]}"
        checkout_text = f"at commit {commit[:_SHORT_COMMIT_CHARS]}, and {built_from}"
        remedy = f"git checkout {torch_commit}"
    elif not version:
        checkout_text, remedy = f"of an unknown version, and torch is {torch_version}", tag_remedy
    elif _release_numbers(version) == release != ():
        return None
    else:
        checkout_text, remedy = f"of version {version}, and torch is {torch_version}", tag_remedy
    problem = f"PyTorch's tests don't match this torch version: the checkout is {checkout_text}"
    return f"{problem}; tests can fail because of that. Fix: {remedy}"


def _release_numbers(version: str) -> tuple[int, ...]:
    """Return the release numbers of a version: `(2, 6, 0)` for `2.6.0a0` and `2.6.0+cu124`.

    If the version is invalid, the result is empty.
    """
    parsed_version = version_or_none(version)
    return parsed_version.release if parsed_version else ()


def checkout_commit(folder: Path) -> str:
    """Return the commit of a Git checkout, or "" if it is unknown.

    A folder without its own `.git` has no commit, even if it is inside another repository.
    """
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "HEAD"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.strip() if not process.returncode else ""

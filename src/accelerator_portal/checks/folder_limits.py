"""Limits the time and memory for reading and checking one vendor's folder.

Folders are first read and checked in a separate process, so that one vendor's folder can't block
the check of the others. `accelerator-portal check` and the quarantine skip a folder that exceeds
the limits.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem

MAX_SECONDS = 10
MAX_BYTES = 1_000_000_000
MAX_PROBLEMS = 100
LIMITS = {"seconds": MAX_SECONDS, "gigabytes": MAX_BYTES // 10**9, "faults": MAX_PROBLEMS}
"""The limits for one folder, by the names that the page about the rules uses."""

RULE = "folder-limits"
"""The id of the rule for these limits."""

_REASON_TEXTS = {
    "time": f"the folder takes more than {MAX_SECONDS} s of processor time to read and check",
    "memory": f"the folder takes more than {MAX_BYTES // 10**9} GB of memory to read and check",
    "hangs": "the folder cannot be read in time",
    "crash": "reading the folder crashes the process",
}


def folders_over_limits(root: Path, today: dt.date) -> dict[str, Problem]:
    """Return a problem for each folder that exceeds a limit or crashes the process.

    The keys are folder names. The limits exist only on Linux and macOS, so the result is empty on
    other systems. The result is also empty if the shared data cannot be used.
    """
    if not hasattr(os, "fork"):
        return {}
    command = [sys.executable, "-m", "accelerator_portal.checks.folder_process", str(root)]
    process = subprocess.run(
        [*command, today.isoformat()], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if process.returncode:  # the shared data cannot be used; the next reader reports why
        return {}
    reason_by_folder: dict[str, str] = json.loads(process.stdout)
    return {folder: _problem(folder, reason) for folder, reason in reason_by_folder.items()}


def _problem(folder: str, reason: str) -> Problem:
    remedy = "reduce the folder: use fewer or smaller reports and shorter texts"
    return Problem(f"{ACCELERATORS}/{folder}", 1, _REASON_TEXTS[reason], remedy, rule=RULE)


def load_within_limits(root: Path, today: dt.date) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog without the folders that exceed the limits, and all problems.

    The problems include one for each folder that exceeds a limit. The catalog is None if the shared
    data cannot be used.
    """
    large = folders_over_limits(root, today)
    catalog, problems = load_catalog(root, lambda folder: folder not in large)
    return catalog, [*problems, *large.values()]


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first MAX_PROBLEMS problems of each folder.

    If a folder has more problems, one additional problem says so. A folder is the first two parts
    of a problem's path, such as `accelerators/acme`.
    """
    shown: list[Problem] = []
    seen: Counter[str] = Counter()
    for problem in problems:
        folder = "/".join(problem.path.split("/")[:2])
        seen[folder] += 1
        if seen[folder] <= MAX_PROBLEMS:
            shown.append(problem)
        elif seen[folder] == MAX_PROBLEMS + 1:
            what = f"{folder} has more than {MAX_PROBLEMS} problems"
            shown.append(
                replace(problem, what=what, remedy="fix the problems above first", fix=None)
            )
    return shown

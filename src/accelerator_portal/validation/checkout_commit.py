"""Which commit a folder of sources is at."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit_of(folder: Path) -> str:
    """Return the commit of a checkout; empty where git does not know.

    Git would answer for a repository around the folder, too: only the folder's own counts.
    """
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if not done.returncode else ""

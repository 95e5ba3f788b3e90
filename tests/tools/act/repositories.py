"""Repositories of git that tests make."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(place: Path, *words: str) -> str:
    """Run git with somebody as the author; return what it prints."""
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    command = ["git", "-C", str(place), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

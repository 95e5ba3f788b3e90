"""Temporary files in memory, where there is room: a run writes 100,000 small ones."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
ROOM = 4_000_000_000
"""Bytes; a run holds 0.7 GB at once."""


def keep_in_memory() -> None:
    """Choose memory for this process and those that it starts, if nobody chose otherwise.

    On a disk a run takes a quarter longer, and tests wait for each other's files to be written.
    """
    if "TMPDIR" not in os.environ and _fits(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _fits(folder: Path) -> bool:
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    runs_programs = not found.f_flag & os.ST_NOEXEC
    return runs_programs and found.f_bavail * found.f_frsize > ROOM

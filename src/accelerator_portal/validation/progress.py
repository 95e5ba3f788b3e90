"""What a long listing of tests says of itself: lines of its standard error with a mark."""

from __future__ import annotations

import sys
from collections.abc import Iterable

_MARK = "progress: "


def progress(words: str) -> None:
    """Say, in the process that lists tests, how far it is."""
    sys.stderr.write(f"{_MARK}{words}\n")
    sys.stderr.flush()


def echoed(lines: Iterable[str]) -> list[str]:
    """Print marked lines of another process as they come; return the others, the last 100."""
    kept: list[str] = []
    for line in lines:
        if line.startswith(_MARK):
            sys.stderr.write(line.removeprefix(_MARK))
            sys.stderr.flush()
        elif line.strip():
            kept = [*kept[-99:], line.rstrip("\n")]
    return kept

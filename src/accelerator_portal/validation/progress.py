"""What a long listing of tests says of itself: lines of its standard error with a mark."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

_MARK = "progress: "


def progress(words: str) -> None:
    """Say, in the process that lists tests, how far it is."""
    sys.stderr.write(f"{_MARK}{words}\n")
    sys.stderr.flush()


def reported(lines: Iterable[str]) -> Iterator[str]:
    """Yield what the marked ones among the lines of another process say."""
    return (line.removeprefix(_MARK) for line in lines if line.startswith(_MARK))

"""Defines how long-running work reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Advance = Callable[[], None]
"""A function to call after each finished item."""

Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""A function from a label and the number of items to a context manager that gives `Advance`."""


def no_progress(_label: str, _length: int) -> AbstractContextManager[Advance]:
    """Return a context manager that shows no progress."""
    return nullcontext(lambda: None)

"""Lets long-running functions report their progress to callbacks that the caller passes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Advance = Callable[[], None]
"""A function to call after each finished item."""

Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""A function that starts a progress display.

It takes a label and the number of items. It returns a context manager whose value is an `Advance`.
"""


def no_progress(_label: str, _length: int) -> AbstractContextManager[Advance]:
    """Return a context manager that shows no progress."""
    return nullcontext(lambda: None)

"""Defines how long-running work reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Advance = Callable[[], None]
"""Called when one more of the items is done."""

Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""From a label and the number of items to a function that counts finished items."""


def no_progress(_label: str, _length: int) -> AbstractContextManager[Advance]:
    """Show no progress."""
    return nullcontext(lambda: None)

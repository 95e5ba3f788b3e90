"""Finds memory that an operation loses with each call, in the process and on the device."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import torch

_PROCESS_MEMORY = Path("/proc/self/statm")
_CALLS = 6
_BLOCKS = 3
_ATTEMPTS = 3
_LEAST_BYTES = 16 * 1024
"""The least growth of memory with each call that counts as a loss."""


def grows_with_each_call(action: Callable[[], object]) -> int:
    """Return how many bytes of memory each call loses; 0 if memory does not grow steadily.

    A loss grows in each block of calls, a cache only in some.
    """
    growth = 0
    for _ in range(_ATTEMPTS):
        points = [_after(action, 1)] + [_after(action, _CALLS) for _ in range(_BLOCKS)]
        growth = max(
            min(later[place] - earlier[place] for earlier, later in pairwise(points))
            for place in range(len(points[0]))
        )
        if growth < _CALLS * _LEAST_BYTES:
            return 0
    return growth // _CALLS


def _after(action: Callable[[], object], calls: int) -> tuple[int, ...]:
    """Return the bytes in use by the process and on the device, after some calls."""
    for _ in range(calls):
        action()
    sizes = []
    with suppress(OSError):
        pages = int(_PROCESS_MEMORY.read_text("ascii").split()[1])
        sizes.append(pages * os.sysconf("SC_PAGE_SIZE"))
    with suppress(Exception):  # a device that does not tell
        torch.accelerator.synchronize()
        sizes.append(torch.accelerator.memory_allocated())
    return tuple(sizes) or (0,)

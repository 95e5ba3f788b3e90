"""Finds memory that an operation loses with each call, in the process and on the device."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import torch

_PROCESS_MEMORY = Path("/proc/self/statm")
_SYSTEM_MEMORY = Path("/proc/meminfo")
_CALLS = 6
_BLOCKS = 3
_ATTEMPTS = 3
_LEAST_BYTES = (1, 16 * 1024)
"""The least growth with each call that counts as a loss: of the memory that the device has given
out, and of the memory of the process, which grows by pages."""


def available_memory() -> int | None:
    """Return how many bytes of memory programs can take without swapping; None if unknown."""
    with suppress(OSError):
        for line in _SYSTEM_MEMORY.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def grows_with_each_call(action: Callable[[], object]) -> int:
    """Return how many bytes of memory each call loses; 0 if memory does not grow steadily.

    A loss grows in each block of calls, a cache only in some.
    """
    growth = 0
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)  # else a loss fills what was freed before
    for _ in range(_ATTEMPTS):
        points = [_after(action, 1)] + [_after(action, _CALLS) for _ in range(_BLOCKS)]
        growths = [
            min(later[place] - earlier[place] for earlier, later in pairwise(points))
            for place in range(len(_LEAST_BYTES))
        ]
        limits = zip(growths, _LEAST_BYTES, strict=True)
        growth = max((size for size, least in limits if size >= _CALLS * least), default=0)
        if not growth:
            return 0
    return growth // _CALLS


def _after(action: Callable[[], object], calls: int) -> tuple[int, int]:
    """Return the bytes in use on the device and by the process after some calls; 0 if unknown."""
    for _ in range(calls):
        action()
    on_device = in_process = 0
    with suppress(Exception):  # a device that does not tell
        torch.accelerator.synchronize()
        on_device = torch.accelerator.memory_allocated()
    with suppress(OSError):
        pages = int(_PROCESS_MEMORY.read_text("ascii").split()[1])
        in_process = pages * os.sysconf("SC_PAGE_SIZE")
    return on_device, in_process

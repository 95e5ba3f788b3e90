"""How much memory a device has left: what decides which sizes are measured on it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import torch

from accelerator_portal.validation.classify import SkippedError

_MEMINFO = Path("/proc/meminfo")
_GIB = 1 << 30
_SHARE = 0.5  # the rest is for workspaces, fallbacks and whoever else uses the device


def free_bytes(device: str, meminfo: Path = _MEMINFO) -> int | None:
    """Return the free memory of a device, or all it has; None where nobody says."""
    if torch.device(device).type == "cpu":
        return _available(meminfo)
    with suppress(Exception):  # a plugin need not have it, and whatever it raises is no news here
        module = torch.get_device_module(device)
        if hasattr(module, "mem_get_info"):
            return int(module.mem_get_info()[0])
        return int(module.get_device_properties(0).total_memory)
    return None


def require_room(device: str, needed: int) -> None:
    """Skip a test whose data would take more than half of the memory; raises SkippedError."""
    free = free_bytes(device)
    if free is not None and needed > _SHARE * free:
        room = f"{_SHARE:.0%} of the {free / _GIB:.1f} GiB that are free"
        raise SkippedError(f"It needs about {needed / _GIB:.1f} GiB, more than {room}.")


def _available(meminfo: Path) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in meminfo.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None

"""The memory of this process: now, and the most since a moment. Linux alone tells it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Let the greatest memory of this process count anew."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def peak_mb() -> float | None:
    """Return the greatest resident memory since `forget_peak`, in MB."""
    return _read("VmHWM:")


def resident_mb() -> float | None:
    """Return the resident memory of now, in MB."""
    return _read("VmRSS:")


def _read(field: str) -> float | None:
    with suppress(OSError, ValueError):
        for line in _STATUS.read_text("utf-8").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024 / 1e6
    return None

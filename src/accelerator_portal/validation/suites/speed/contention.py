"""How much of the processors other programs used: with them, the CPU's own speed is not measured.

Threads that wait for a thread which another program displaced make each run as slow as the others.
Runs then agree closely, on a number that is not the CPU's.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
_IDLE = {3, 4}  # idle, and waiting for a disk; all else is work, or stolen by the hypervisor
_COUNTED = 8  # guests, after these, are counted as users already
_MOST = 0.10
_LEAST_S = 0.2  # Linux counts in hundredths of a second: of less, a share would be a guess


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """Seconds so far: of all work on all processors, of this process, and on the clock."""

    all_s: float
    own_s: float
    clock_s: float
    processors: int


def processor_times(stat: Path = _STAT) -> ProcessorTimes | None:
    """Return the times as Linux counts them; None elsewhere."""
    with suppress(OSError, ValueError, IndexError):
        lines = stat.read_text("ascii").splitlines()
        ticks = [int(word) for word in lines[0].split()[1 : _COUNTED + 1]]
        busy = sum(count for place, count in enumerate(ticks) if place not in _IDLE)
        processors = sum(line.startswith("cpu") for line in lines) - 1
        seconds = busy / os.sysconf("SC_CLK_TCK")
        return ProcessorTimes(seconds, time.process_time(), time.perf_counter(), processors)
    return None


def disturbance(before: ProcessorTimes | None, after: ProcessorTimes | None) -> str | None:
    """Return in words that other programs used the processors; None where they hardly did."""
    if before is None or after is None or after.clock_s - before.clock_s < _LEAST_S:
        return None
    others = (after.all_s - before.all_s) - (after.own_s - before.own_s)
    share = others / ((after.clock_s - before.clock_s) * after.processors)
    if share <= _MOST:
        return None
    return f"other programs used {share:.0%} of the processors"

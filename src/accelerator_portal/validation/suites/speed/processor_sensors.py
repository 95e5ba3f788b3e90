"""Power and clock of processors, as Linux tells them: RAPL's energy counters, and cpufreq."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from accelerator_portal.validation.suites.speed.reading import SensorReading

_POWERCAP = Path("/sys/class/powercap")
_PROCESSORS = Path("/sys/devices/system/cpu")
_WINDOW_S = 0.5


def read_processor(
    powercap: Path = _POWERCAP, processors: Path = _PROCESSORS, window_s: float = _WINDOW_S
) -> SensorReading:
    """Return the power of all packages over a moment, and the median clock of all processors."""
    before, began = _energies(powercap), time.perf_counter()
    if before:
        time.sleep(window_s)
    used = _used(before, _energies(powercap), powercap)
    seconds = time.perf_counter() - began
    power = sum(used) / 1e6 / seconds if used else None
    clocks = list(_clocks(processors))
    return SensorReading(power, statistics.median(clocks) / 1000 if clocks else None)


def _energies(powercap: Path) -> dict[str, int]:
    """Return the counters of whole packages, in microjoules; most systems let only root read."""
    found = {}
    for zone in sorted(powercap.glob("intel-rapl:[0-9]*")):  # the name is AMD's, too
        if zone.name.count(":") == 1:
            with suppress(OSError, ValueError):
                found[zone.name] = int((zone / "energy_uj").read_text("ascii"))
    return found


def _used(before: dict[str, int], after: dict[str, int], powercap: Path) -> list[int]:
    """Return the energy of each package; counters start again at the end of their range."""
    used = []
    for name in before.keys() & after.keys():
        change = after[name] - before[name]
        if change < 0:
            with suppress(OSError, ValueError):
                change += int((powercap / name / "max_energy_range_uj").read_text("ascii"))
        used.append(change)
    return used if min(used, default=-1) >= 0 else []


def _clocks(processors: Path) -> Iterator[int]:
    """Yield kilohertz; a virtual machine has none, and its /proc/cpuinfo states a nominal one."""
    for file in sorted(processors.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")):
        with suppress(OSError, ValueError):
            yield int(file.read_text("ascii"))

"""Power and clock of a device that works: read after the measurement, which nothing disturbs."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import Future, ThreadPoolExecutor

from accelerator_portal.validation.suites.speed.device_clock import Call, Clock
from accelerator_portal.validation.suites.speed.reading import Sensor, SensorReading

POWER, CLOCK = "power", "clock"
_SETTLE_S = 0.5
_READINGS = 3


def readings_under_load(
    act: Call, clock: Clock, sensor: Sensor, settle_s: float = _SETTLE_S
) -> dict[str, tuple[float, str]]:
    """Repeat a call while a sensor is read some times; return the medians as metrics."""
    if not sensor():  # nothing would be told: the device need not work for it
        return {}
    with ThreadPoolExecutor(1) as thread:
        reading: Future[list[SensorReading]] = thread.submit(_read, sensor, settle_s)
        while not reading.done():
            act()
            clock()
    found = reading.result()
    powers = [one.power_w for one in found if one.power_w is not None]
    clocks = [one.clock_mhz for one in found if one.clock_mhz is not None]
    metrics = {POWER: (powers, "W"), CLOCK: (clocks, "MHz")}
    return {
        name: (round(statistics.median(values), 1), unit)
        for name, (values, unit) in metrics.items()
        if values
    }


def _read(sensor: Sensor, settle_s: float) -> list[SensorReading]:
    time.sleep(settle_s)
    return [sensor() for _ in range(_READINGS)]

"""What a sensor tells of a device at one moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SensorReading:
    """Power in watts and clock in megahertz; what is not known is None."""

    power_w: float | None = None
    clock_mhz: float | None = None

    def __bool__(self) -> bool:
        """Whether it tells anything."""
        return self.power_w is not None or self.clock_mhz is not None


Sensor = Callable[[], SensorReading]

"""Measuring a test: after each step every metric of it; none can change the outcome of a test."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from accelerator_portal.validation.case import brief
from accelerator_portal.validation.classify import words_of
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.executorch.metric import (
    GROUP,
    Figures,
    Observed,
    ProgramMetric,
    ProgramStep,
)
from accelerator_portal.validation.suites.executorch.metrics import METRICS

_LONGEST_FAULT = 160


class Measurement:
    """Observes one test and measures it."""

    def __init__(self, context: Context) -> None:
        self.observed = Observed()
        self.faults: list[str] = []
        """What kept metrics from being computed."""
        self._context = context

    @contextmanager
    def step(self, name: ProgramStep) -> Iterator[None]:
        """Time a step, also where it raises, and measure what can be measured after it."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.observed.seconds.setdefault(name, time.perf_counter() - start)
            self._measure("each")
        self._measure(name)

    @contextmanager
    def memory(self, until: ProgramStep) -> Iterator[None]:
        """Watch the memory of the process; `until` names the last step within."""
        forget_peak()
        if before := resident_mb():
            self.observed.memory_before_mb[until] = before
        yield
        if peak := peak_mb():
            self.observed.memory_mb[until] = peak

    def finish(self) -> None:
        """Compute what is derived from other metrics."""
        self._measure("end")

    def _measure(self, moment: str) -> None:
        for metric in all_metrics():
            if metric.after == moment:
                self._keep(metric)

    def _keep(self, metric: ProgramMetric) -> None:
        try:
            found = _finite(metric.measure(self.observed))
        except Exception as error:  # noqa: BLE001 - a package's metric may raise anything
            said = brief(words_of(error), _LONGEST_FAULT)
            self.faults.append(f"The metric {metric.name} could not be computed: {said}.")
            return
        self.observed.figures |= found
        self._context.metrics |= found


def _finite(figures: Figures) -> dict[str, tuple[float, str]]:
    """Leave out what is no finite number; a signal without noise has an infinite ratio."""
    return {name: (value, unit) for name, (value, unit) in figures.items() if math.isfinite(value)}


@cache
def all_metrics() -> tuple[ProgramMetric, ...]:
    """Return the metrics of this project, then those of other packages, each by name."""
    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return (*METRICS, *(_loaded(point.name, point.load) for point in points))


def _loaded(name: str, load: object) -> ProgramMetric:
    """Return the metric of a package, or one that says of every test what is wrong with it."""
    try:
        found = load()  # type: ignore[operator]
        if isinstance(found, ProgramMetric):
            return found
        fault: Exception = TypeError(f'the entry point "{name}" of {GROUP} is not a ProgramMetric')
    except Exception as error:  # noqa: BLE001 - a package may raise anything when it is imported
        fault = error

    def refuse(_: Observed) -> Figures:
        raise fault

    return ProgramMetric(name, "end", refuse)


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

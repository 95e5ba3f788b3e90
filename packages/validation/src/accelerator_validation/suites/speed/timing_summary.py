"""Summarizes repeated timings, and decides whether they are too noisy to be published.

Also measures how much other programs used the processors during the timings. Such programs can slow
down every call alike. The timings then agree closely, but do not show how fast the CPU is.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MIN_REPEATS = 6
"""The minimum number of repeats. With fewer repeats, there is no 95% confidence interval of the
median: between the least and the greatest of `n` repeats, the confidence is `1 - 2 / 2**n`."""

_TAIL_PROBABILITY = 0.025  # on each side of the interval

_NARROW_WIDTH = 0.02
_MAX_WIDTH = 0.10
_MOST_DIFFERENCE = 0.25  # what torch.utils.benchmark calls significant environmental influence

_STAT = Path("/proc/stat")
# Idle, and waiting for a disk; the other columns are work, or stolen by the hypervisor.
_IDLE_COLUMNS = {3, 4}
_COUNTED_COLUMNS = 8  # guests, after these, are counted as users already
_MAX_OTHERS_SHARE = 0.10
_MIN_PERIOD_S = 0.2  # Linux counts in hundredths of a second, too coarse for a shorter time


@dataclass(frozen=True, slots=True)
class Timing:
    """The time of one call in seconds: the median of the repeats, and its confidence interval.

    The 95% confidence interval is from `low` to `high`.
    """

    median: float
    low: float
    high: float
    repeats: int
    difference: float
    """The distance between the quartiles, as a share of the median."""

    @property
    def width(self) -> float:
        """The width of the confidence interval, as a share of the median."""
        return (self.high - self.low) / self.median

    @property
    def is_narrow(self) -> bool:
        """Whether there are enough repeats, and `width` is at most 2%. Repeating can then stop."""
        return self.repeats >= MIN_REPEATS and self.width <= _NARROW_WIDTH

    @property
    def noise_reason(self) -> str | None:
        """The reason why the timing must not be published, or None if it can be published."""
        if self.repeats < MIN_REPEATS:
            return f"only {self.repeats} of {MIN_REPEATS} runs fit into the time"
        if self.difference > _MOST_DIFFERENCE:
            return f"the runs differ by {self.difference:.0%}"
        if self.width > _MAX_WIDTH:
            return f"the uncertainty of the median is {self.width:.0%}"
        return None


def summarize_timings(seconds: Sequence[float]) -> Timing:
    """Return the summary of the times of a call. `seconds` must not be empty."""
    ordered = sorted(seconds)
    median = statistics.median(ordered)
    rank = _interval_rank(len(ordered))
    return Timing(
        median, ordered[rank], ordered[-1 - rank], len(ordered), _quartile_distance(ordered, median)
    )


def _interval_rank(count: int) -> int:
    """Return how many of `count` sorted timings are below the median's confidence interval.

    The same number of timings is above the interval. Each timing is above or below the true median
    with equal probability, so the interval follows from the binomial distribution.
    """
    tail_probability, rank = 0.0, 0
    while rank < count // 2:
        tail_probability += math.exp(_log_binomial(count, rank) - count * math.log(2))
        if tail_probability > _TAIL_PROBABILITY:
            break
        rank += 1
    return max(0, rank - 1)


def _log_binomial(count: int, chosen: int) -> float:
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)


def _quartile_distance(ordered: Sequence[float], median: float) -> float:
    if len(ordered) == 1:
        return 0.0
    lower, _, upper = statistics.quantiles(ordered, n=4, method="inclusive")
    return (upper - lower) / median


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """A reading of time counters in seconds. Only differences between two readings have a meaning.

    `all_s` is the processor time of all programs, `own_s` that of this process, and `clock_s` the
    wall-clock time. `processors` is the number of processors.
    """

    all_s: float
    own_s: float
    clock_s: float
    processors: int


def processor_times(stat: Path = _STAT) -> ProcessorTimes | None:
    """Return the present processor times on Linux, or None on other systems."""
    with suppress(OSError, ValueError, IndexError):
        lines = stat.read_text("ascii").splitlines()
        ticks = [int(word) for word in lines[0].split()[1 : _COUNTED_COLUMNS + 1]]
        busy_ticks = sum(count for column, count in enumerate(ticks) if column not in _IDLE_COLUMNS)
        processors = sum(line.startswith("cpu") for line in lines) - 1
        seconds = busy_ticks / os.sysconf("SC_CLK_TCK")
        return ProcessorTimes(seconds, time.process_time(), time.perf_counter(), processors)
    return None


def disturbance(before: ProcessorTimes | None, after: ProcessorTimes | None) -> str | None:
    """Return a text if other programs used more than a tenth of the processors, else None.

    The text is `other programs used 15% of the processors`. The result is also None if a reading is
    missing, or if the readings are less than 0.2 seconds apart.
    """
    if before is None or after is None or after.clock_s - before.clock_s < _MIN_PERIOD_S:
        return None
    others_s = (after.all_s - before.all_s) - (after.own_s - before.own_s)
    share = others_s / ((after.clock_s - before.clock_s) * after.processors)
    if share <= _MAX_OTHERS_SHARE:
        return None
    return f"other programs used {share:.0%} of the processors"

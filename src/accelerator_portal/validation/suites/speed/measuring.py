"""From a call to its timing: warm-up, then repeats until more of them would say nothing new."""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch.utils.benchmark import Measurement, Timer

from accelerator_portal.validation.suites.speed.device_clock import Call, Clock
from accelerator_portal.validation.suites.speed.spread import LEAST_REPEATS, Timing, timing

_WARM_S, _WARM_CALLS = 0.2, 2


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds of measuring: the first round, and all rounds; each round is twice the one before.

    The first round is longer where a call is so slow that too few would fit into it.
    """

    first_s: float
    all_s: float


def warm_up(act: Call, clock: Clock, longest_s: float = float("inf")) -> float:
    """Call until caches, clocks and allocators are warm; return the seconds of the fastest call.

    A call that took longer than `longest_s` is the last.
    """
    fastest, began, calls = float("inf"), clock(), 0
    before = began
    while calls < _WARM_CALLS or before - began < _WARM_S:
        act()
        now = clock()
        fastest, before, calls = min(fastest, now - before), now, calls + 1
        if fastest > longest_s:
            break
    return fastest


def measured(act: Call, clock: Clock, call_s: float, budget: Budget) -> Timing:
    """Repeat a warm call until its median is known closely, or the budget is spent.

    `call_s` is what a call takes, about. `blocked_autorange` puts as many calls into one timing as
    the clock needs to be exact.
    """
    timer = Timer("act()", globals={"act": act}, timer=clock, num_threads=torch.get_num_threads())
    began, round_s = time.perf_counter(), max(budget.first_s, LEAST_REPEATS * call_s)
    merged = timer.blocked_autorange(min_run_time=round_s)
    found = timing(merged.times)
    while not found.is_narrow and _left(budget, began) > 0:
        round_s = min(2 * round_s, _left(budget, began))
        merged = Measurement.merge([merged, timer.blocked_autorange(min_run_time=round_s)])[0]
        found = timing(merged.times)
    return found


def _left(budget: Budget, began: float) -> float:
    return budget.all_s - (time.perf_counter() - began)

"""Measures time on a device: waits for it before and after the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from accelerator_portal.validation.classify import CheckFailedError, SkippedError

Call = Callable[[], Any]
Clock = Callable[[], float]

# How much longer than a call it may take to have one number of its result on the CPU.
_TIMES, _LATENCY_S = 3.0, 0.02
_TRIES = 3


def device_clock(device: str) -> Clock:
    """Return a clock for work on this device; raises SkippedError where nothing waits for it."""
    wait = _waiting(torch.device(device))

    def clock() -> float:
        wait()
        return time.perf_counter()

    return clock


def _waiting(device: torch.device) -> Call:
    """Return the device's own `synchronize`."""
    if device.type == "cpu":
        return lambda: None  # whoever calls an operator of the CPU waits for it
    accelerator = getattr(torch, "accelerator", None)
    current = accelerator and accelerator.current_accelerator()
    if accelerator and current is not None and current.type == device.type:
        found = accelerator.synchronize
    else:
        found = getattr(getattr(torch, device.type, None), "synchronize", None)
    if found is None:
        what = f"torch.{device.type} has no synchronize()"
        raise SkippedError(f"Speed cannot be measured: {what}, and calls return early.")
    return lambda: found(device)


def require_waiting(act: Call, clock: Clock, seconds: float) -> None:
    """Fail where a result arrives long after the clock said that it is there.

    A device that computes only when somebody reads, or whose `synchronize` does not wait, would
    look faster than any other.
    """
    arrival = min(_arrival(act, clock) for _ in range(_TRIES))
    if arrival > _TIMES * seconds + _LATENCY_S:
        took = f"a call took {seconds:.3g} s, and its result arrived after {arrival:.3g} s"
        raise CheckFailedError(f"synchronize() returns before the work is done: {took}.")


def _arrival(act: Call, clock: Clock) -> float:
    started = clock()
    first_tensor(act()).detach().flatten()[:1].cpu()
    return time.perf_counter() - started


def first_tensor(output: Any) -> torch.Tensor:
    """Return the tensor that an output is, or begins with."""
    while not isinstance(output, torch.Tensor):
        output = next(iter(output.values() if hasattr(output, "values") else output))
    return output

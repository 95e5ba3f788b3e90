"""Times work on a device with a clock that waits until the device has finished."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from accelerator_validation.classify import CheckFailedError, SkippedError

Call = Callable[[], Any]
Clock = Callable[[], float]

# The time allowed until one number of a result is on the CPU: a multiple of a call's time, plus
# seconds.
_TIME_FACTOR, _LATENCY_S = 3.0, 0.02
_TRIES = 3


def device_clock(device: str) -> Clock:
    """Return a function that waits until the device has finished, and returns the time in seconds.

    Raises SkippedError if torch has no function that waits for the device.
    """
    wait = _synchronize_function(torch.device(device))

    def clock() -> float:
        wait()
        return time.perf_counter()

    return clock


def _synchronize_function(device: torch.device) -> Call:
    """Return a function that waits for the device. Raises SkippedError if torch has none."""
    if device.type == "cpu":
        return lambda: None  # operators on the CPU return when they are done
    accelerator: Any = getattr(torch, "accelerator", None)  # since torch 2.6
    current_device = accelerator and accelerator.current_accelerator()
    if current_device is not None and current_device.type == device.type:
        return lambda: accelerator.synchronize(device)
    synchronize: Any = getattr(getattr(torch, device.type, None), "synchronize", None)
    if synchronize is None:
        problem = f"torch.{device.type} has no synchronize()"
        raise SkippedError(f"Speed cannot be measured: {problem}, and calls return early.")
    # Some of these functions, such as torch.mps.synchronize, take no device.
    return (lambda: synchronize(device)) if device.index else synchronize


def require_waiting(act: Call, clock: Clock, seconds: float) -> None:
    """Raise CheckFailedError if a result arrives long after the clock says that its call ended.

    `seconds` is the time that the clock measured for the call `act`. A device would appear too fast
    if its `synchronize` does not wait, or if it computes only when results are read.
    """
    arrival_s = min(_arrival_time_s(act, clock) for _ in range(_TRIES))
    if arrival_s > _TIME_FACTOR * seconds + _LATENCY_S:
        times_text = f"a call took {seconds:.3g} s, and its result arrived after {arrival_s:.3g} s"
        raise CheckFailedError(f"synchronize() returns before the work is done: {times_text}.")


def _arrival_time_s(act: Call, clock: Clock) -> float:
    started = clock()
    first_tensor(act()).detach().flatten()[:1].cpu()
    return time.perf_counter() - started


def first_tensor(output: Any) -> torch.Tensor:
    """Return the first tensor in an output, which may itself be a tensor."""
    while not isinstance(output, torch.Tensor):
        output = next(iter(output.values() if hasattr(output, "values") else output))
    return output

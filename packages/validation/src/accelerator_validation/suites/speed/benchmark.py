"""Describes a speed test (a computation, its sizes, the work of a call), and times its calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from accelerator_validation.case import CheckFailedError, SkippedError

# Times work on a device with a clock that waits until the device has finished.

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


BenchmarkShape = tuple[int, ...]
INFERENCE, TRAINING = "inference", "training"
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Setting:
    """The device, data type and size of a computation, and whether it includes a backward pass."""

    device: str
    dtype: torch.dtype
    shape: BenchmarkShape
    training: bool = False

    def random(self, *shape: int) -> torch.Tensor:
        """Return a tensor of normally distributed numbers on the device.

        They are drawn on the CPU, because a device may lack a random number generator.
        """
        return torch.randn(*shape).to(self.device, self.dtype)


@dataclass(frozen=True, slots=True)
class Workload:
    """A call to measure, `act`, and an optional function that checks numbers of its output."""

    act: Call
    sample: Callable[[Any], tuple[torch.Tensor, torch.Tensor]] | None = None
    """A function that takes the output of the call. It returns some numbers of the output, and the
    same numbers computed on the CPU in float64. None: numbers are not compared."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of speed. `scale` is the work per second that one unit stands for: 1e9 for GB/s."""

    name: str
    scale: float = 1.0


BANDWIDTH = Unit("GB/s", 1e9)
COMPUTING = Unit("TFLOP/s", 1e12)
IMAGES = Unit("images/s")
SEQUENCES = Unit("sequences/s")


@dataclass(frozen=True, slots=True)
class SpeedBenchmark:
    """A computation and the sizes at which it is measured.

    `build` returns the call to measure. `label` returns the text of a size in the test's
    parameters: `1024x1024x1024`.
    """

    name: str
    unit: Unit
    build: Callable[[Setting], Workload]
    amount: Callable[[BenchmarkShape], float]
    """A function that returns the work of one forward call: bytes moved, floating-point operations
    or samples."""
    memory: Callable[[BenchmarkShape], float]
    """A function that returns how many tensor elements a forward call keeps in memory at once. The
    number is approximate."""
    shapes: dict[str, tuple[BenchmarkShape, ...]]
    """The sizes by mode: `inference`, `training`, or "" if there is only one mode."""
    label: Callable[[BenchmarkShape], str] = lambda shape: "x".join(map(str, shape))
    dtypes: tuple[str, ...] = DTYPES
    package: str | None = None
    """The package that the computation needs besides torch, or None."""
    pilot: BenchmarkShape | None = None
    """A size so small that no device takes long, or None. It is used to estimate the time of other
    sizes, and is not a test."""

    def work(self, setting: Setting) -> float:
        """Return the work of a call: bytes moved, floating-point operations or samples.

        In training, a call has three times the floating-point operations of a forward call.
        """
        includes_backward = self.unit is COMPUTING and setting.training
        return self.amount(setting.shape) * (3 if includes_backward else 1)

    def needed_bytes(self, setting: Setting) -> int:
        """Return the approximate memory that a call needs, in bytes.

        A call in training needs twice the memory of a forward call, because it keeps gradients.
        """
        numbers = self.memory(setting.shape) * (2 if setting.training else 1)
        return int(numbers * setting.dtype.itemsize)

    def smaller_shapes(self, shape: BenchmarkShape) -> list[BenchmarkShape]:
        """Return all sizes with less work than `shape`, sorted by work.

        Sizes of all modes are included, and so is `pilot`.
        """
        all_shapes = {each for shapes in self.shapes.values() for each in shapes}
        all_shapes |= {self.pilot} if self.pilot else set()
        return sorted(
            (each for each in all_shapes if self.amount(each) < self.amount(shape)), key=self.amount
        )

    def shape_of(self, mode: str, label: str) -> BenchmarkShape:
        """Return the size of a mode that has this label. Raises KeyError if there is none.

        `mode` is `inference`, `training`, or "" if there is only one mode.
        """
        return {self.label(shape): shape for shape in self.shapes[mode]}[label]

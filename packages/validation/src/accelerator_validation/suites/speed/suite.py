"""Runs the suite `speed`: each test measures the speed of a computation on the device."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import torch
from torch.utils.benchmark import Measurement, Timer

from accelerator_reports.environment import proc_field
from accelerator_reports.report import Tolerance
from accelerator_validation.case import Case, CheckFailedError, MismatchError, Result, SkippedError
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.speed.benchmark import (
    Call,
    Clock,
    Setting,
    SpeedBenchmark,
    Workload,
    device_clock,
    first_tensor,
    require_waiting,
)
from accelerator_validation.suites.speed.full_models import BLOCKS, MODELS
from accelerator_validation.suites.speed.primitives import PRIMITIVES
from accelerator_validation.suites.speed.sensors import readings_under_load, sensor_of
from accelerator_validation.suites.speed.timing_summary import (
    MIN_REPEATS,
    Timing,
    disturbance,
    processor_times,
    summarize_timings,
)

BENCHMARKS = {benchmark.name: benchmark for benchmark in (*PRIMITIVES, *BLOCKS, *MODELS)}

SPEED, TIME = "speed", "time"
_DIGITS = 4
_ESTIMATE_MARGIN = (
    2.0  # an estimate may be this many times too long, as small sizes use a device badly
)
_MOST_NUMBERS = 1 << 20  # the most numbers of a result that are checked, evenly spread
_WARM_S, _WARM_CALLS = 0.2, 2
_MEMINFO = Path("/proc/meminfo")
_GIB = 1 << 30
_USABLE_MEMORY_SHARE = 0.5  # the rest is for workspaces, fallbacks and whoever else uses the device


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield a test for each computation, at each of its sizes and modes."""
    for benchmark in BENCHMARKS.values():
        for mode, shapes in benchmark.shapes.items():
            for shape in shapes:
                parameters = {"shapes": benchmark.label(shape)} | ({"mode": mode} if mode else {})
                yield Offer(benchmark.name, {"dtype": frozenset(benchmark.dtypes)}, parameters)


def run(case: Case, context: Context) -> Result:
    """Measure a computation, check its output, and return the speed.

    The output must be finite and, if it can be checked, correct. If the timing is too noisy to be
    published, the test passes without a speed, and the reason says why.
    """
    benchmark, limits = BENCHMARKS[case.name], context.matrix.settings
    setting = benchmark_setting(case, context.device)
    context.stage = "load"
    if benchmark.package and find_spec(benchmark.package) is None:
        raise SkippedError(f"{benchmark.package} is not installed: pip install {benchmark.package}")
    require_free_memory(context.device, benchmark.needed_bytes(setting))
    clock = device_clock(context.device)
    torch.manual_seed(case.seed)
    context.stage = "run"
    workload, call_s = _warm_workload(benchmark, setting, clock, limits["longest-call-ms"] / 1000)
    budget = Budget(limits["first-round-ms"] / 1000, limits["measuring-ms"] / 1000)
    timing, noise = _measure_undisturbed(
        workload, clock, call_s, budget, context.device, limits["tries"]
    )
    context.stage = "compare"
    require_waiting(workload.act, clock, timing.median)
    _require_correct_result(workload, setting, context.matrix.tolerances[case["dtype"]])
    context.metrics["threads"] = (torch.get_num_threads(), "1")
    if noise:
        return Result("passed", "compare", f"Speed not published: {noise}.")
    result = _speed_result(timing, benchmark, setting)
    load_metrics = readings_under_load(workload.act, clock, sensor_of(context.device))
    return replace(result, metrics={**result.metrics, **load_metrics})


def _warm_workload(
    benchmark: SpeedBenchmark, setting: Setting, clock: Clock, longest_s: float
) -> tuple[Workload, float]:
    """Create and warm up a workload, and return it with the time of a call in seconds.

    Raises SkippedError if a call takes longer than `longest_s` seconds, or is expected to take much
    longer.
    """
    get_disturbance = _disturbance_observer(setting.device)
    try:
        _require_short_estimate(benchmark, setting, clock, longest_s)
        workload = benchmark.build(setting)
        call_s = warm_up(workload.act, clock, longest_s)
        _require_short_call(call_s, longest_s)
    except SkippedError as error:
        if disturbance_text := get_disturbance():
            raise SkippedError(f"{error} During the measurement, {disturbance_text}.") from None
        raise
    return workload, call_s


def _measure_undisturbed(  # noqa: PLR0913, PLR0917 - what measuring needs
    workload: Workload, clock: Clock, call_s: float, budget: Budget, device: str, tries: int
) -> tuple[Timing, str | None]:
    """Measure a workload until the timing can be published, at most `tries` times.

    `call_s` is the approximate time of a call. Returns the last timing, and the reason why it
    cannot be published, or None if it can.
    """
    while True:
        get_disturbance = _disturbance_observer(device)
        timing = measure_call(workload.act, clock, call_s, budget)
        noise = get_disturbance() or timing.noise_reason
        tries -= 1
        if not noise or tries <= 0:
            return timing, noise


def _disturbance_observer(device: str) -> Callable[[], str | None]:
    """Start to watch the CPU, and return a function that tells whether other programs used it.

    The function returns a text if they have used it since the start, else None. If the device is
    not the CPU, the function always returns None.
    """
    if torch.device(device).type != "cpu":
        return lambda: None
    before = processor_times()
    return lambda: disturbance(before, processor_times())


def benchmark_setting(case: Case, device: str) -> Setting:
    """Return the setting of a test: device, data type, size and whether it trains."""
    mode = dict(case.parameters).get("mode", "")
    shape = BENCHMARKS[case.name].shape_of(mode, case["shapes"])
    return Setting(device, getattr(torch, case["dtype"]), shape, mode == "training")


def _require_short_estimate(
    benchmark: SpeedBenchmark, setting: Setting, clock: Clock, longest_s: float
) -> None:
    """Raise SkippedError if the estimated time of a call is more than twice `longest_s`.

    For the estimate, calls with smaller sizes are timed, the smallest size first. The time of each
    size is estimated from the size before. Timing stops at the first size that is expected to take
    too long.
    """
    limit_s = _ESTIMATE_MARGIN * longest_s
    seconds_per_work = 0.0  # per unit of work
    for shape in benchmark.smaller_shapes(setting.shape):
        small_setting = replace(setting, shape=shape)
        if seconds_per_work * benchmark.work(small_setting) > limit_s:
            break
        seconds_per_work = warm_up(
            benchmark.build(small_setting).act, clock, longest_s
        ) / benchmark.work(small_setting)
        gc.collect()  # free the smaller model before a larger one is created
    if seconds_per_work * benchmark.work(setting) > limit_s:
        _require_short_call(seconds_per_work * benchmark.work(setting), longest_s)


def _require_short_call(call_s: float, longest_s: float) -> None:
    if call_s > longest_s:
        problem = f"One call takes about {call_s:.1f} s on this device"
        raise SkippedError(f"{problem}. Calls of more than {longest_s:g} s are not measured.")


def _require_correct_result(workload: Workload, setting: Setting, tolerance: Tolerance) -> None:
    """Run a workload, and raise an error if its result is wrong.

    Raises CheckFailedError if the result is on another device. Raises MismatchError if numbers are
    not finite, or differ from the CPU's numbers.
    """
    output = workload.act()
    tensor = first_tensor(output)
    if tensor.device.type != torch.device(setting.device).type:
        raise CheckFailedError(f"the result is on {tensor.device}, not on {setting.device}")
    numbers = tensor.detach().flatten()
    numbers = numbers[:: max(1, len(numbers) // _MOST_NUMBERS)].cpu().float()
    if not bool(torch.isfinite(numbers).all()):
        raise MismatchError("the result has numbers that are not finite")
    if workload.sample is None:
        return
    device_numbers, cpu_numbers = workload.sample(output)
    atol = tolerance.atol * float(cpu_numbers.abs().max())
    try:
        torch.testing.assert_close(
            device_numbers.detach().cpu().double(), cpu_numbers, rtol=tolerance.rtol, atol=atol
        )
    except AssertionError as error:
        raise MismatchError(f"some numbers of the result: {error}") from None


def _speed_result(timing: Timing, benchmark: SpeedBenchmark, setting: Setting) -> Result:
    """Return a passed result with the metrics `speed` and `time`, and their intervals."""
    work = benchmark.work(setting) / benchmark.unit.scale
    seconds = tuple(map(_four_digits, (timing.median, timing.low, timing.high)))
    speed = tuple(_four_digits(work / value) for value in (timing.median, timing.high, timing.low))
    return Result(
        "passed",
        "compare",
        metrics={SPEED: (speed[0], benchmark.unit.name), TIME: (seconds[0], "s")},
        spreads={
            SPEED: (speed[1], speed[2], timing.repeats),
            TIME: (seconds[1], seconds[2], timing.repeats),
        },
    )


def _four_digits(value: float) -> float:
    return round(value, _DIGITS - 1 - math.floor(math.log10(value)))


@dataclass(frozen=True, slots=True)
class Budget:
    """How many seconds to repeat a call: `first_s` in the first round, `all_s` in all rounds.

    Each round is twice as long as the one before, until `all_s` is used up. For slow calls, the
    first round is longer than `first_s`, so that it includes enough calls.
    """

    first_s: float
    all_s: float


def warm_up(act: Call, clock: Clock, longest_s: float = float("inf")) -> float:
    """Repeat the call `act` until the device is warm, and return the shortest time of a call.

    Stops early if no call so far was shorter than `longest_s`. All times are in seconds.
    """
    fastest, start_time, calls = float("inf"), clock(), 0
    last_time = start_time
    while calls < _WARM_CALLS or last_time - start_time < _WARM_S:
        act()
        now = clock()
        fastest, last_time, calls = min(fastest, now - last_time), now, calls + 1
        if calls >= _WARM_CALLS and fastest > longest_s:
            break  # not after the first call, which may load libraries for seconds
    return fastest


def measure_call(act: Call, clock: Clock, call_s: float, budget: Budget) -> Timing:
    """Repeat the call `act`, and return a summary of its times. The device must be warm.

    Stops when the median time is precise enough or the budget is used up. `call_s` is the
    approximate time of a call in seconds. torch.utils.benchmark combines as many calls into a
    timing as the clock's precision requires.
    """
    timer = Timer("act()", globals={"act": act}, timer=clock, num_threads=torch.get_num_threads())
    start_time, round_s = time.perf_counter(), max(budget.first_s, MIN_REPEATS * call_s)
    measurement = timer.blocked_autorange(min_run_time=round_s)
    timing = summarize_timings(measurement.times)
    while not timing.is_narrow and _remaining_budget_s(budget, start_time) > 0:
        round_s = min(2 * round_s, _remaining_budget_s(budget, start_time))
        measurement = Measurement.merge(
            [measurement, timer.blocked_autorange(min_run_time=round_s)]
        )[0]
        timing = summarize_timings(measurement.times)
    return timing


def _remaining_budget_s(budget: Budget, start_time: float) -> float:
    return budget.all_s - (time.perf_counter() - start_time)


def free_bytes(device: str, meminfo: Path = _MEMINFO) -> int | None:
    """Return the free memory of a device in bytes.

    If a device does not state its free memory, return its total memory. If both are unknown, return
    None.
    """
    if torch.device(device).type == "cpu":
        available = proc_field(meminfo, "MemAvailable")
        return int(available.split()[0]) * 1024 if available else None
    with suppress(Exception):  # a plugin may lack it, or raise anything
        module, index = torch.get_device_module(device), torch.device(device).index or 0
        if hasattr(module, "mem_get_info"):
            return int(module.mem_get_info(index)[0])
        return int(module.get_device_properties(index).total_memory)
    return None


def require_free_memory(device: str, needed: int) -> None:
    """Raise SkippedError if a test needs more than half of the device's free memory.

    `needed` is the number of bytes that the test needs.
    """
    free = free_bytes(device)
    if free is not None and needed > _USABLE_MEMORY_SHARE * free:
        limit_text = (
            f"{_USABLE_MEMORY_SHARE:.0%} of the free memory, which is {free / _GIB:.1f} GiB"
        )
        raise SkippedError(f"The test needs about {needed / _GIB:.1f} GiB, more than {limit_text}.")

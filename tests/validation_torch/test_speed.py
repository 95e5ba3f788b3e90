"""The suite `speed`: what it measures is right, waits for the device, and agrees with others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from accelerator_validation.case import Case, CheckFailedError, MismatchError, Result, SkippedError
from accelerator_validation.matrix import read_matrix
from accelerator_validation.plan import expand
from accelerator_validation.suites.speed import sensors, suite
from accelerator_validation.suites.speed.benchmark import (
    COMPUTING,
    Setting,
    Workload,
    device_clock,
    require_waiting,
)
from accelerator_validation.suites.speed.full_models import MODELS
from accelerator_validation.suites.speed.sensors import SensorReading
from accelerator_validation.suites.speed.suite import Budget, measure_call, warm_up
from accelerator_validation.suites.speed.timing_summary import Timing
from accelerator_validation.worker import Job, run_case
from tests.validation_torch.conftest import validate

QUICK = {"first-round-ms": 60, "measuring-ms": 100, "longest-call-ms": 60_000, "tries": 2}
MATRIX = read_matrix("speed").model_copy(update={"settings": QUICK})
CASES = list(expand("speed", MATRIX, suite.offers(MATRIX), {}))
FULL = {trial.name for trial in MODELS}


def ran(case: Case) -> Result:
    """Run a case in this process, with one thread and short rounds."""
    return run_case(case, Job("cpu", {"speed": MATRIX}, {"speed": 60}, 1))


def case(name: str, **parameters: str) -> Case:
    """Return a case as the plan has it."""
    found = [c for c in CASES if c.name == name and dict(c.parameters) == parameters]
    assert len(found) == 1, parameters
    return found[0]


def test_sizes_stand_in_the_id_of_each_test() -> None:
    assert "speed/matmul?dtype=bfloat16&shapes=4096x4096x4096" in {c.id for c in CASES}
    assert "speed/copy?dtype=float32&shapes=1024MiB" in {c.id for c in CASES}
    assert "speed/bert-base?dtype=float32&mode=training&shapes=1x128" in {c.id for c in CASES}
    assert len({c.id for c in CASES}) == len(CASES)
    assert all(suite.benchmark_setting(c, "cpu").shape for c in CASES)


SMALL = {
    "matmul": (64, 48, 32),
    "attention": (2, 3, 16, 8),
    "convolution": (2, 4, 16, 9, 3),
    "transformer-block": (2, 16),
}


@pytest.mark.parametrize(
    ("name", "mode"),
    [(t.name, mode) for t in suite.BENCHMARKS.values() if t.unit is COMPUTING for mode in t.shapes],
)
def test_the_operations_of_a_call_are_those_that_torch_counts(name: str, mode: str) -> None:
    setting = Setting("cpu", torch.float32, SMALL[name], mode == "training")
    trial = suite.BENCHMARKS[name]
    workload = trial.build(setting)
    # Torch does not count in the fused kernel of the CPU.
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        workload.act()
    assert counter.get_total_flops() == trial.work(setting)


@pytest.mark.parametrize("name", sorted({c.name for c in CASES} - FULL))
def test_a_result_is_compared_with_the_cpu(name: str) -> None:
    """What a kernel gets wrong is no speed: each sample notices a result that is twice as large."""
    trial = suite.BENCHMARKS[name]
    setting = Setting("cpu", torch.float32, SMALL.get(name, (3,)))
    workload, room = trial.build(setting), MATRIX.tolerances["float32"]
    suite._require_correct_result(workload, setting, room)
    if workload.sample is None:
        return
    wrong = Workload(lambda: workload.act() * 2, workload.sample)
    with pytest.raises(MismatchError, match="some numbers of the result"):
        suite._require_correct_result(wrong, setting, room)
    lost = Workload(lambda: workload.act() * math.nan, workload.sample)
    with pytest.raises(MismatchError, match="not finite"):
        suite._require_correct_result(lost, setting, room)


def test_a_result_elsewhere_is_no_result_of_the_device() -> None:
    setting = Setting("meta", torch.float32, (4, 4, 4))
    workload = Workload(lambda: torch.ones(4))
    with pytest.raises(CheckFailedError, match="the result is on cpu, not on meta"):
        suite._require_correct_result(workload, setting, MATRIX.tolerances["float32"])


CALM, NOISY = Timing(0.5, 0.49, 0.52, 11, 0.01), Timing(0.5, 0.4, 0.6, 20, 0.38)
PRODUCT = case("matmul", dtype="float32", shapes="1024x1024x1024")
TRAINING = case("transformer-block", dtype="float32", shapes="1x512", mode="training")
Measured = Callable[..., Result]


@pytest.fixture
def measured_as(monkeypatch: pytest.MonkeyPatch) -> Measured:
    """Run a case whose measurements give these timings, one after the other."""

    def run(tested: Case, *timings: Timing, disturbed: str | None = None) -> Result:
        left = iter(timings)
        last = timings[-1]
        monkeypatch.setattr(suite, "measure_call", lambda *_: next(left, last))
        monkeypatch.setattr(suite, "require_waiting", lambda *_: None)
        monkeypatch.setattr(suite, "disturbance", lambda *_: disturbed)
        return ran(tested)

    return run


@pytest.mark.parametrize("tested", [PRODUCT, TRAINING], ids=["a product", "a training step"])
def test_a_speed_is_the_work_by_the_time(tested: Case, measured_as: Measured) -> None:
    found = measured_as(tested, CALM)
    work = suite.BENCHMARKS[tested.name].work(suite.benchmark_setting(tested, "cpu"))
    assert (found.outcome, found.reason) == ("passed", None)
    assert found.metrics["time"] == (0.5, "s")
    speed, unit = found.metrics["speed"]
    low, high, repeats = found.spreads["speed"]
    assert unit == "TFLOP/s"
    assert speed == pytest.approx(work / 0.5e12, rel=1e-3)
    assert low == pytest.approx(work / 0.52e12, rel=1e-3)
    assert high == pytest.approx(work / 0.49e12, rel=1e-3)
    assert found.metrics["threads"][0] == 1
    assert repeats == 11


@pytest.mark.parametrize(
    ("timing", "disturbed", "why"),
    [
        (NOISY, None, "the runs differ by 38%"),
        (CALM, "other programs used 35%", "other programs used 35%"),
    ],
)
def test_a_speed_that_is_not_the_devices_is_not_published(
    timing: Timing, disturbed: str | None, why: str, measured_as: Measured
) -> None:
    found = measured_as(PRODUCT, timing, disturbed=disturbed)
    assert (found.outcome, found.reason) == ("passed", f"Speed not published: {why}.")
    assert set(found.metrics) == {"threads"}
    assert not found.spreads


def test_a_disturbance_that_ends_costs_one_more_measurement(measured_as: Measured) -> None:
    again = measured_as(PRODUCT, NOISY, CALM)
    assert again.metrics["time"][0] == 0.5
    assert again.spreads["time"] == (0.49, 0.52, 11)


def test_sizes_are_foretold_by_smaller_ones_until_one_is_too_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = suite.BENCHMARKS["matmul"]
    assert trial.smaller_shapes((8192,) * 3) == [(128,) * 3, (1024,) * 3, (4096,) * 3]
    assert trial.smaller_shapes((128,) * 3) == []
    called: list[float] = []

    def a_second_for_a_product_of_1024(*_: object) -> float:
        called.append(work[len(called)])
        return called[-1] / 2**31

    work = [trial.amount((size,) * 3) for size in (128, 1024, 4096)]
    monkeypatch.setattr(suite, "warm_up", a_second_for_a_product_of_1024)
    setting = Setting("meta", torch.float32, (8192,) * 3)
    fake = replace(trial, build=lambda _: Workload(lambda: None))
    with pytest.raises(SkippedError, match=r"One call takes about 512\.0 s"):
        suite._require_short_estimate(fake, setting, time.perf_counter, 1.5)
    assert called == work[:2]


def test_what_is_too_slow_or_too_large_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = MATRIX.model_copy(update={"settings": {**QUICK, "longest-call-ms": 0}})
    large = case("matmul", dtype="float32", shapes="8192x8192x8192")
    job = Job("cpu", {"speed": slow}, {"speed": 60}, 1)
    monkeypatch.setattr(suite, "disturbance", lambda *_: "others worked")
    for tested in (large, case("matmul", dtype="float32", shapes="1024x1024x1024")):
        found = run_case(tested, job)
        assert found.outcome == "skipped"
        assert "One call takes about" in str(found.reason)
        assert str(found.reason).endswith(
            "are not measured. During the measurement, others worked."
        )
    monkeypatch.setattr(suite, "free_bytes", lambda _: 1 << 30)
    found = ran(large)
    assert found.outcome == "skipped"
    assert (
        found.reason
        == "The test needs about 0.8 GiB, more than 50% of the free memory, which is 1.0 GiB."
    )


def test_a_model_whose_library_is_missing_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "find_spec", lambda _: None)
    found = ran(case("resnet50", dtype="float32", mode="inference", shapes="1x3x224x224"))
    assert found.outcome == "skipped"
    assert found.reason == "torchvision is not installed: pip install torchvision"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the libraries: what they import warns, too
@pytest.mark.parametrize("mode", ["inference", "training"])
@pytest.mark.parametrize("name", sorted(FULL))
def test_each_model_of_full_size_runs(name: str, mode: str) -> None:
    shapes = suite.BENCHMARKS[name].shapes[mode]
    setting = Setting("cpu", torch.float32, shapes[0], mode == "training")
    workload = suite.BENCHMARKS[name].build(setting)
    suite._require_correct_result(workload, setting, MATRIX.tolerances["float32"])


def test_the_free_memory_of_the_machine_is_what_linux_says(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 24000000 kB\nMemAvailable:   21000000 kB\n", "ascii")
    assert suite.free_bytes("cpu", meminfo) == 21_000_000 * 1024
    assert suite.free_bytes("cpu", tmp_path / "none") is None
    assert suite.free_bytes("meta") is None


@pytest.mark.parametrize(("device", "free"), [("cuda", 10), ("cuda:1", 11)])
def test_the_free_memory_is_that_of_the_device(
    monkeypatch: pytest.MonkeyPatch, device: str, free: int
) -> None:
    cards = SimpleNamespace(mem_get_info=lambda index=0: (10 + index, 20))
    monkeypatch.setattr(torch, "get_device_module", lambda _: cards)
    assert suite.free_bytes(device) == free
    del cards.mem_get_info
    cards.get_device_properties = lambda index: SimpleNamespace(total_memory=10 + index)
    assert suite.free_bytes(device) == free


def test_a_device_that_nothing_waits_for_is_not_measured() -> None:
    with pytest.raises(SkippedError, match=r"torch\.meta has no synchronize"):
        device_clock("meta")


@pytest.mark.parametrize(("device", "waited_for"), [("mps", ()), ("mps:1", ("mps:1",))])
def test_a_function_that_waits_for_the_only_device_takes_no_device(
    monkeypatch: pytest.MonkeyPatch, device: str, waited_for: tuple[str, ...]
) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: None)
    calls = list[tuple[str, ...]]()
    monkeypatch.setattr(
        torch.mps, "synchronize", lambda *words: calls.append(tuple(map(str, words)))
    )
    device_clock(device)()
    assert calls == [waited_for]


def test_a_device_that_computes_when_read_is_found_out() -> None:
    class Late(torch.Tensor):  # type: ignore[misc]
        def cpu(self) -> torch.Tensor:
            time.sleep(0.1)
            return super().cpu()

    late = torch.ones(1).as_subclass(Late)
    with pytest.raises(CheckFailedError, match=r"synchronize\(\) returns before the work is done"):
        require_waiting(lambda: late, time.perf_counter, 0.001)
    require_waiting(lambda: torch.ones(1), time.perf_counter, 0.001)


def test_repeats_end_when_they_agree_and_when_time_is_up() -> None:
    passed = [0.0]

    def steady() -> None:
        passed[0] += 0.01

    assert warm_up(steady, lambda: passed[0]) == pytest.approx(0.01)
    assert passed[0] < 60, "the calls have an end"
    lengths = iter([0.002, 0.03] * 500)
    noisy = measure_call(
        lambda: time.sleep(next(lengths)), time.perf_counter, 0.01, Budget(0.1, 0.5)
    )
    assert noisy.noise_reason
    assert 0.1 < noisy.median * noisy.repeats < 5


def test_a_first_call_that_loads_libraries_does_not_count_as_slow() -> None:
    passed, lengths = [0.0], iter([15.8, *[0.01] * 1000])

    def loading() -> None:
        passed[0] += next(lengths)

    assert warm_up(loading, lambda: passed[0], longest_s=1.5) == pytest.approx(0.01)
    calls = []
    slow = warm_up(lambda: calls.append(1), lambda: 2.0 * len(calls), longest_s=1.5)
    assert (slow, len(calls)) == (2.0, 2)


def test_power_is_read_while_the_device_works() -> None:
    calls, seen = [0], list[int]()

    def act() -> None:
        calls[0] += 1

    def sensor() -> SensorReading:
        while seen and calls[0] == seen[-1]:  # the first reading is before all calls
            time.sleep(0.001)
        seen.append(calls[0])
        return SensorReading(100.0 + len(seen), None)

    found = sensors.readings_under_load(act, time.perf_counter, sensor, settle_s=0.02)
    assert found == {"power": (103.0, "W")}  # of the second, third and fourth reading
    assert seen[0] == 0 < seen[1] < seen[3]
    assert sensors.readings_under_load(act, time.perf_counter, SensorReading) == {}


@pytest.mark.slow
def test_the_command_measures_and_writes_what_it_measured(tmp_path: Path) -> None:
    words = ["--device=cpu", "--suite=speed", "-k", "copy and 256MiB"]
    done = validate(tmp_path, *words)
    assert done.status == 0, done.said
    (test,) = done.tests.values()
    assert "1 worker with" in done.report.read_text("utf-8")
    if speed := test.metrics.get("speed"):
        assert speed.interval
        assert speed.repeats
        assert speed.interval[0] <= speed.value <= speed.interval[1]
    else:
        assert str(test.reason).startswith("Speed not published: ")
    refused = validate(tmp_path, "--device=cpu", "--suite=speed", "--suite=operators")
    assert refused.status == 2
    assert "cannot run together with operators" in refused.said

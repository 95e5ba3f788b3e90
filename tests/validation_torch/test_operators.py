"""What an operator's test notes: the ATen operators whose numbers it found right, no others."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest
import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.case import Case, Result, UncheckedError
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import operator_lab, operators
from accelerator_validation.suites.aten import (
    core_operators,
    kernel_origin,
    observe_operators,
    operator_counts,
)
from accelerator_validation.suites.aten import device_operators as registered
from accelerator_validation.suites.sample_placement import placed_samples
from accelerator_validation.worker import Job, run_case


def dispatched(name: str, mode: str) -> set[str]:
    """What a test of the CPU covers, once its verdict is known."""
    context = Context("cpu", read_matrix("operators"))
    with suppress(UncheckedError):
        operators.run(case(name, mode), context)
    return set(context.observation().operators) if context.observation else set()


def case(name: str, mode: str) -> Case:
    return Case("operators", name, (("dtype", "float32"), ("mode", mode)))


def test_what_reaches_a_device_is_noted_forward_and_backward() -> None:
    assert {"t", "addmm"} <= dispatched("nn.functional.linear", "forward")
    assert "linear" not in dispatched("nn.functional.linear", "forward")
    assert {"sum", "threshold_backward"} & dispatched("nn.functional.relu", "backward")


def test_what_cannot_be_compared_covers_nothing() -> None:
    assert dispatched("randn", "forward") == set()
    assert dispatched("empty", "forward") == set()


def test_a_verdict_does_not_wait_for_what_is_observed() -> None:
    job = Job("cpu", {"operators": read_matrix("operators")}, {"operators": 60}, 1)
    found = run_case(case("exp", "forward"), job)
    assert (found.outcome, found.operators) == ("passed", ())


@pytest.mark.skipif(
    torch.cuda.is_available() or torch.xpu.is_available(), reason="all devices are seeded"
)
def test_no_stack_is_kept_for_the_seeds_of_absent_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("cpu", {"operators": read_matrix("operators")}, {"operators": 60}, 1)
    assert run_case(case("exp", "forward"), job).outcome == "passed"
    monkeypatch.setattr("traceback.format_stack", lambda *_: pytest.fail("a stack was kept"))
    torch.manual_seed(1)


def test_a_failure_with_samples_of_the_cpu_says_that_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def made(function: object, **details: object) -> list[SampleInput]:
        if details["device"] != "cpu":
            raise NotImplementedError("Could not run 'aten::normal_' with arguments from")
        return placed_samples(function, **details)  # type: ignore[arg-type]

    monkeypatch.setattr(operators, "placed_samples", made)
    job = Job("meta", {"operators": read_matrix("operators")}, {"operators": 60}, 1)
    found = run_case(case("exp", "forward"), job)
    assert found.outcome == "failed"  # nothing can be read from the device `meta`
    assert "meta" in (found.reason or "")
    assert (found.reason or "").endswith(operators.CPU_SAMPLES_NOTE)


def run_with_cpu_errors(monkeypatch: pytest.MonkeyPatch, mode: str, failing: int) -> Result:
    """The result of `exp` if the CPU cannot compute the first `failing` samples of 8."""
    calls = 0
    reference = operator_lab.OperatorTest.on_reference

    def on_reference(trial: operator_lab.OperatorTest) -> operator_lab.OperatorResult | None:
        nonlocal calls
        calls += 1
        if calls <= failing:
            raise RuntimeError("not implemented on the CPU")
        return reference(trial)

    monkeypatch.setattr(operator_lab.OperatorTest, "on_reference", on_reference)
    job = Job("cpu", {"operators": read_matrix("operators")}, {"operators": 60}, 1)
    return run_case(case("addmm", mode), job)


def test_samples_that_the_cpu_cannot_compute_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = run_with_cpu_errors(monkeypatch, "forward", 0).metrics["samples"][0]
    most = int(samples) // 2
    found = run_with_cpu_errors(monkeypatch, "backward", most)
    assert found.outcome == "passed"
    text = f"The CPU cannot compute {most} of {samples:g} samples. RuntimeError: not implemented"
    assert (found.reason or "").startswith(text)


def test_an_operator_with_few_compared_samples_was_only_executed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = int(run_with_cpu_errors(monkeypatch, "forward", 0).metrics["samples"][0])
    found = run_with_cpu_errors(monkeypatch, "forward", samples - 1)
    assert found.outcome == "executed"
    assert "RuntimeError: not implemented on the CPU" in (found.reason or "")
    found = run_with_cpu_errors(monkeypatch, "forward", samples)
    assert (found.outcome, found.stage) == ("test-broken", "run")


@pytest.mark.parametrize("name", ["native_batch_norm", "_native_batch_norm_legit"])
def test_what_batch_normalization_saves_for_training_is_not_compared_in_evaluation(
    name: str,
) -> None:
    info = operators.opinfo_by_name()[name]
    outputs = {
        next(a for a in sample.args if isinstance(a, bool)): len(
            operator_lab.OperatorTest(info, sample, "cpu", 0, backward=False).on_device().outputs
        )
        for sample in info.sample_inputs("cpu", torch.float32)
    }
    assert outputs == {True: 3, False: 1}


def test_operators_are_names_that_reach_a_device() -> None:
    assert {"add", "mm", "convolution", "__lshift__"} <= registered()
    assert not {"add_", "linear", "matmul", "add.Tensor"} & registered()
    assert core_operators() < registered()
    counted = operator_counts("cpu")
    assert (counted["registered"], counted["core"]) == (len(registered()), sorted(core_operators()))


def test_a_kernel_for_an_operator_that_torch_does_not_have_is_no_operator() -> None:
    """A plugin registers such kernels if it is built for another torch."""
    program = (
        "import torch\n"
        "library = torch.library.Library('aten', 'IMPL')\n"
        "library.impl('of_another_torch', abs, 'PrivateUse1')\n"
        "from accelerator_validation.suites.aten import device_operators, operator_counts\n"
        "assert operator_counts('cpu')['core']\n"
        "assert 'of_another_torch' not in device_operators()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_falls_back_to_the_cpu_is_noted_and_nothing_else_is() -> None:
    def fallen() -> None:  # as `at::native::cpu_fallback` begins, beneath the operator
        with torch.profiler.record_function("aten::relu"):
            torch.ops.aten._to_cpu([torch.ones(2)])
        torch.ones(2).abs()

    found = observe_operators(fallen)
    assert found.computed_on_cpu == ("relu",)
    assert "abs" in found.operators


def test_kernels_are_told_apart_by_what_the_dispatcher_would_call() -> None:
    assert kernel_origin("cpu", "aten::mm") == "own"
    assert kernel_origin("cpu", "aten::select_copy.int") == "composite"
    assert kernel_origin("privateuseone", "aten::mm.out") == "missing"
    kernels = operator_counts("cpu")["kernels"]
    assert kernels["fallback"] == 0
    assert sum(kernels.values()) > kernels["own"] > kernels["missing"] > 0

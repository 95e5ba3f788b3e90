"""Nothing passes or fails for a reason of the harness: each fault is one of the device."""

from __future__ import annotations

import pytest

from tests.validation_torch.conftest import Done, validate

# Of an operator's test: the fault of the ATen operator beneath it, and what must be said.
SAID = {
    "operators/exp?dtype=float32&mode=forward": (
        "exp=at-home",
        "wrong-result",
        "the result of sample 1 is on cpu, not on paper",
    ),
    "operator-inputs/expm1?dtype=float32&inputs=drawn": (
        "expm1=at-home",
        "wrong-result",
        "is on cpu, not on paper",
    ),
    "operators/bernoulli?dtype=float32&mode=forward": (
        "bernoulli=at-home",
        "wrong-result",
        "the result of sample 1 is on cpu, not on paper",
    ),
    "operators/multinomial?dtype=float32&mode=forward": (
        "multinomial=double",
        "wrong-result",
        "is of torch.float64, the reference of torch.int64",
    ),
    "operators/new_empty_strided?dtype=float32&mode=forward": (
        "new_empty_strided=contiguous",
        "wrong-result",
        "has the strides",
    ),
    "operators/sinh?dtype=float32&mode=forward": (
        "sinh=crash-plain",
        "crashed",
        "SIGSEGV at sample 1: float32[20, 20]",
    ),
    "operators/cosh?dtype=float32&mode=forward": (
        "cosh=crash-observed",
        "passed",
        "could not be recorded: The process crashed with SIGSEGV at the recording of operators",
    ),
    # Samples need no operator of the device that draws numbers.
    "operators/tanh?dtype=float32&mode=forward": (
        "uniform_=missing,random_=crash",
        "passed",
        "",
    ),
    "operators/atan?dtype=float32&mode=forward": ("", "passed", ""),
    "operators/tensor_split?dtype=float32&mode=forward": ("", "passed", ""),
    "operators/index_put?dtype=float32&mode=forward": ("", "passed", ""),
    "operators/narrow?dtype=float32&mode=backward": ("", "passed", ""),
    "operators/as_strided.partial_views?dtype=float32&mode=forward": ("", "passed", ""),
    "operators/to?dtype=float32&mode=forward": ("", "passed", ""),
    "operators/nn.functional.conv2d?dtype=float32&mode=forward": (
        "convolution=overrideable",
        "unsupported-operator",
        "aten::convolution_overrideable is missing",
    ),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, site: str) -> Done:
    """One run over all faults."""
    faults = ",".join(fault for fault, _, _ in SAID.values() if fault)
    tests = [f"--test={key}" for key in SAID]
    folder = tmp_path_factory.mktemp("verdicts")
    words = ["--device=paper", "--timeout=60", "--workers=1", *tests]
    return validate(folder, *words, site=site, PAPER_FAULTS=faults)


@pytest.mark.parametrize("key", SAID)
def test_each_verdict_is_about_the_device(faulty: Done, key: str) -> None:
    _, outcome, words = SAID[key]
    test = faulty.tests[key.partition("?")[0].partition("/")[2]]
    assert (test.outcome, words in (test.reason or "")) == (outcome, True), test

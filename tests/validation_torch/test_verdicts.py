"""Nothing passes or fails for a reason of the harness: each fault is one of the device."""

from __future__ import annotations

import pytest

from tests.validation_torch.conftest import Done, validate

# Of an operator's test: the fault of the ATen operator beneath it, and what must be said.
_SAID = {
    "exp": ("exp=at-home", "wrong-result", "the result of sample 1 is on cpu, not on paper"),
    "bernoulli": (
        "bernoulli=at-home",
        "wrong-result",
        "the result of sample 1 is on cpu, not on paper",
    ),
    "multinomial": (
        "multinomial=double",
        "wrong-result",
        "has torch.float64, the reference has torch.int64",
    ),
    "new_empty_strided": ("new_empty_strided=contiguous", "wrong-result", "has the strides"),
    "sinh": ("sinh=crash-plain", "crashed", "SIGSEGV at sample 1: float32[20, 20]"),
    "cosh": (
        "cosh=crash-observed",
        "passed",
        "could not be recorded: The process crashed with SIGSEGV at the recording of operators",
    ),
    # Samples need no operator of the device that draws numbers.
    "tanh": ("uniform_=missing,random_=crash", "passed", ""),
    "atan": ("", "passed", ""),
    "tensor_split": ("", "passed", ""),
    "index_put": ("", "passed", ""),
    "as_strided.partial_views": ("", "passed", ""),
    "to": ("", "passed", ""),
    "nn.functional.conv2d": (
        "convolution=overrideable",
        "unsupported-operator",
        "aten::convolution_overrideable is missing",
    ),
}
SAID = {
    **{f"operators/{name}?dtype=float32&mode=forward": case for name, case in _SAID.items()},
    "operators/narrow?dtype=float32&mode=backward": ("", "passed", ""),
    "operator-inputs/expm1?dtype=float32&inputs=drawn": (
        "expm1=at-home",
        "wrong-result",
        "is on cpu, not on paper",
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

from __future__ import annotations

import pytest

from accelerator_validation.case import classify_error


class AcceleratorError(RuntimeError):
    """As torch has one."""


LIKELY = "You are likely triggering this with tensor backend other than CPU/CUDA/MKLDNN"
OUTCOMES: dict[str, list[Exception]] = {
    "unsupported-operator": [
        NotImplementedError("Could not run 'aten::silu' with arguments from"),
        NotImplementedError("The operator 'aten::_fft_r2c' is not currently implemented for MPS."),
        RuntimeError("\"histogram_cpu\" not implemented for 'Int'"),
        NotImplementedError(f"convolution_overrideable not implemented. {LIKELY}, if this is"),
        NotImplementedError(f"convolution_backward_overrideable: {LIKELY}"),
        RuntimeError("DispatchStub: missing kernel for paper"),
    ],
    "failed": [
        NotImplementedError("a model of its own"),
        NotImplementedError(),
        AcceleratorError("device-side assert triggered"),
        ModuleNotFoundError("No module named 'timm'"),
        AssertionError(),
    ],
    "out-of-memory": [
        MemoryError(),
        RuntimeError("HIP out of memory. Tried to allocate 20.00 MiB"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
    ],
    "infrastructure-error": [OSError(28, "No space left on device")],
}


@pytest.mark.parametrize(
    ("outcome", "error"), [(name, error) for name, errors in OUTCOMES.items() for error in errors]
)
def test_an_exception_of_the_device_says_what_happened(outcome: str, error: Exception) -> None:
    found = classify_error(error, "run")
    assert (found.outcome, found.stage, bool(found.reason)) == (outcome, "run", True)


def test_what_stops_the_reference_says_nothing_of_the_device() -> None:
    found = classify_error(MemoryError(), "load", reference=True)
    assert (found.outcome, found.stage) == ("test-broken", "load")

from __future__ import annotations

import pytest

from accelerator_portal.validation.classify import verdict


class AcceleratorError(RuntimeError):
    """As torch has one."""


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (
            NotImplementedError("Could not run 'aten::silu' with arguments from"),
            "unsupported-operator",
        ),
        (
            NotImplementedError(
                "The operator 'aten::_fft_r2c' is not currently implemented for the MPS device."
            ),
            "unsupported-operator",
        ),
        (RuntimeError("\"histogram_cpu\" not implemented for 'Int'"), "unsupported-operator"),
        (
            NotImplementedError(
                "convolution_overrideable not implemented. You are likely triggering this with "
                "tensor backend other than CPU/CUDA/MKLDNN, if this is intended, please use "
                "TORCH_LIBRARY_IMPL to override this function"
            ),
            "unsupported-operator",
        ),
        (
            NotImplementedError(
                "convolution_backward_overrideable: You are likely triggering this with tensor "
                "backend other than CPU/CUDA/MKLDNN"
            ),
            "unsupported-operator",
        ),
        (RuntimeError("DispatchStub: missing kernel for paper"), "unsupported-operator"),
        (NotImplementedError("a model of its own"), "failed"),
        (NotImplementedError(), "failed"),
        (MemoryError(), "out-of-memory"),
        (RuntimeError("HIP out of memory. Tried to allocate 20.00 MiB"), "out-of-memory"),
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
            "out-of-memory",
        ),
        (AcceleratorError("device-side assert triggered"), "failed"),
        (OSError(28, "No space left on device"), "infrastructure-error"),
        (ModuleNotFoundError("No module named 'timm'"), "failed"),
        (AssertionError(), "failed"),
    ],
)
def test_an_exception_of_the_device_says_what_happened(error: Exception, outcome: str) -> None:
    assert verdict(error, "run").outcome == outcome
    assert verdict(error, "run").stage == "run"
    assert verdict(error, "run").reason


def test_what_stops_the_reference_says_nothing_of_the_device() -> None:
    found = verdict(MemoryError(), "load", reference=True)
    assert (found.outcome, found.stage) == ("test-broken", "load")

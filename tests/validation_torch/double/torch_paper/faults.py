"""Faults of single operators, as the environment asks for them."""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import cache

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_HELPERS = "torch.testing._internal.common_methods_invocations"

_forked: list[bool] = []


@cache
def wanted() -> dict[str, str]:
    """Return the faults by operator."""
    pairs = os.environ.get("PAPER_FAULTS", "").split(",")
    return {name: fault for name, _, fault in (pair.partition("=") for pair in pairs) if name}


def prepare() -> None:
    """Let the device break in processes that are forked after PyTorch's test helpers came."""
    if wanted().get("fork") == "broken":
        os.register_at_fork(after_in_child=lambda: _forked.append(_HELPERS in sys.modules))


def strike(name: str) -> str | None:
    """Do what an operator's fault says; return the fault where it is one of the result."""
    if any(_forked):
        raise RuntimeError("Cannot re-initialize PAPER in forked subprocess")
    fault = wanted().get(name)
    if fault == "missing":
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'PrivateUse1' backend. This "
            "could be because the operator doesn't exist for this backend."
        )
    if fault == "overrideable":
        raise NotImplementedError(
            f"{name}_overrideable not implemented. You are likely triggering this with tensor "
            "backend other than CPU/CUDA/MKLDNN, if this is intended, please use "
            "TORCH_LIBRARY_IMPL to override this function "
        )
    if fault == "memory":
        raise torch.OutOfMemoryError("PAPER out of memory. Tried to allocate 2.00 GiB.")
    if fault == "error":
        raise RuntimeError(f"PAPER_STATUS_EXECUTION_FAILED when calling paper_{name}")
    if fault == "model":
        raise NotImplementedError
    if fault == "crash" or fault == ("crash-observed" if _is_observed() else "crash-plain"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "exit":
        os._exit(3)
    while fault == "hang":
        time.sleep(1)
    return fault


def spoiled(fault: str | None, value: torch.Tensor) -> torch.Tensor:
    """Return the result of an operator as its fault leaves it."""
    if fault == "wrong" and value.is_floating_point():
        value.mul_(1.1)
    if fault == "double":
        return value.double()
    return value.contiguous() if fault == "contiguous" else value


def _is_observed() -> bool:
    """Whether a mode of torch watches the operator: it is what called it."""
    frame = sys._getframe()
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), TorchDispatchMode):
            return True
        frame = frame.f_back
    return False

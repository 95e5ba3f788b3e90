"""A backend of ExecuTorch for tests: XNNPACK beneath, with faults that recipes are named for."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from accelerator_portal.validation.executorch.backend import Backend, Execute, Recipe
from accelerator_portal.validation.executorch.registry import find_backend

_LOWERING = find_backend("xnnpack").recipe("plain").lowering


def _crash() -> Mapping[str, Any]:
    os.kill(os.getpid(), signal.SIGSEGV)
    return {}


def _fail() -> Mapping[str, Any]:
    raise RuntimeError("the compiler of the paper backend stops")


def _cannot_quantize() -> Any:  # noqa: ANN401 - a quantizer is untyped
    raise ValueError("the paper backend has no such quantizer")


def _nobody_takes_anything() -> Mapping[str, Any]:
    return {"partitioner": []}


def _load(data: bytes) -> Execute:
    """Run in this process, and let the first number of every output be one too large."""
    from accelerator_portal.validation.suites.executorch.running import load_here

    execute = load_here(data)

    def wrong(inputs: Sequence[Any]) -> Sequence[Any]:
        found = execute(inputs)
        for output in found:
            output.flatten()[0] += 1
        return found

    return wrong


BACKEND = Backend(
    name="paper",
    runtime_name="PaperBackend",
    version=lambda: "0.1",
    load=_load,
    recipes=(
        Recipe("plain", _LOWERING),
        Recipe("patient", _LOWERING, rtol=1e-3, atol=2),
        Recipe("crash", _crash),
        Recipe("fail", _fail),
        Recipe("nothing", _nobody_takes_anything),
        Recipe("unquantized", _LOWERING, _cannot_quantize, sqnr_db=20),
    ),
)

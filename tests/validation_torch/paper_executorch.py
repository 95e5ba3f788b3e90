"""A backend of ExecuTorch for tests: XNNPACK beneath, with faults that recipes are named for.

It also brings a metric, and one that fails.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from accelerator_validation.executorch.backend import Backend, Execute, Recipe, UnavailableError
from accelerator_validation.executorch.metric import (
    MetricValues,
    ProgramMetric,
    ProgramObservations,
)
from accelerator_validation.executorch.registry import find_backend

_LOWERING = find_backend("xnnpack").recipes[0].lowering


def _crash() -> Mapping[str, Any]:
    os.kill(os.getpid(), signal.SIGSEGV)
    return {}


def _fail() -> Mapping[str, Any]:
    raise RuntimeError("the compiler of the paper backend stops")


def _not_here() -> Mapping[str, Any]:
    raise UnavailableError("The compiler of the paper backend is not installed.")


def _hang() -> Mapping[str, Any]:
    time.sleep(3600)
    return {}


def _fill_the_disk() -> Mapping[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        os.posix_fallocate(file.fileno(), 0, 10_000_000_000)
    return {}


def _cannot_quantize() -> Any:  # noqa: ANN401 - a quantizer is untyped
    raise ValueError("the paper backend has no such quantizer")


def _nobody_takes_anything() -> Mapping[str, Any]:
    return {"partitioner": []}


def _load(data: bytes) -> Execute:
    """Run in this process, and let the first number of every output be one too large."""
    from accelerator_validation.suites.executorch.model_test import load_in_process

    execute = load_in_process(data)

    def wrong(inputs: Sequence[Any]) -> Sequence[Any]:
        found = execute(inputs)
        for output in found:
            output.flatten()[0] += 1
        return found

    return wrong


def _cut_off(data: bytes) -> Execute:
    from accelerator_validation.suites.executorch.model_test import load_in_process

    return load_in_process(data[: len(data) // 2])


def _of_another_version(data: bytes) -> Execute:
    from accelerator_validation.suites.executorch.model_test import load_in_process

    return load_in_process(data[:4] + b"ET99" + data[8:])  # where a program says its version


def _without_numbers(data: bytes) -> Execute:
    from accelerator_validation.suites.executorch.model_test import load_in_process

    execute = load_in_process(data)
    return lambda inputs: [output * float("nan") for output in execute(inputs)]


def _delegates_per_kilobyte(observed: ProgramObservations) -> MetricValues:
    delegates, size = observed.value("delegates"), observed.value("pte_size")
    if delegates is None or not size:
        return {}
    return {"delegates_per_kilobyte": (delegates / size, "1/kB")}


def _no_figure(_: ProgramObservations) -> MetricValues:
    raise ZeroDivisionError("the paper meter is broken")


DERIVED = ProgramMetric("delegates_per_kilobyte", "end", _delegates_per_kilobyte)
BROKEN = ProgramMetric("paper_meter", "run", _no_figure)

CUT_OFF = Backend("cut_off", "XnnpackBackend", (Recipe("plain", _LOWERING),), load=_cut_off)
OLD = Backend("old", "XnnpackBackend", (Recipe("plain", _LOWERING),), load=_of_another_version)
NAN = Backend("no_numbers", "XnnpackBackend", (Recipe("plain", _LOWERING),), load=_without_numbers)
NOWHERE = Backend("nowhere", "NowhereBackend", (Recipe("plain", _LOWERING),), needs="a paper chip")

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
        Recipe("not_here", _not_here),
        Recipe("hang", _hang),
        Recipe("fill", _fill_the_disk),
        Recipe("nothing", _nobody_takes_anything),
        Recipe("unquantized", _LOWERING, _cannot_quantize, sqnr_db=20),
    ),
)

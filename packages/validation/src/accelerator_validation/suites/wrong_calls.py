"""Checks that a device raises an error where PyTorch does, such as for shapes that do not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from accelerator_validation.classify import CheckFailedError
from accelerator_validation.suites.layouts import map_tensors
from accelerator_validation.suites.operator_lab import (
    OperatorLab,
    error_of,
    inplace_call,
    is_decomposition,
)
from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import (
    marked,
    on_device,
    sample_values,
    with_arguments,
)

_NO_AXIS = 99
"""The number of an axis that no sample has."""
_SINGULAR = "a singular matrix"
_AXIS_KIND = "an axis that does not exist"


@dataclass(frozen=True)
class WrongCall:
    """A call that should raise an error."""

    sample: SampleInput
    kind: str
    """What is wrong with it. Calls that OpInfo lists are `listed`."""
    function: Any = None
    out: torch.Tensor | None = None

    def error(self, lab: OperatorLab, device: str) -> str | None:
        """Return the text of the error that the call raises on a device, or None."""
        more = {} if self.out is None else {"out": self.out.to(device)}

        def call() -> object:
            placed = lab.on_cpu(self.sample) if device == "cpu" else on_device(self.sample, device)
            return lab.call(placed, self.function, **more)

        return error_of(call)


def check_errors(lab: OperatorLab) -> Iterator[None]:
    """Expect an error where the CPU and PyTorch's own computation of shapes raise one."""
    counts: Counter[str] = Counter()
    for call in _wrong_calls(lab):
        if counts[call.kind] >= lab.limit and call.kind != "listed":
            continue
        with lab.context.on_reference():
            message = call.error(lab, "cpu")
        if message is None or "not implemented" in message:
            continue
        from_shapes = call.kind not in {"listed", _SINGULAR}
        if from_shapes and call.error(lab, "meta") is None:
            continue  # a kernel of the CPU refuses more than PyTorch does
        lab.announce(f"wrong input ({call.kind})", call.sample)
        if call.error(lab, lab.device) is None:
            what = f"no error ({call.kind}), where the CPU says: {message[:120]}"
            raise CheckFailedError(what)
        counts[call.kind] += 1
        yield


def _wrong_calls(lab: OperatorLab) -> Iterator[WrongCall]:
    """Yield the calls that OpInfo lists as wrong, and calls derived from samples.

    Indices of elements that do not exist are not derived: on a GPU, they can end the process.
    """
    if lab.info.error_inputs_func is not None:
        with suppress(Exception):
            for wrong in lab.info.error_inputs("cpu"):
                yield WrongCall(map_tensors(wrong.sample_input, marked), "listed")
    for sample in lab.samples:
        if is_decomposition(lab.info):
            yield WrongCall(map_tensors(sample, torch.zeros_like), _SINGULAR)
        yield from _wrong_shapes(sample)
        yield from _wrong_destinations(lab.info, sample)
        yield from _missing_axes(sample)


def _wrong_shapes(sample: SampleInput) -> Iterator[WrongCall]:
    if 0 in (sample.kwargs.get("beta"), sample.kwargs.get("alpha")):
        return  # what is multiplied by 0 need not be looked at
    floats = [v for v in tensors(sample_values(sample)) if v.dim() and v.is_floating_point()]
    for longer in floats[:3] if len(floats) > 1 else ():
        if longer.numel() and longer.layout is torch.strided:
            yield WrongCall(map_tensors(sample, partial(_lengthened, longer)), "shapes")


def _wrong_destinations(info: OpInfo, sample: SampleInput) -> Iterator[WrongCall]:
    found = tensors(sample_values(sample))
    inplace, more = inplace_call(info)
    if info.supports_out and found:
        yield WrongCall(sample, "the type of out=", out=torch.ones(0, dtype=torch.bool))
    if inplace and not more and isinstance(sample.input, torch.Tensor) and len(found) > 1:
        yield WrongCall(sample, "in place in a smaller tensor", inplace)


def _missing_axes(sample: SampleInput) -> Iterator[WrongCall]:
    """Yield the sample with each of its whole numbers replaced by that of an axis it lacks."""
    for place, value in enumerate(sample.args):
        if type(value) is int:
            args = (*sample.args[:place], _NO_AXIS, *sample.args[place + 1 :])
            yield WrongCall(with_arguments(sample, sample.input, args, sample.kwargs), _AXIS_KIND)
    for name, value in sample.kwargs.items():
        if type(value) is int:
            kwargs = {**sample.kwargs, name: _NO_AXIS}
            yield WrongCall(with_arguments(sample, sample.input, sample.args, kwargs), _AXIS_KIND)


def _lengthened(chosen: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return the tensor `chosen` with a longer last axis, and other values unchanged."""
    if value is not chosen:
        return value
    return torch.cat((value.detach(), value.detach().narrow(-1, 0, 1)), -1)

"""Derives inputs that OpInfo's samples lack: special numbers, long integers, no element, many axes.

A derived input is compared only where the CPU and the CPU in wider data types agree, because
elsewhere the result depends on the order or the width of the computation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import torch
from torch.testing._internal.opinfo.core import OpInfo, ReductionOpInfo, SampleInput

from accelerator_validation.suites.layouts import map_tensors
from accelerator_validation.suites.operator_lab import is_elementwise
from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import sample_values

_SPECIAL_NUMBERS = (math.nan, math.inf, -math.inf, 0.0, -0.0)
_LONG_NUMBERS = (2**31, -(2**31) - 1, 2**40 + 1, -1, 0)
"""Integers that 32 bits cannot hold, among others."""

_WITH_SPECIAL_NUMBERS = (
    *("softmax", "log_softmax", "nn.functional.softmin", "logsumexp", "cumsum", "cumprod"),
    *("cummax", "cummin", "max.", "min.", "aminmax", "sort", "msort", "topk", "kthvalue"),
    *("median", "nanmedian", "clamp", "where", "isin", "equal", "nn.functional.leaky_relu"),
    *("nn.functional.hardswish", "nn.functional.gelu", "lerp", "addcmul", "diff", "nonzero"),
)
"""The beginnings of the names of operators, besides reductions, for which special numbers have a
defined result. Elementwise operators get such numbers in OpInfo's reference inputs."""

_NO_LONG_NUMBERS = ("shift", "polynomial", "pow", "ldexp", "zeta", "gamma", "hash")
"""Parts of the names of elementwise operators that take the number of steps, or overflow."""

_LONG_REDUCTIONS = ("sum", "amax", "amin", "cumsum", "cummax", "cummin", "sort", "clamp", "argmax")

_AXES = 7
_AXES_ORDER = (0, 2, 4, 6, 1, 3, 5)


def special_samples(
    info: OpInfo, sample: SampleInput, dtype: torch.dtype, seed: int
) -> Iterator[tuple[str, SampleInput]]:
    """Yield what is special, and the sample derived from `sample`, of whose type `dtype` is."""
    found = tensors(sample_values(sample))
    if any(value.layout is not torch.strided or value.is_conj() for value in found):
        return
    elementwise = is_elementwise(info)
    if dtype is torch.int64:
        yield "integers above 2**31", _mixed(sample, _LONG_NUMBERS, dtype, seed)
        return
    if info.full_name.startswith(_WITH_SPECIAL_NUMBERS) or isinstance(info, ReductionOpInfo):
        for number in _SPECIAL_NUMBERS:
            yield f"{number} among the numbers", _mixed(sample, (number,), dtype, seed)
    if len(found) == 1 and found[0].dim() and found[0].numel():
        yield "no element", map_tensors(sample, lambda value: value.detach().narrow(0, 0, 0))
    if elementwise and len({value.shape for value in found}) == 1 and found[0].numel() > 1:
        yield f"{_AXES} axes", map_tensors(sample, _with_many_axes)


def takes_long_numbers(info: OpInfo) -> bool:
    """Return whether an operator has a defined result for integers that 32 bits cannot hold."""
    if is_elementwise(info):
        return not any(part in info.full_name for part in _NO_LONG_NUMBERS)
    return bool(info.full_name.startswith(_LONG_REDUCTIONS))


def _mixed(
    sample: SampleInput, numbers: tuple[float, ...], dtype: torch.dtype, seed: int
) -> SampleInput:
    """Return a copy of a sample in which some numbers of one type are replaced by special ones."""
    return map_tensors(sample, partial(_with_numbers, numbers=numbers, dtype=dtype, seed=seed))


def _with_numbers(
    value: torch.Tensor, numbers: tuple[float, ...], dtype: torch.dtype, seed: int
) -> torch.Tensor:
    if value.dtype is not dtype or not value.numel():
        return value
    draw = torch.Generator().manual_seed(seed + value.dim())
    picks = torch.tensor(numbers, dtype=dtype)[
        torch.randint(len(numbers), value.shape, generator=draw)
    ]
    is_special = torch.rand(value.shape, generator=draw) < 0.3  # noqa: PLR2004 - some, not all
    return torch.where(is_special, picks, value.detach())


def _with_many_axes(value: torch.Tensor) -> torch.Tensor:
    """Return numbers of a tensor with more axes than kernels have loops.

    The order of the strides is such that no two axes can be taken for one.
    """
    numbers = value.detach().flatten()
    repeated = numbers.repeat(math.ceil(2**_AXES / numbers.numel()))[: 2**_AXES]
    return repeated.view((2,) * _AXES).permute(_AXES_ORDER)

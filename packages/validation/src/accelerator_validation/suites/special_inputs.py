"""Derives inputs that OpInfo's samples lack: special numbers, other types, no element, many axes.

A derived input is compared only where the CPU and the CPU in wider data types agree, because
elsewhere the result depends on the order or the width of the computation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch.testing._internal.opinfo.core import (
    BinaryUfuncInfo,
    OpInfo,
    ReductionOpInfo,
    SampleInput,
)

from accelerator_validation.suites.layouts import map_tensors
from accelerator_validation.suites.operator_lab import is_elementwise
from accelerator_validation.suites.other_arguments import other_arguments, with_long_scalars
from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import (
    mark_like,
    sample_values,
    with_arguments,
)

_SPECIAL_NUMBERS = (math.nan, math.inf, -math.inf, 0.0, -0.0)
_MEETING = (*_SPECIAL_NUMBERS, 1.0, -1.0)
"""Numbers of which each pair has a rule of its own, such as `xlogy(0, nan)`."""
_LONG_NUMBERS = (2**31, -(2**31) - 1, 2**40 + 1, -1, 0)
"""Integers that 32 bits cannot hold, among others."""
_NEAR_LIMITS = (2**31 - 1, 2**30 + 1, -(2**31) + 1, -1, 0)
"""Integers whose sums 32 bits cannot hold, without the lowest one: division by -1 would trap."""
_NEIGHBORS = (2**24, 2**24 + 1, 2**53, 2**53 + 1)
"""Integers that differ by 1, which float32 or float64 cannot tell apart."""
_LONG_TYPES = frozenset({torch.int32, torch.int64})
_DISTANT = (20.5, -20.5, 100.5, -100.5, 1000.5, -1000.5)
"""Numbers at which exponentials overflow in a formula that is not written with care."""
_OTHER_TYPES = (torch.int32, torch.uint8)
_FACTORS = {torch.float32: (2.0**-30, 2.0**100), torch.float16: (2.0**-7, 2.0**8)}
"""Factors that make numbers tiny, and so large that squares overflow."""
_MOST_EMPTIED = 3
_FAR = 1e4
"""A distance from 0 at which squares in float32 no longer tell the numbers apart."""
_MANY = 12
"""How often a list of tensors is repeated."""

_WITH_SPECIAL_NUMBERS = (
    *("softmax", "log_softmax", "nn.functional.softmin", "logsumexp", "cumsum", "cumprod"),
    *("logcumsumexp", "cumulative_trapezoid", "trapezoid", "trapz", "cross", "outer", "renorm"),
    *("heaviside", "nan_to_num", "masked.", "new_full", "full_like", "addcdiv", "hypot", "polar"),
    *("unbind", "split", "chunk", "narrow", "squeeze", "movedim", "column_stack", "vstack"),
    *("cummax", "cummin", "max.", "min.", "aminmax", "sort", "msort", "topk", "kthvalue"),
    *("median", "nanmedian", "clamp", "where", "isin", "equal", "lerp", "addcmul", "diff"),
    *("nonzero", "tril", "triu", "diag", "flip", "roll", "rot90", "gather", "index_", "take"),
    *("cat", "stack", "masked_fill", "masked_select", "masked_scatter", "fill", "repeat", "tile"),
    *("select_scatter", "slice_scatter", "scatter_add", "unfold", "constant_pad_nd", "expand"),
    *(
        f"nn.functional.{name}"
        for name in ("celu", "elu", "selu", "silu", "mish", "gelu", "relu", "prelu", "leaky_relu")
    ),
    *("nn.functional.hard", "nn.functional.soft", "nn.functional.threshold", "nn.functional.pad."),
    *("nn.functional.logsigmoid", "nn.functional.tanhshrink", "nn.functional.max_pool"),
    *("nn.functional.embedding", "nn.functional.pixel", "nn.functional.dropout"),
    *("nn.functional.l1_loss", "nn.functional.mse_loss", "nn.functional.smooth_l1_loss"),
    *("nn.functional.huber_loss", "nn.functional.nll_loss", "nn.functional.glu"),
    *("nn.functional.channel_shuffle", "nn.functional.unfold", "nn.functional.avg_pool"),
)
"""The beginnings of the names of operators, besides reductions and elementwise ones, for which
special numbers have a defined result."""

_NO_LONG_NUMBERS = ("shift", "polynomial", "pow", "ldexp", "zeta", "gamma", "hash")
"""Parts of the names of elementwise operators that take the number of steps, or overflow."""

_LONG_NUMBERS_KEPT = (
    *("sum", "amax", "amin", "cumsum", "cummax", "cummin", "sort", "clamp", "argmax"),
    *("masked_fill", "index_fill", "fill", "scatter", "where", "nn.functional.pad.constant"),
)
"""The beginnings of the names of operators, besides elementwise ones, that keep long integers."""

_WITH_VARIANCE = ("var", "std", "nn.functional.layer_norm", "nn.functional.group_norm", "native_")

_SUMS = (
    *("softmax", "log_softmax", "logsumexp", "cumsum", "matmul", "mm", "bmm", "addmm", "dot", "mv"),
    *("nn.functional.linear", "nn.functional.layer_norm", "nn.functional.rms_norm", "norm"),
    *("nn.functional.conv", "nn.functional.avg_pool", "nn.functional.mse_loss", "trapezoid"),
)
"""The beginnings of the names of operators, besides reductions, that add numbers."""

_AXES = 7
_AXES_ORDER = (0, 2, 4, 6, 1, 3, 5)


@dataclass(frozen=True)
class SpecialSample:
    """A sample that OpInfo lacks."""

    what: str
    sample: SampleInput
    scale: float = 1.0
    """The factor by which the numbers are smaller than those of OpInfo's samples."""
    has_gradients: bool = False
    """Whether the gradients are defined, although the sample is at an edge of the operator."""


def special_samples(
    info: OpInfo, sample: SampleInput, dtype: torch.dtype, seed: int
) -> Iterator[SpecialSample]:
    """Yield the special samples that can be derived from `sample`, of whose type `dtype` is."""
    found = tensors(sample_values(sample))
    if any(value.layout is not torch.strided or value.is_conj() for value in found):
        return
    mixed = partial(_mixed, sample, dtype=dtype, seed=seed)
    if isinstance(info, BinaryUfuncInfo):
        yield from _other_types(info, sample, dtype)
    if dtype in _LONG_TYPES:
        yield from _long_integers(info, sample, dtype, seed)
        return
    if takes_special_numbers(info):
        if isinstance(info, BinaryUfuncInfo):
            yield SpecialSample("special numbers in both arguments", mixed(_MEETING, share=0.9))
        for number in _SPECIAL_NUMBERS:
            yield SpecialSample(f"{number} among the numbers", mixed((number,)))
    if dtype.is_floating_point:
        yield from _other_numbers(info, sample, dtype, seed)
    yield from _other_sizes(info, sample)


def _long_integers(
    info: OpInfo, sample: SampleInput, dtype: torch.dtype, seed: int
) -> Iterator[SpecialSample]:
    """Yield samples with integers beyond narrower types; none for `bincount`, which counts them."""
    mixed = partial(_mixed, sample, dtype=dtype, seed=seed)
    if not takes_long_numbers(info):
        return
    if dtype is torch.int32:
        yield SpecialSample("integers near the limits of the type", mixed(_NEAR_LIMITS))
        yield SpecialSample("large positive integers", mixed(_NEAR_LIMITS[:2], share=1))
        return
    yield SpecialSample("integers above 2**31", mixed(_LONG_NUMBERS))
    yield SpecialSample("neighboring integers", mixed(_NEIGHBORS, share=1))
    if long := with_long_scalars(info, sample):
        yield SpecialSample("a long scalar", long)


def _other_sizes(info: OpInfo, sample: SampleInput) -> Iterator[SpecialSample]:
    """Yield samples with an empty tensor, with many tensors, and with many axes."""
    found = tensors(sample_values(sample))
    # Beside an empty tensor, the indices in another one are out of range, which can end a process.
    indices = [v for v in found if v.dtype in {torch.int32, torch.int64}]
    may_be_empty = [] if info.name.startswith("native_") else found  # they return statistics, too
    if 0 < len(indices) < len(found):
        may_be_empty = indices if len(indices) == 1 else []
    for number, chosen in enumerate(may_be_empty[:_MOST_EMPTIED], 1):
        if chosen.dim() and chosen.numel():
            empty = map_tensors(sample, partial(_emptied, chosen))
            yield SpecialSample(f"no element in argument {number}", empty)
    if indices and info.name.startswith(("gather", "scatter")):
        shorter = map_tensors(sample, partial(_shortened, indices[0]))
        yield SpecialSample("a shorter index", shorter)
    if isinstance(sample.input, (list, tuple)):
        many = [*sample.input] * _MANY
        values = many, sample.args, sample.kwargs
        yield SpecialSample(f"{len(many)} tensors", with_arguments(sample, *values))
    has_one_shape = len({value.shape for value in found}) == 1 and found[0].numel() > 1
    if has_one_shape and (is_elementwise(info) or len(found) == 1):
        with_axes = map_tensors(sample, _with_many_axes)
        yield SpecialSample(f"{_AXES} axes", with_axes)
        for change, other in other_arguments(info, with_axes):
            if change.endswith("of -1"):
                yield SpecialSample(f"{_AXES} axes, {change}", other)


def _other_numbers(
    info: OpInfo, sample: SampleInput, dtype: torch.dtype, seed: int
) -> Iterator[SpecialSample]:
    """Yield samples with numbers that are often equal or halves, tiny numbers and huge ones."""
    if "beta" in sample.kwargs and isinstance(sample.input, torch.Tensor):
        ignored = torch.full_like(sample.input.detach(), math.nan)
        values = mark_like(ignored, sample.input), sample.args, {**sample.kwargs, "beta": 0}
        yield SpecialSample("NaN in what beta=0 leaves out", with_arguments(sample, *values))
    halves = map_tensors(sample, lambda v: _if_rounded(v, lambda: (v.detach() * 2).round() / 2))
    yield SpecialSample("halves and whole numbers", halves, has_gradients=is_elementwise(info))
    has_variance = isinstance(info, ReductionOpInfo) or info.full_name.startswith(_WITH_VARIANCE)
    if has_variance and dtype is torch.float32:
        first = sample.input  # without weights, which would hide the difference
        far = map_tensors(sample, lambda v: v.detach() + _FAR if v is first else v)
        yield SpecialSample(f"numbers near {_FAR:g}", far)
    factors = _FACTORS.get(dtype)
    if not factors:
        return
    if is_elementwise(info) and info.supports_autograd and dtype is torch.float32:
        distant = _mixed(sample, _DISTANT, dtype, seed, share=0.9)
        yield SpecialSample("numbers up to 1000.5", distant, has_gradients=True)
    tiny = map_tensors(sample, lambda v: _if_rounded(v, lambda: v.detach() * factors[0]))
    yield SpecialSample("tiny numbers", tiny, factors[0])
    if is_elementwise(info):
        huge = map_tensors(sample, lambda v: _if_rounded(v, lambda: v.detach() * factors[1]))
        yield SpecialSample("huge numbers", huge)


def _if_rounded(value: torch.Tensor, change: Callable[[], torch.Tensor]) -> torch.Tensor:
    return change() if value.is_floating_point() else value


def _other_types(
    info: BinaryUfuncInfo, sample: SampleInput, dtype: torch.dtype
) -> Iterator[SpecialSample]:
    """Yield samples whose second argument has another data type, or is a number."""
    second = sample.args[0] if sample.args else None
    if not isinstance(second, torch.Tensor) or not isinstance(sample.input, torch.Tensor):
        return
    rest, first = sample.args[1:], sample.input.detach()
    # The result must not be narrower than the tolerance for `dtype` expects.
    rounded_type = torch.float32 if dtype is torch.int64 else torch.bfloat16
    for other in (*_OTHER_TYPES, rounded_type):
        args = (mark_like(second.detach().to(other), second), *rest)
        values = sample.input, args, sample.kwargs
        yield SpecialSample(f"a second argument of {other}", with_arguments(sample, *values))
    if second.numel():
        args = (mark_like(second.detach().flatten()[0].to(rounded_type), second), *rest)
        values = sample.input, args, sample.kwargs
        yield SpecialSample("a second argument without axes", with_arguments(sample, *values))
    if info.supports_rhs_python_scalar and first.numel():
        number = first.max().item() + (0 if dtype.is_floating_point else 0.5)
        args = (number, *rest)
        values = sample.input, args, sample.kwargs
        yield SpecialSample("a number as second argument", with_arguments(sample, *values))


def _emptied(chosen: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return value.detach().narrow(0, 0, 0) if value is chosen else value


def _shortened(chosen: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return a tensor without the last element along each axis that has more than one."""
    if value is not chosen:
        return value
    return value[tuple(slice(max(1, length - 1)) for length in value.shape)]


def takes_special_numbers(info: OpInfo) -> bool:
    """Return whether an operator has a defined result for NaN and infinity.

    The degree of a polynomial becomes an integer, for which NaN has no value.
    """
    if "polynomial" in info.full_name:
        return False
    is_known = is_elementwise(info) or isinstance(info, ReductionOpInfo)
    return is_known or info.full_name.startswith(_WITH_SPECIAL_NUMBERS)


def adds_many_numbers(info: OpInfo) -> bool:
    """Return whether an operator adds numbers, so that long sums in a narrow type can be wrong."""
    return isinstance(info, ReductionOpInfo) or info.full_name.startswith(_SUMS)


def takes_long_numbers(info: OpInfo) -> bool:
    """Return whether an operator has a defined result for integers that 32 bits cannot hold."""
    if is_elementwise(info):
        return not any(part in info.full_name for part in _NO_LONG_NUMBERS)
    return bool(info.full_name.startswith(_LONG_NUMBERS_KEPT))


def _mixed(
    sample: SampleInput,
    numbers: tuple[float, ...],
    dtype: torch.dtype,
    seed: int,
    share: float = 0.3,
) -> SampleInput:
    """Return a copy of a sample in which a share of the numbers of one type are special ones.

    They are drawn for each tensor, so that special numbers meet ordinary ones.
    """
    draw = torch.Generator().manual_seed(seed)

    def replaced(value: torch.Tensor) -> torch.Tensor:
        if value.dtype is not dtype or not value.numel():
            return value
        choice = torch.randint(len(numbers), value.shape, generator=draw)
        picks = torch.tensor(numbers, dtype=dtype)[choice]
        is_special = torch.rand(value.shape, generator=draw) < share
        return torch.where(is_special, picks, value.detach())

    return map_tensors(sample, replaced)


def _with_many_axes(value: torch.Tensor) -> torch.Tensor:
    """Return numbers of a tensor with more axes than kernels have loops.

    The order of the strides is such that no two axes can be taken for one.
    """
    numbers = value.detach().flatten()
    repeated = numbers.repeat(math.ceil(2**_AXES / numbers.numel()))[: 2**_AXES]
    return repeated.view((2,) * _AXES).permute(_AXES_ORDER)

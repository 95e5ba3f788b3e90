"""Makes copies of tensors with the same numbers and another layout in memory, or another size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import (
    copy_tensor,
    map_sample,
    mark_like,
    sample_values,
    with_arguments,
)

LAYOUTS = ("permuted", "stepped", "offset", "padded")
"""Layouts that keep all numbers of a tensor: reversed axes, every second number of a larger tensor,
a view inside of a longer storage, and rows of a wider matrix."""

_INDEX_TYPES = frozenset({torch.int32, torch.int64})

_LARGE_ELEMENTS = 140_000
"""The number of elements of a large sample: above the sizes of tiles, of vectorized loops, and of
2**17 threads."""

_LONG_AXIS = 70_015
"""The length of a long axis: above 2**16, and of every vectorized loop the longest rest is left."""

_MANY_TENSORS = 130
"""The least number of tensors in a long list."""

_BATCH_AXES = 3
"""The number of axes from which on the first ones count matrices."""

_END = 64
"""The number of elements at the end of a long axis that are small."""


def relaid(value: torch.Tensor, layout: str) -> torch.Tensor:
    """Return the numbers of a tensor in another layout; the tensor itself if it has no such layout.

    `channels-last` is for four and five axes. With the layouts `expanded` (floating point) and
    `expanded-indices` (integers), the result has the numbers of the first slice of the last axis.
    With `expanded-row`, the result is the first slice of the first axis, whose stride is 0. With
    `one-number`, it is the first number, for all axes.
    """
    source = value.detach()
    has_layout = source.layout is torch.strided and source.numel() and source.dim()
    return _MADE_LAYOUTS[layout](source) if has_layout and layout in _MADE_LAYOUTS else value


def _permuted(value: torch.Tensor) -> torch.Tensor:
    order = tuple(reversed(range(value.dim())))
    return value.permute(order).contiguous().permute(order)


def _offset(value: torch.Tensor) -> torch.Tensor:
    flat = value.contiguous().flatten()
    shift = min(3, flat.numel())
    memory = torch.cat((flat[-shift:], flat, flat[:shift]))
    return memory.as_strided(value.shape, value.contiguous().stride(), shift)


def _channels_last(value: torch.Tensor) -> torch.Tensor:
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return value.contiguous(memory_format=formats.get(value.dim(), torch.contiguous_format))


def _expanded(value: torch.Tensor, *, indices: bool) -> torch.Tensor:
    is_index = not value.is_floating_point() and not value.is_complex()
    if is_index != indices or value.dtype is torch.bool:
        return value
    return value.narrow(-1, 0, 1).clone().expand(value.shape)


def _expanded_row(value: torch.Tensor) -> torch.Tensor:
    return value.narrow(0, 0, 1).clone().expand(3, *value.shape[1:])[:1]


_MADE_LAYOUTS: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "permuted": _permuted,
    "stepped": lambda value: torch.stack((value, torch.roll(value, 1, -1)), -1)[..., 0],
    "offset": _offset,
    "channels-last": _channels_last,
    "padded": lambda v: torch.cat((v, torch.roll(v, 1, -1)), -1)[..., : v.shape[-1]],
    "expanded": partial(_expanded, indices=False),
    "expanded-indices": partial(_expanded, indices=True),
    "expanded-row": _expanded_row,
    "one-number": lambda value: value.flatten()[:1].clone().expand(value.numel()).view(value.shape),
}


def with_layout(sample: SampleInput, layout: str, only: int | None = None) -> SampleInput:
    """Return a copy of a sample whose tensors have another layout.

    If `only` is given, that is the tensor with this number, from 0; a sample of one tensor stays.

    With `expanded-row`, that is the first tensor alone, because the others keep their shapes.
    Beside indices it keeps its layout: a kernel may not check that they are in range.
    """
    if only is not None:
        chosen = tensors(sample_values(sample))
        one = chosen[only] if 1 < len(chosen) > only else None
        return map_tensors(sample, lambda v: relaid(v, layout) if v is one else v)
    if layout != "expanded-row":
        return map_tensors(sample, lambda value: relaid(value, layout))
    if any(value.dtype in _INDEX_TYPES for value in tensors(sample_values(sample))):
        return sample
    return map_tensors(sample, lambda v: relaid(v, layout) if v is sample.input else v)


def outline(sample: SampleInput) -> SampleInput:
    """Return a copy of a sample without numbers: its tensors are on PyTorch's meta device."""
    return map_tensors(sample, lambda value: copy_tensor(value, "meta", value.dtype))


def map_tensors(sample: SampleInput, change: Callable[[torch.Tensor], torch.Tensor]) -> SampleInput:
    """Return a copy of a sample with changed tensors, which are marked as the originals are."""

    def changed(value: Any) -> Any:
        return mark_like(change(value), value) if isinstance(value, torch.Tensor) else value

    return map_sample(sample, changed)


def surroundings(value: torch.Tensor) -> tuple[object, ...] | None:
    """Return the place of a tensor in its storage, and the bytes there, with 0 as its elements.

    None if the device does not let the storage be read.
    """
    try:
        number = value.untyped_storage().nbytes() // value.element_size()
        memory = value.detach().as_strided((number,), (1,), 0).cpu().clone()
        memory.as_strided(value.shape, value.stride(), value.storage_offset()).zero_()
        return value.shape, value.stride(), value.storage_offset(), memory.view(torch.uint8)
    except Exception:  # noqa: BLE001 - any kind of tensor and device
        return None


def overlaps_itself(value: torch.Tensor) -> bool:
    """Return whether two elements of a tensor may share memory, so that writing is undefined."""
    span = 0
    pairs = zip(value.shape, value.stride(), strict=True)
    for stride, length in sorted((stride, length) for length, stride in pairs if length > 1):
        if stride <= span:
            return True
        span += stride * (length - 1)
    return False


def strides_differ(first: SampleInput, second: SampleInput) -> bool:
    """Return whether a tensor has other strides or another offset in the second sample.

    False if a tensor has no strides.
    """
    pairs = list(zip(tensors(sample_values(first)), tensors(sample_values(second)), strict=True))
    if any(old.layout is not torch.strided for old, _ in pairs):
        return False
    return any(
        old.stride() != new.stride() or old.storage_offset() != new.storage_offset()
        for old, new in pairs
    )


def enlarged(
    sample: SampleInput, seed: int, elements: int = _LARGE_ELEMENTS, less: int = 0
) -> SampleInput | None:
    """Return a copy of a sample with all axes longer by one factor; None if it cannot be enlarged.

    The factor makes at least `elements` elements of its largest tensor; then, each of these axes is
    `less` shorter. Axes of length 1 stay. The numbers are drawn from those of each tensor.
    """
    found = tensors(sample_values(sample))
    largest = max(found, key=torch.Tensor.numel, default=None)
    if largest is None or not largest.numel() or not largest.dim():
        return None
    if any(value.layout is not torch.strided for value in found):
        return None
    long_axes = max(1, sum(length > 1 for length in largest.shape))
    factor = max(2, math.ceil((elements / largest.numel()) ** (1 / long_axes)))
    draw = torch.Generator().manual_seed(seed)

    def grow(value: torch.Tensor) -> torch.Tensor:
        if not value.dim() or not value.numel():
            return value
        if any(length > 1 for length in value.shape):
            return _drawn(value, [n * factor - less if n > 1 else 1 for n in value.shape], draw)
        return _drawn(value, [elements, *value.shape[1:]], draw) if is_single else value

    is_single = len(found) == 1
    return map_tensors(sample, grow)


def with_long_axis(sample: SampleInput, seed: int, *, named: bool = False) -> SampleInput | None:
    """Return a copy of a sample of one tensor whose last axis is long; None for other samples.

    If `named` is true, it is the axis that the sample names instead; None if that is the last one.
    The numbers are drawn from those of the tensor.
    """
    dim = _axes_of_only_tensor(sample)
    if not named:
        return _lengthened(sample, -1, seed) if dim else None
    axis = sample.kwargs.get("dim", next(iter(sample.args), None))
    is_other = type(axis) is int and -dim <= axis < dim - 1 and axis != -1
    return _lengthened(sample, axis, seed) if is_other else None


def with_many_matrices(sample: SampleInput, seed: int) -> SampleInput | None:
    """Return a copy of a sample of one tensor of three axes or more whose first axis is long.

    A grid of threads may have an axis of at most 65,535 blocks. None for other samples.
    """
    if _axes_of_only_tensor(sample) < _BATCH_AXES:
        return None
    small = [min(size, _BATCH_AXES) for size in tensors(sample_values(sample))[0].shape]
    return _lengthened(sample, 0, seed, small)


def with_long_tensor(sample: SampleInput, seed: int) -> SampleInput | None:
    """Return a copy of a sample of lists whose first tensors are long; None for other samples.

    Kernels for lists split each tensor into chunks, of 2**16 elements on CUDA.
    """
    lists = [v for v in (sample.input, *sample.args, *sample.kwargs.values()) if _is_list(v)]
    firsts = {id(values[0]) for values in lists}
    draw = torch.Generator().manual_seed(seed)
    if not any(values[0].numel() for values in lists):
        return None
    return map_tensors(
        sample,
        lambda v: _drawn(v, [_LARGE_ELEMENTS], draw) if id(v) in firsts and v.numel() else v,
    )


def with_many_tensors(sample: SampleInput, seed: int) -> SampleInput | None:  # noqa: ARG001 - as of the others
    """Return a copy of a sample of lists that are repeated; None for other samples.

    Kernels for lists take a number of tensors at a time, of up to 110 on CUDA.
    """
    number = len(sample.input) if _is_list(sample.input) else 0

    def many(value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != number:
            return value
        return [_copy(part) for _ in range(math.ceil(_MANY_TENSORS / number)) for part in value]

    args, kwargs = tuple(map(many, sample.args)), {k: many(v) for k, v in sample.kwargs.items()}
    return with_arguments(sample, many(sample.input), args, kwargs) if number else None


def _copy(value: Any) -> Any:
    return mark_like(value.detach().clone(), value) if isinstance(value, torch.Tensor) else value


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(tensors(value[:1]))


def _axes_of_only_tensor(sample: SampleInput) -> int:
    """Return the number of axes of a small tensor that is a sample's only one, otherwise 0."""
    found = tensors(sample_values(sample))
    if len(found) != 1 or found[0].layout is not torch.strided:
        return 0
    return found[0].dim() if 0 < found[0].numel() <= _LARGE_ELEMENTS else 0


def _lengthened(
    sample: SampleInput, axis: int, seed: int, small: Sequence[int] = ()
) -> SampleInput:
    """Return a copy of a sample whose only tensor has a long axis, and is otherwise as `small`."""
    shape = list(small or tensors(sample_values(sample))[0].shape)
    shape[axis] = _LONG_AXIS
    draw = torch.Generator().manual_seed(seed)
    return map_tensors(sample, lambda value: _with_small_end(_drawn(value, shape, draw), axis))


def _with_small_end(value: torch.Tensor, axis: int) -> torch.Tensor:
    """Return numbers whose last ones along an axis are small and of both signs.

    There kernels compute what does not fill a vector, and large numbers hide errors: silu(7) is 7.
    """
    if not value.is_floating_point():
        return value
    factors = torch.ones(value.shape[axis], dtype=value.dtype, device=value.device)
    factors[-_END:] = 0.1
    factors[-_END::3] = -0.1
    shape = [1] * value.dim()
    shape[axis] = -1
    return value * factors.view(shape)


def with_shape(sample: SampleInput, shape: tuple[int, ...], seed: int) -> SampleInput | None:
    """Return a copy of a sample whose tensors all have a shape; None if theirs differ.

    The numbers are drawn from those of each tensor.
    """
    found = tensors(sample_values(sample))
    is_dense = all(value.layout is torch.strided and value.numel() for value in found)
    if not found or not is_dense or len({value.shape for value in found}) > 1:
        return None
    draw = torch.Generator().manual_seed(seed)
    return map_tensors(sample, lambda value: _drawn(value, list(shape), draw))


def in_all_quadrants(value: torch.Tensor) -> torch.Tensor:
    """Return complex numbers that are multiplied by 1, i, -1 and -i in turn.

    Numbers on an axis stay, because the sign of zero would decide where a function jumps. OpInfo
    draws both parts from an operator's real domain: for `sqrt`, from one quadrant.
    """
    if not value.is_complex() or value.layout is not torch.strided:
        return value
    source = value.detach().resolve_conj().resolve_neg()
    turns = torch.tensor([1, 1j, -1, -1j], dtype=value.dtype)
    turned = source * turns[torch.arange(value.numel()) % len(turns)].view(value.shape)
    return torch.where((source.real != 0) & (source.imag != 0), turned, source)


def beginning_with_zero(value: torch.Tensor) -> torch.Tensor:
    """Return a copy of numbers whose first one is 0."""
    if value.layout is not torch.strided or not value.numel():
        return value
    changed = value.detach().clone(memory_format=torch.contiguous_format)
    changed.view(-1)[0] = 0
    return changed


def made_distinct(sample: SampleInput, seed: int) -> SampleInput:
    """Return a copy of a sample whose rounded numbers are changed by up to 1 %, to be different."""
    draw = torch.Generator().manual_seed(seed)

    def change(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point():
            return value
        factors = 1 + 0.01 * torch.rand(value.shape, generator=draw, dtype=torch.float64)
        return (value.detach() * factors).to(value.dtype)

    return map_tensors(sample, change)


def _drawn(value: torch.Tensor, shape: list[int], draw: torch.Generator) -> torch.Tensor:
    if value.is_meta:
        return value.new_empty(shape)
    picks = torch.randint(value.numel(), (math.prod(shape),), generator=draw)
    return value.detach().flatten()[picks].view(shape)

"""Makes copies of tensors with the same numbers and another layout in memory, or another size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import map_sample, mark_like, sample_values

LAYOUTS = ("permuted", "stepped", "offset")
"""Layouts that keep all numbers of a tensor: reversed axes, every second number of a larger tensor,
and a view that does not begin at the beginning of its storage."""

_LARGE_ELEMENTS = 101_000
"""The number of elements of a large sample: above the sizes of tiles and of vectorized loops."""


def relaid(value: torch.Tensor, layout: str) -> torch.Tensor:
    """Return the numbers of a tensor in another layout; the tensor itself if it has no such layout.

    With the layout `expanded`, the result has the numbers of the first slice of the last axis.
    """
    source, axes = value.detach(), value.dim()
    if source.layout is not torch.strided or not source.numel() or not axes:
        return value
    if layout == "permuted" and axes > 1:
        order = tuple(reversed(range(axes)))
        return source.permute(order).contiguous().permute(order)
    if layout == "stepped":
        return torch.stack((source, torch.roll(source, 1, -1)), -1)[..., 0]
    if layout == "offset":
        flat = source.contiguous().flatten()
        shift = min(3, flat.numel())
        memory = torch.cat((flat.flip(0)[:shift], flat))
        return memory.as_strided(source.shape, source.contiguous().stride(), shift)
    if layout == "expanded" and source.is_floating_point():
        return source.narrow(-1, 0, 1).clone().expand(source.shape)
    return value


def with_layout(sample: SampleInput, layout: str) -> SampleInput:
    """Return a copy of a sample whose tensors have another layout."""
    return map_tensors(sample, lambda value: relaid(value, layout))


def map_tensors(sample: SampleInput, change: Callable[[torch.Tensor], torch.Tensor]) -> SampleInput:
    """Return a copy of a sample with changed tensors, which are marked as the originals are."""

    def changed(value: Any) -> Any:
        return mark_like(change(value), value) if isinstance(value, torch.Tensor) else value

    return map_sample(sample, changed)


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


def enlarged(sample: SampleInput, seed: int) -> SampleInput | None:
    """Return a copy of a sample with all axes longer by one factor; None if it cannot be enlarged.

    Axes of length 1 stay. The numbers are drawn from those of each tensor.
    """
    found = tensors(sample_values(sample))
    largest = max(found, key=torch.Tensor.numel, default=None)
    if largest is None or not largest.numel() or not largest.dim():
        return None
    if any(value.layout is not torch.strided for value in found):
        return None
    long_axes = max(1, sum(length > 1 for length in largest.shape))
    factor = max(2, math.ceil((_LARGE_ELEMENTS / largest.numel()) ** (1 / long_axes)))
    draw = torch.Generator().manual_seed(seed)

    def grow(value: torch.Tensor) -> torch.Tensor:
        if not value.dim() or not value.numel():
            return value
        if any(length > 1 for length in value.shape):
            shape = [length * factor if length > 1 else 1 for length in value.shape]
        elif len(found) == 1:
            shape = [_LARGE_ELEMENTS, *value.shape[1:]]
        else:
            return value
        picks = torch.randint(value.numel(), (math.prod(shape),), generator=draw)
        return value.detach().flatten()[picks].view(shape)

    return map_tensors(sample, grow)

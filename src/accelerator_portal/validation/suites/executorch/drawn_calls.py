"""Core operators that PyTorch's samples do not reach in float32, with inputs of our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional

from accelerator_portal.validation.suites.executorch.calls import call_sample
from accelerator_portal.validation.suites.executorch.lowering import Sample

RandomCall = tuple[Callable[..., Any], tuple[Any, ...]]
"""An operator with its arguments; those that hold floating-point numbers are given a type later."""


def _integers(*shape: int) -> torch.Tensor:
    return torch.randint(-100, 100, shape, dtype=torch.int32)


def _batch_norm() -> RandomCall:
    mean, variance = torch.randn(3), torch.rand(3) + 0.5
    return functional.batch_norm, (torch.randn(2, 3, 4, 4), mean, variance)


def _embedding_bag() -> RandomCall:
    places = torch.tensor([[0, 2, 4], [1, 3, 1]])
    return functional.embedding_bag, (places, torch.randn(5, 4))


_CALLS: Mapping[str, Callable[[], RandomCall]] = {
    "batch_norm-evaluation": _batch_norm,
    "bitwise_not-int32": lambda: (torch.bitwise_not, (_integers(3, 5),)),
    "bitwise_xor-int32": lambda: (torch.bitwise_xor, (_integers(3, 5), _integers(3, 5))),
    "embedding_bag-two-bags": _embedding_bag,
    "fold-2x2": lambda: (functional.fold, (torch.randn(1, 12, 4), (4, 4), (2, 2), 1, 0, 2)),
    "reflection_pad2d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 4, 5), (1, 2, 1, 1), "reflect"),
    ),
    "reflection_pad3d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 3, 4, 5), (1, 1, 1, 1, 1, 1), "reflect"),
    ),
    "replication_pad3d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 3, 4, 5), (1, 1, 1, 1, 1, 1), "replicate"),
    ),
    "upsample_nearest2d-size": lambda: (
        torch.ops.aten.upsample_nearest2d.default,
        (torch.randn(1, 2, 4, 4), [8, 8]),
    ),
}


def drawn_names() -> list[str]:
    """Return the names of the calls."""
    return sorted(_CALLS)


def drawn_sample(name: str, dtype: torch.dtype, seed: int) -> Sample:
    """Make a call; the same numbers for the same seed."""
    torch.manual_seed(seed)
    operator, args = _CALLS[name]()
    typed = tuple(
        arg.to(dtype) if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg
        for arg in args
    )
    return call_sample(operator, typed, {}, narrow=dtype is not torch.float32)

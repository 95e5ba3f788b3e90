"""Lets the device compute in wider data types and round, so that it never repeats the CPU's bits.

With the variable PAPER_WIDE, it is a correct device with other arithmetic than the reference.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

_WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}

_NEVER = ("as_strided", "_cdist_backward", "_pdist_backward", "linalg_pinv", "linalg_matrix_rank")
"""Operators that read memory as it lies, compare numbers with rounded ones, or have tolerances that
depend on the data type."""


def computed(func: Any, args: Any, kwargs: Any) -> Any:
    """Compute an operator as the CPU does or, with PAPER_WIDE, in wider types where that is possible.

    Operators that write into arguments or draw numbers, and views, are computed as on the CPU.
    """
    plain = func(*args, **kwargs)
    changes = func._schema.is_mutable or torch.Tag.nondeterministic_seeded in func.tags
    is_other = any(name in func._schema.name for name in _NEVER)
    if not os.environ.get("PAPER_WIDE") or changes or is_other:
        return plain
    try:
        found = func(*tree_map(_widened, args), **tree_map(_widened, kwargs))
        if not _same_integers(plain, found):
            return plain
        inputs = [_memory(v) for v in tree_leaves((args, kwargs)) if isinstance(v, torch.Tensor)]
        return tree_map(lambda p, w: _rounded(p, w, inputs), plain, found)
    except (RuntimeError, NotImplementedError, ValueError):
        return plain


def _same_integers(plain: Any, found: Any) -> bool:
    """Whether integers are equal, such as the pivots of the numbers beside them."""
    pairs = zip(tree_leaves(plain), tree_leaves(found), strict=True)
    return all(
        torch.equal(p, f)
        for p, f in pairs
        if _is_plain(p) and p.dtype not in _WIDER and _is_plain(f)
    )


def _widened(value: Any) -> Any:
    return value.to(_WIDER.get(value.dtype, value.dtype)) if _is_plain(value) else value


def _rounded(plain: Any, found: Any, inputs: list[int]) -> Any:
    is_same_kind = _is_plain(plain) and _is_plain(found) and plain.shape == found.shape
    if not is_same_kind or plain.dtype not in _WIDER or _memory(plain) in inputs:
        return plain
    return torch.empty_strided(plain.shape, plain.stride(), dtype=plain.dtype).copy_(found)


def _is_plain(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout is torch.strided


def _memory(value: torch.Tensor) -> int:
    return value.untyped_storage().data_ptr() if value.layout is torch.strided else 0

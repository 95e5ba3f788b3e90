"""Faults of single operators, as the environment asks for them."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

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


def shown(fault: str | None, *, has_outer: bool) -> str | None:
    """Return the fault of a call of which a tensor is on the CPU, or none."""
    return None if fault == "cpu-number" and not has_outer else fault


_KEPT: list[bytearray] = []
_calls: list[str] = []
_SINGLE_TYPES = {
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int16": torch.int16,
    "int8": torch.int8,
    "bool": torch.bool,
}
_LARGE = 20_000
_MIDDLE = (1_000, 100_000)
_MANY = 8
_BEYOND = 20
_VECTOR = 16
_MOST_FOR_INTEGERS = 1000
_ROOT_OF_HALF = 256
_TINY = 1e-8
_FAR = 1000
_MOST_AXES = 6
_MOST_BLOCKS = 65_535
_LONGEST_ROW = 65_536
_MOST_LISTED = 48
_MOST_PADS = 6
_FIRST_RESULTS: dict[str, torch.Tensor] = {}


def tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors among nested values."""
    return [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]


def read(fault: str | None, value: Any) -> Any:
    """Return an argument as a faulty kernel reads it.

    `dense` takes its memory for contiguous, `channels` does so if channels come last, `pitch` if
    rows are those of a wider matrix, and `index` if it is an expanded index. `nan` takes NaN for 0,
    and `tiny` takes tiny numbers for 0.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if fault == "nan" and value.is_floating_point():
        return value.nan_to_num(posinf=torch.inf, neginf=-torch.inf)
    if fault == "tiny" and value.is_floating_point():
        return torch.where(value.abs() < _TINY, 0, value)
    has_channels = value.dim() == 4 and value.is_contiguous(memory_format=torch.channels_last)
    is_misread = {
        "dense": True,
        "channels": has_channels,
        "pitch": value.dim() > 1 and value.stride(-1) == 1 and 0 not in value.stride(),
        "index": value.dtype is torch.int64 and 0 in value.stride(),
    }
    if not is_misread.get(fault or "") or value.is_contiguous():
        return value
    reach = value.untyped_storage().nbytes() // value.element_size() - value.storage_offset()
    if reach < value.numel():
        return value.flatten()[:1].expand(value.shape)
    strides = torch.empty(value.shape, device="meta").stride()
    return value.as_strided(value.shape, strides, value.storage_offset())


def computed(fault: str | None, compute: Callable[[], Any], args: Any, kwargs: Any) -> Any:
    """Compute a result as a faulty kernel does."""
    if fault == "noop":
        return None if isinstance(args[0], list) else args[0]
    out = kwargs.get("out")
    if out is not None and (
        fault == "unwritten" or (fault == "untyped" and out.dtype is not torch.bool)
    ):
        return out
    if fault == "unseeded":
        with torch.random.fork_rng():
            torch.manual_seed(time.time_ns())
            return compute()
    if fault == "unchecked":
        try:
            return compute()
        except (RuntimeError, IndexError):
            return torch.zeros_like(tensors(args)[0])
    has_shapes = len({value.shape for value in tensors((args, kwargs))}) > 1
    if fault == "leak" or (fault == "leak-shapes" and has_shapes):
        _KEPT.append(bytearray(4 * 1024 * 1024))
        _KEPT[-1][::4096] = b"x" * len(_KEPT[-1][::4096])  # so that the memory is used
    before = [value.clone() for value in tensors(args)] if fault == "frozen" else []
    shape = out.shape if out is not None else ()
    found = compute()
    if fault == "unsized" and out is not None and math.prod(shape):
        out.resize_(shape)
    _alter_list(fault, found, args)
    if fault in {"overrun", "gaps"}:
        _spill(fault, args[0] if out is None else out)
    for value, old in zip(tensors(args), before, strict=False):
        value.copy_(old)
    return _altered(fault, found, args, kwargs)


def _alter_list(fault: str | None, found: Any, args: Any) -> None:
    if fault == "last-tensor":
        found[-1].add_(1)
    if fault == "first-scalar" and isinstance(args[1], list) and not tensors(args[1]):
        for value, number in zip(found or args[0], args[1], strict=True):
            value.add_(number - args[1][0])


def _spill(fault: str, value: torch.Tensor) -> None:
    """Change the element behind a tensor or, for `gaps`, those between its elements, to 0."""
    held = value.clone()
    size = value.untyped_storage().nbytes() // value.element_size()
    memory = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage())
    end = value.storage_offset() + value.numel()
    if fault == "gaps":
        memory[value.storage_offset() : size].zero_()
        value.copy_(held)
    elif value.is_contiguous() and end < size:
        memory[end] = 0


def _altered(fault: str | None, found: Any, args: Any, kwargs: Any) -> Any:
    given = tensors((args, kwargs))
    results = tensors(args[0] if found is None else found)
    if fault == "destroy" and given:
        given[0].zero_()
    if fault == "flaky":
        _calls.append(fault)
    is_hit = {
        "rank": any(value.dim() > 2 for value in given),
        "axes": any(value.dim() > _MOST_AXES for value in given),
        "row": any(value.dim() and value.shape[-1] > _LONGEST_ROW for value in given),
        "column": any(max(value.shape[:-1], default=0) > _LONGEST_ROW for value in given),
        "large": any(value.numel() > _LARGE for value in given),
        "middle": any(_MIDDLE[0] < value.numel() < _MIDDLE[1] for value in given),
        "keyword": bool(kwargs.keys() - {"dtype", "layout", "device", "pin_memory", "out"}),
        "empty-dim": any(not value.numel() for value in given),
        "broadcast": len({value.shape for value in given}) > 1,
        "flaky": len(_calls) % 2 == 1,
        "many": len(given) > _MANY,
        "halves": any(v.is_floating_point() and (v.detach() % 1 == 0.5).any() for v in given),
        "nan-spreads": any(v.is_floating_point() and v.detach().isnan().any() for v in given),
        "negative-axis": any(type(value) is int and value < -1 for value in args),
        "above-16": any(
            type(value) is int and _VECTOR < value < _MOST_FOR_INTEGERS
            for value in tree_leaves(args)
        ),
        "from-the-end": any(v.dtype is torch.int64 and (v < 0).any() for v in tensors(args[1:])),
        "planes": any(value.shape[:-2].numel() > _MOST_BLOCKS for value in given),
        "zero": any(v.is_complex() and (v.detach() == 0).any() for v in given),
        "quadrant": any(
            v.is_complex() and ((v.real < 0) & (v.imag < 0)).any() for v in map(_detached, given)
        ),
        "squares": any(
            v.dtype is torch.float16 and (v.isfinite() & (v.abs() > _ROOT_OF_HALF)).any()
            for v in map(_detached, given)
        ),
        "beyond": any(type(value) is int and value < -_BEYOND for value in args),
        "pair": [value for value in args[3:] if type(value) is int] == [1, 1],
        "masked": any(v is False for value in args if isinstance(value, list) for v in value),
        "far": any(v.is_floating_point() and v.detach().mean() > _FAR for v in given),
        "row-stride": any(v.dim() > 1 and len(v) == 1 and v.stride(0) == 0 for v in given),
        "view": any(not value.is_contiguous() for value in given),
        "long-float16": any(v.dtype is torch.float16 and v.numel() > _LARGE for v in given),
        "long-bfloat16": any(v.dtype is torch.bfloat16 and v.numel() > _LARGE for v in given),
        "twice": len({v.data_ptr() for v in given if v.numel()}) < len(given),
        "expanded": any(v.numel() > 1 and not any(v.stride()) for v in given),
        "listed": any(len(v) > _MOST_LISTED for v in args if isinstance(v, list)),
        "pads": any(isinstance(v, list) and len(v) > _MOST_PADS for v in args),
        "beyond-float": any(type(v) is int and v > 2**24 for v in args),
        "cpu-number": True,
        "uninformed": True,
        "later-info": True,
        "ones": True,
    }.get(fault or "", any(value.dtype is _SINGLE_TYPES.get(fault or "") for value in given))
    for value in results if is_hit else ():
        if fault == "ones":
            value.fill_(1)
        elif fault == "squares":
            value.fill_(torch.inf)
        elif fault == "later-info":
            _forget_later(value)
        elif fault == "uninformed":
            value.mul_(value.dtype is not torch.int32)
        elif value.dtype is torch.bool:
            value.logical_not_()
        elif value.numel():
            value.add_(1)
    return _returned(fault, found, args, given)


def _forget_later(value: torch.Tensor) -> None:
    if value.dtype is torch.int32 and value.dim():
        value[1:] = 0


def _detached(value: torch.Tensor) -> torch.Tensor:
    return value.detach()


def _returned(fault: str | None, found: Any, args: Any, given: list[torch.Tensor]) -> Any:
    """Return what a faulty kernel returns instead of its result."""
    if fault == "aliased":
        return args[0]
    if fault == "copied":
        return tree_map(lambda v: v.clone() if isinstance(v, torch.Tensor) else v, found)
    if not isinstance(found, torch.Tensor):
        return found
    if fault in {"stale", "settings"}:
        numbers = [value.detach().flatten()[:9].tolist() for value in given]
        shapes = [(value.shape, value.dtype) for value in given]
        key = str(shapes if fault == "stale" else numbers)
        return _FIRST_RESULTS.setdefault(key, found.clone()).clone()
    results: dict[str, Callable[[], torch.Tensor]] = {
        "narrow": lambda: found.int().long() if found.dtype is torch.int64 else found,
        "unpromoted": lambda: found.to(given[0].dtype),
        "ungraded": lambda: found / given[0],
        "through-float64": lambda: found.double().to(found.dtype),
        "rounded": lambda: found.float().to(found.dtype),
        "nan-lost": lambda: torch.fmin(given[0], given[1]),
        "columns": lambda: found.transpose(0, -1).contiguous().transpose(0, -1),
        "tail": lambda: _without_tail(found, given[0]),
        "unlimited": lambda: torch.where(found.abs() > _LARGE, torch.inf * found, found),
    }
    is_row = fault == "columns" and found.dim() < 2
    return found if is_row or fault not in results else results[fault]()


def _without_tail(found: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    """Return a result in which what does not fill a vector is the input."""
    rest = found.numel() % _VECTOR
    if found.numel() < _LARGE or not rest:
        return found
    end = given.detach().flatten()[-rest:]
    return torch.cat((found.flatten()[:-rest], end)).view(found.shape)


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

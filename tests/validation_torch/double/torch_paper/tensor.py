"""A tensor that says it lies on the device, and holds one of the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import torch
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_map

from torch_paper import faults, wide

NAME = "paper"


@contextmanager
def _meta() -> Iterator[None]:
    """Let kernels for tensors without numbers run, as PyTorch's own wrappers of tensors do."""
    torch._C._set_meta_in_tls_dispatch_include(True)  # noqa: FBT003 - torch's own
    try:
        yield
    finally:
        torch._C._set_meta_in_tls_dispatch_include(False)  # noqa: FBT003 - torch's own


class PaperTensor(torch.Tensor):
    """What programs see; every operator on it is led to `__torch_dispatch__`."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor, index: int = 0) -> Self:
        """Wrap a tensor of the CPU."""
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            storage_size=_storage_size(held),
            dtype=held.dtype,
            device=torch.device(NAME, index),
            requires_grad=False,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute on the CPU what was asked of the device."""
        return call(func, args, kwargs or {})

    def resized(self, held: torch.Tensor) -> Self:
        """Take the size of what it holds, which an operator resized: an argument `out`."""
        if self.shape != held.shape:
            storage = PaperTensor(held).untyped_storage()
            with no_dispatch(), _meta():
                set_ = torch.ops.aten.set_.source_Storage_storage_offset
                set_(self, storage, 0, held.shape, held.stride())
        return self

    def __repr__(self) -> str:  # type: ignore[override] - torch's own takes more
        """Show the numbers."""
        return f"{self.held!r} on {NAME}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Be saved as numbers, with the device to return to."""
        return (restored, (self.detach().cpu(), self.requires_grad))


def _storage_size(held: torch.Tensor) -> int | None:
    """Return the number of bytes of a tensor's storage; None for sparse tensors."""
    return held.untyped_storage().nbytes() if held.layout is torch.strided else None


def restored(held: torch.Tensor, requires_grad: bool) -> torch.Tensor:  # noqa: FBT001 - from a pickle
    """Put a saved tensor back onto the device."""
    return held.to(NAME).requires_grad_(requires_grad)


def call(func: Any, args: Any, kwargs: Any) -> Any:
    """Run an operator on what the arguments hold, and wrap what comes of it."""
    has_outer = any(not isinstance(v, PaperTensor) for v in faults.tensors(args))
    fault = faults.shown(faults.strike(func._schema.name.partition("::")[2]), has_outer=has_outer)
    outside = torch.device(kwargs["device"]).type != NAME if kwargs.get("device") else False
    wrappers: dict[int, PaperTensor] = {}

    def inside(value: Any) -> Any:
        if isinstance(value, PaperTensor):
            wrappers[id(value.held)] = value
            return value.held
        if isinstance(value, torch.device) and value.type == NAME:
            return torch.device("cpu")
        return value

    if func is torch.ops.aten.copy_.default and not isinstance(args[0], PaperTensor):
        return args[0].copy_(inside(args[1]))
    _same_place(func, args)
    if kwargs.get("pin_memory"):
        kwargs = {**kwargs, "pin_memory": False}
    inner_args, inner_kwargs = tree_map(inside, args), tree_map(inside, kwargs)

    def compute() -> Any:
        read_args = tree_map(lambda v: faults.read(fault, v), inner_args)
        return wide.computed(func, read_args, inner_kwargs)

    found = faults.computed(fault, compute, inner_args, inner_kwargs)

    def wrap(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or outside or fault == "at-home":
            return value
        value = faults.spoiled(fault, value)
        if id(value) in wrappers:
            return wrappers[id(value)].resized(value)
        return PaperTensor(value, 1 if fault == "elsewhere" else 0)

    return tree_map(wrap, found)


def _same_place(func: Any, args: Any) -> None:
    """Refuse a tensor of the CPU beside one of the device, unless it is copied or a number."""
    if func in {torch.ops.aten.copy_.default, torch.ops.aten.set_.source_Storage}:
        return
    if faults.wanted().get("mixed") == "allowed":
        return
    tensors = [value for value in args if isinstance(value, torch.Tensor) and value.dim()]
    if len({isinstance(value, PaperTensor) for value in tensors}) > 1 and "index" not in str(func):
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found {NAME} and cpu"
        )

"""Checks tensors on a device: copies, views, in-place results, storages, pinning."""

from __future__ import annotations

from accelerator_validation.classify import MismatchError
from accelerator_validation.context import Context
from accelerator_validation.suites.checking import (
    require,
    require_accelerator,
    require_equal,
    tested_device_type,
)


def copy(context: Context) -> None:
    """Check that copies to the device and back are exact, in common types and strides."""
    import torch

    for dtype in (
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.uint8,
        torch.bool,
    ):
        sent = torch.arange(24).reshape(2, 3, 4).to(dtype)
        for form in (sent, sent.transpose(0, 2), sent[:, ::2], sent[:0]):
            there = form.to(context.device)
            require(
                there.device.type == tested_device_type(context),
                f"a copy to the device is on {there.device}",
            )
            back = there.cpu()
            if back.dtype != dtype or not torch.equal(back, form):
                raise MismatchError(
                    f"a copy of {dtype} with strides {form.stride()} was wrong after the copy back"
                )
    there = torch.ones(4).to(context.device).to(torch.int32)
    require_equal(there, torch.ones(4, dtype=torch.int32), "a conversion on the device")
    later = torch.ones(3).to(context.device, non_blocking=True)
    require_equal(later, torch.ones(3), "a non-blocking copy")


def views(context: Context) -> None:
    """Check that changes through views appear in the base, even after a transposition."""
    import torch

    base = torch.zeros(3, 4, device=context.device)
    base.t()[1].fill_(2.0)
    base.view(-1)[::5].add_(1.0)
    wanted = torch.zeros(3, 4)
    wanted.t()[1].fill_(2.0)
    wanted.view(-1)[::5].add_(1.0)
    require_equal(base, wanted, "the tensor after changes through its views")


def in_place(context: Context) -> None:
    """Check that in-place operators change the tensor itself and its version counter."""
    import torch

    values = torch.arange(6.0).to(context.device)
    alias, version = values.view(2, 3), values._version  # noqa: SLF001 - what autograd relies on
    changed = values.mul_(2).add_(1).clamp_(max=7)
    require(changed is values, "an in-place operator returned another tensor")
    require_equal(alias.reshape(-1), torch.tensor([1.0, 3, 5, 7, 7, 7]), "values changed in place")
    counted = values._version > version  # noqa: SLF001
    require(counted, "an in-place operator did not increase the tensor's version counter")


def out_variants(context: Context) -> None:
    """Check that `out=` writes into the given tensor, resizes an empty one and keeps strides."""
    import torch

    one, two = torch.arange(6.0).reshape(2, 3), torch.full((2, 3), 2.0)
    wanted = one * two
    one, two = one.to(context.device), two.to(context.device)
    held = torch.zeros(2, 3, device=context.device)
    empty = torch.empty(0, device=context.device)
    turned = torch.zeros(3, 2, device=context.device).t()
    for name, out in (("an equal shape", held), ("an empty tensor", empty), ("strides", turned)):
        strides = out.stride()
        found = torch.mul(one, two, out=out)
        require(found is out, f"torch.mul with out= of {name} returned another tensor")
        require_equal(out, wanted, f"torch.mul with out= of {name}")
        require(out is empty or out.stride() == strides, "out= changed the tensor's strides")


def storage(context: Context) -> None:
    """Check that views share a storage on the device, clones don't, and its bytes are correct."""
    import torch

    values = torch.arange(8, dtype=torch.uint8).to(context.device)
    held = values.untyped_storage()
    require(held.device.type == tested_device_type(context), f"the storage is on {held.device}")
    require(held.nbytes() >= 8, f"the storage of 8 bytes has {held.nbytes()}")  # noqa: PLR2004 - of eight numbers
    shared = values[4:].untyped_storage().data_ptr() == held.data_ptr()
    require(shared, "a view has a storage of its own")
    apart = values.clone().untyped_storage().data_ptr() != held.data_ptr()
    require(apart, "a clone shares the storage of its original")
    back = list(held.cpu())[:8]
    require(back == list(range(8)), f"the bytes of a storage after a copy: {back}")


def pinned_memory(context: Context) -> None:
    """Check that memory can be pinned, and copied from without blocking."""
    torch = require_accelerator(context)
    plain = torch.arange(16.0)
    require(not plain.is_pinned(), "pageable memory is reported as pinned")
    pinned = plain.pin_memory()
    require(pinned.is_pinned(), "pinned memory is reported as not pinned")
    there = pinned.to(context.device, non_blocking=True)
    require_equal(there, plain, "a copy from pinned memory")


def mixed_devices(context: Context) -> None:
    """Check that mixing tensors on the device and the CPU raises an error that names devices."""
    torch = require_accelerator(context)
    there, here = torch.ones(2).to(context.device), torch.ones(2)
    require_equal(there + there, torch.full((2,), 2.0), "an addition on the device")
    try:
        found = there + here
    except NotImplementedError:
        raise  # the operator is missing, which says nothing about devices
    except RuntimeError as error:
        require("device" in str(error), f"the error message does not name the devices: {error}")
        return
    require(False, f"a tensor on the device and one on the CPU were added, on {found.device}")  # noqa: FBT003

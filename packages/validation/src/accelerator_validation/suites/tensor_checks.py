"""Checks tensors on a device: copies, views, in-place operators, storages and pinned memory."""

from __future__ import annotations

from accelerator_reports.environment import device_type
from accelerator_validation.classify import CheckFailedError, MismatchError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.integration_helpers import (
    require,
    require_accelerator,
    require_equal,
)


def copy(context: Context) -> None:
    """Check that copies to the device and back are exact, for common data types and strides."""
    import torch

    for dtype in (
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.uint8,
        torch.bool,
    ):
        values = torch.arange(24).reshape(2, 3, 4).to(dtype)
        for form in (values, values.transpose(0, 2), values[:, ::2], values[:0]):
            device_tensor = form.to(context.device)
            require(
                device_tensor.device.type == device_type(context.device),
                f"a copy to the device is on {device_tensor.device}",
            )
            cpu_copy = device_tensor.cpu()
            if cpu_copy.dtype != dtype or not torch.equal(cpu_copy, form):
                raise MismatchError(
                    f"a copy of {dtype} with strides {form.stride()} was wrong after the copy back"
                )
    device_tensor = torch.ones(4).to(context.device).to(torch.int32)
    require_equal(device_tensor, torch.ones(4, dtype=torch.int32), "a conversion on the device")
    async_copy = torch.ones(3).to(context.device, non_blocking=True)
    require_equal(async_copy, torch.ones(3), "a non-blocking copy")


def views(context: Context) -> None:
    """Check that changes through views appear in the base, even after a transposition."""
    import torch

    base = torch.zeros(3, 4, device=context.device)
    base.t()[1].fill_(2.0)
    base.view(-1)[::5].add_(1.0)
    reference = torch.zeros(3, 4)
    reference.t()[1].fill_(2.0)
    reference.view(-1)[::5].add_(1.0)
    require_equal(base, reference, "the tensor after changes through its views")


def in_place(context: Context) -> None:
    """Check that in-place operators change the tensor itself and its version counter."""
    import torch

    values = torch.arange(6.0).to(context.device)
    alias, version = values.view(2, 3), values._version  # noqa: SLF001 - what autograd relies on
    changed = values.mul_(2).add_(1).clamp_(max=7)
    require(changed is values, "an in-place operator returned another tensor")
    require_equal(alias.reshape(-1), torch.tensor([1.0, 3, 5, 7, 7, 7]), "values changed in place")
    is_counted = values._version > version  # noqa: SLF001
    require(is_counted, "an in-place operator did not increase the tensor's version counter")


def out_variants(context: Context) -> None:
    """Check that `out=` writes into the given tensor, resizes an empty one and keeps strides."""
    import torch

    left_factor, right_factor = torch.arange(6.0).reshape(2, 3), torch.full((2, 3), 2.0)
    reference = left_factor * right_factor
    left_factor, right_factor = left_factor.to(context.device), right_factor.to(context.device)
    equal_out = torch.zeros(2, 3, device=context.device)
    empty_out = torch.empty(0, device=context.device)
    strided_out = torch.zeros(3, 2, device=context.device).t()
    for name, out in (
        ("an equal shape", equal_out),
        ("an empty tensor", empty_out),
        ("strides", strided_out),
    ):
        strides = out.stride()
        result = torch.mul(left_factor, right_factor, out=out)
        require(result is out, f"torch.mul with out= of {name} returned another tensor")
        require_equal(out, reference, f"torch.mul with out= of {name}")
        require(out is empty_out or out.stride() == strides, "out= changed the tensor's strides")


def storage(context: Context) -> None:
    """Check that a view shares the storage of its base on the device, and that a clone does not.

    The bytes of the storage must also be correct.
    """
    import torch

    values = torch.arange(8, dtype=torch.uint8).to(context.device)
    device_storage = values.untyped_storage()
    require(
        device_storage.device.type == device_type(context.device),
        f"the storage is on {device_storage.device}",
    )
    require(device_storage.nbytes() >= 8, f"the storage of 8 bytes has {device_storage.nbytes()}")  # noqa: PLR2004 - of eight numbers
    is_shared = values[4:].untyped_storage().data_ptr() == device_storage.data_ptr()
    require(is_shared, "a view has a storage of its own")
    is_separate = values.clone().untyped_storage().data_ptr() != device_storage.data_ptr()
    require(is_separate, "a clone shares the storage of its original")
    copied_bytes = list(device_storage.cpu())[:8]
    require(copied_bytes == list(range(8)), f"the bytes of a storage after a copy: {copied_bytes}")


def pinned_memory(context: Context) -> None:
    """Check that CPU memory can be pinned, and copied to the device without blocking."""
    torch = require_accelerator(context)
    pageable = torch.arange(16.0)
    require(not pageable.is_pinned(), "pageable memory is reported as pinned")
    pinned = pageable.pin_memory()
    require(pinned.is_pinned(), "pinned memory is reported as not pinned")
    device_tensor = pinned.to(context.device, non_blocking=True)
    require_equal(device_tensor, pageable, "a copy from pinned memory")


def mixed_devices(context: Context) -> None:
    """Check that adding a tensor on the device and one on the CPU raises an error.

    The error message must contain `device`.
    """
    torch = require_accelerator(context)
    device_tensor, cpu_tensor = torch.ones(2).to(context.device), torch.ones(2)
    require_equal(device_tensor + device_tensor, torch.full((2,), 2.0), "an addition on the device")
    try:
        result = device_tensor + cpu_tensor
    except NotImplementedError:
        raise  # the operator is missing, which says nothing about devices
    except RuntimeError as error:
        require("device" in str(error), f"the error message does not name the devices: {error}")
        return
    raise CheckFailedError(
        f"a tensor on the device and one on the CPU were added, on {result.device}"
    )

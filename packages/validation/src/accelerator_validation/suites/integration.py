"""The suite `integration`: tests of tensors, devices and loading, which a plugin must pass.

This module does not import torch: if `import torch` fails, the tests of this suite report that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata

from accelerator_reports.environment import IN_TREE, PLUGIN_GROUP, device_type
from accelerator_validation.case import Case, CheckFailedError, MismatchError, Result, SkippedError
from accelerator_validation.listing import AUTOLOAD
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.side_process import signal_name
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import device_checks, feature_checks, process_group_checks
from accelerator_validation.suites.integration_helpers import (
    missing_api_reason,
    missing_torch_name,
    require,
    require_accelerator,
    require_equal,
)

# Checks tensors on a device: copies, views, in-place operators, storages and pinned memory.


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


# Checks how a device is loaded: the plugin's entry point, `import torch`, autoload on and off.

_LIMIT_S = 120

_USE_DEVICE_PROGRAM = """
import sys, torch
device = sys.argv[1]
assert torch.ones(2, device=device).cpu().tolist() == [1.0, 1.0]
"""


class LoadingError(Exception):
    """Raised if the device is not loaded correctly; the message says what is wrong."""


def entry_point(context: Context) -> None:
    """Check that installed packages have entry points in the group `torch.backends`.

    Each entry point must load a function.
    """
    context.stage = "import"
    if device_type(context.device) in IN_TREE:
        raise SkippedError("PyTorch includes this device, so there is no plugin to load.")
    points = list(metadata.entry_points(group=PLUGIN_GROUP))
    if not points:
        raise LoadingError(
            f"No installed package has an entry point in the group {PLUGIN_GROUP}, so import torch "
            "cannot find the plugin: every program must import the plugin."
        )
    for point in points:
        if not callable(point.load()):
            raise LoadingError(f"The entry point {point.name} = {point.value} is not a function.")


def plain_import(context: Context) -> None:
    """Check that `import torch` succeeds with the installed plugins."""
    context.stage = "import"
    _run_python("import torch", context.device, autoload="1")


def autoload_on(context: Context) -> None:
    """Check that the device can be used after `import torch` alone."""
    context.stage = "import"
    _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="1")


def autoload_off(context: Context) -> None:
    """Check that `import torch` succeeds with autoload off, and loads no plugin.

    A plugin's device must then be unusable. A device that PyTorch includes must still work.
    """
    context.stage = "import"
    _run_python("import torch", context.device, autoload="0")
    if device_type(context.device) in IN_TREE:
        _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="0")
        return
    try:
        _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="0")
    except LoadingError:
        return
    raise LoadingError(f"The plugin is loaded although {AUTOLOAD}=0 is set. It can't be disabled.")


def _run_python(program: str, device: str, *, autoload: str) -> None:
    """Run the Python code `program` in a separate process, which gets the device as its argument.

    `autoload` is the value of TORCH_DEVICE_BACKEND_AUTOLOAD: 1 or 0. Raises LoadingError with the
    last error messages if the process fails, and TimeoutError after 120 seconds.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        try:
            # No pipe, because a daemon that a plugin starts may keep it open.
            process = subprocess.run(
                [sys.executable, "-c", program, device],
                env={**os.environ, AUTOLOAD: autoload},
                stdout=subprocess.DEVNULL,
                stderr=file,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"import torch timed out after {_LIMIT_S} s") from None
        file.seek(0)
        lines = [line for line in file.read().splitlines() if line and not line.startswith(" ")]
    exit_code = process.returncode
    if exit_code < 0:
        raise LoadingError(
            f"The process that imports torch was killed by {signal_name(-exit_code)}."
        )
    if exit_code:
        errors = [line for line in lines if "Error" in line.partition(":")[0]]
        raise LoadingError(" Then: ".join(errors[-2:]) or f"It ended with status {exit_code}.")


IntegrationCheck = Callable[[Context], None]

CHECKS: Mapping[str, IntegrationCheck] = {
    # Loading of the device.
    "entry-point": entry_point,
    "import": plain_import,
    "autoload-on": autoload_on,
    "autoload-off": autoload_off,
    # The functions of torch.accelerator.
    "accelerator": device_checks.accelerator,
    "device-guard": device_checks.device_guard,
    "memory": device_checks.memory,
    "random": device_checks.random,
    "rng-state": device_checks.rng_state,
    "second-device": device_checks.second_device,
    "synchronize": device_checks.synchronize,
    # Streams and events.
    "event-timing": device_checks.event_timing,
    "events": device_checks.events,
    "stream-order": device_checks.stream_order,
    "streams": device_checks.streams,
    # Common uses of tensors.
    "copy": copy,
    "in-place": in_place,
    "mixed-devices": mixed_devices,
    "out": out_variants,
    "pinned-memory": pinned_memory,
    "storage": storage,
    "views": views,
    # The rows of features on a platform's page, by the same names.
    "amp": feature_checks.amp,
    "autograd": feature_checks.autograd,
    "checkpoint": feature_checks.checkpoint,
    "compile": feature_checks.compiled,
    "dataloader": feature_checks.dataloader,
    "distributed": process_group_checks.distributed,
    "export": feature_checks.exported,
    "fake-quantization": feature_checks.fake_quantization,
    "fsdp": process_group_checks.fsdp,
    "optimizers": feature_checks.optimizers,
    "process-group": process_group_checks.process_group,
    "profiler": feature_checks.profiler,
    "quantization": feature_checks.quantization,
}


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield a test for each check."""
    return (Offer(name) for name in CHECKS)


def run(case: Case, context: Context) -> Result:
    """Run the check of a test. A check that fails raises an exception.

    Raises SkippedError if this torch lacks an API that the check needs.
    """
    context.stage = "run"
    try:
        CHECKS[case.name](context)
    except AttributeError as error:
        if name := missing_torch_name(error):
            raise SkippedError(missing_api_reason(sys.modules["torch"], name)) from None
        raise
    return Result("passed", "compare")

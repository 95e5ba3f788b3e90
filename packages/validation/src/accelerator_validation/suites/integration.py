"""Runs the suite `integration`: checks that a device is loaded and that PyTorch works on it.

This module does not import torch: if `import torch` fails, the tests of this suite report that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping

from accelerator_validation.case import Case, Result
from accelerator_validation.classify import SkippedError
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import (
    device_checks,
    feature_checks,
    loading_checks,
    process_group_checks,
    tensor_checks,
)
from accelerator_validation.suites.torch_apis import missing_api_reason, missing_torch_name

IntegrationCheck = Callable[[Context], None]

CHECKS: Mapping[str, IntegrationCheck] = {
    # Loading of the device.
    "entry-point": loading_checks.entry_point,
    "import": loading_checks.plain_import,
    "autoload-on": loading_checks.autoload_on,
    "autoload-off": loading_checks.autoload_off,
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
    "copy": tensor_checks.copy,
    "in-place": tensor_checks.in_place,
    "mixed-devices": tensor_checks.mixed_devices,
    "out": tensor_checks.out_variants,
    "pinned-memory": tensor_checks.pinned_memory,
    "storage": tensor_checks.storage,
    "views": tensor_checks.views,
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

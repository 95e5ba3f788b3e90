"""Checks PyTorch features on a device, such as autograd, with small models.

The features are those that a platform's page lists.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from accelerator_reports.environment import device_type
from accelerator_reports.files.wording import count
from accelerator_validation.case import CheckFailedError, describe_error
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.integration_helpers import (
    COARSE,
    network,
    network_inputs,
    reference_network,
    require,
    require_api,
    require_close,
    require_equal,
)

# The profiler's name for the activities of a device; every other device is PrivateUse1.
_ACTIVITIES = {"cuda": "CUDA", "xpu": "XPU", "mtia": "MTIA", "hpu": "HPU"}


def autograd(context: Context) -> None:
    """Check that a small network's gradients match those of the CPU in float64."""
    device_model, reference_model = network(context.device), reference_network()
    inputs = network_inputs()
    device_model(inputs.to(context.device)).square().sum().backward()
    reference_model(inputs.double()).square().sum().backward()
    pairs = zip(device_model.parameters(), reference_model.parameters(), strict=True)
    for parameter, reference in pairs:
        require_close(parameter.grad, reference.grad, "a gradient")


def optimizers(context: Context) -> None:
    """Check that common optimizers change parameters in the same way as on the CPU in float64."""
    import torch

    for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop"):
        trained_parameters = [
            _train_three_steps(torch, model, name)
            for model in (network(context.device), reference_network())
        ]
        for parameter, reference in zip(*trained_parameters, strict=True):
            require_close(parameter, reference, f"a parameter after three steps of {name}")


def amp(context: Context) -> None:
    """Check that autocast computes a product in bfloat16 with correct numbers."""
    import torch

    inputs = network_inputs()
    model = network(context.device)
    with torch.autocast(torch.device(context.device).type, dtype=torch.bfloat16):
        product = model[0](inputs.to(context.device))
    require(
        product.dtype == torch.bfloat16, f"autocast to bfloat16 gave {product.dtype} from Linear"
    )
    reference = reference_network()[0](inputs.double())
    require_close(product, reference, "a product under autocast", COARSE)


def checkpoint(context: Context) -> None:
    """Check that weights can be saved and loaded, and that recomputed activations are correct."""
    import torch
    from torch.utils.checkpoint import checkpoint as recomputed

    model = network(context.device)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.pt")
        torch.save(model.state_dict(), file)
        for device in (context.device, "cpu"):
            loaded = torch.load(file, map_location=device, weights_only=True)
            for name, value in model.state_dict().items():
                require_close(loaded[name], value, f"{name}, loaded to {device}")
    inputs = network_inputs().to(context.device).requires_grad_()
    recomputed(model, inputs, use_reentrant=False).sum().backward()
    plain_inputs = inputs.detach().clone().requires_grad_()
    model(plain_inputs).sum().backward()
    require_close(inputs.grad, plain_inputs.grad, "a gradient with recomputed activations")


def dataloader(context: Context) -> None:
    """Check that a DataLoader with a worker process returns correct batches.

    For other devices than the CPU, the batches are in pinned memory.
    """
    import torch

    data = torch.utils.data.TensorDataset(torch.arange(32.0))
    pinned = torch.device(context.device).type != "cpu"
    loader = torch.utils.data.DataLoader(
        data, batch_size=8, num_workers=1, pin_memory=pinned, multiprocessing_context="fork"
    )
    total = sum(batch.to(context.device, non_blocking=True).sum().item() for (batch,) in loader)
    require(total == sum(range(32)), f"the batches add up to {total}, not {sum(range(32))}")


def profiler(context: Context) -> None:
    """Check that the profiler records a network's operators and activities of the device."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    if device_type(context.device) != "cpu":
        activities.append(
            getattr(ProfilerActivity, _ACTIVITIES.get(device_type(context.device), "PrivateUse1"))
        )
    model = network(context.device)
    with profile(activities=activities) as profile_result:
        model(network_inputs().to(context.device)).sum().item()
    has_layer = any(
        "addmm" in event.key or "linear" in event.key for event in profile_result.key_averages()
    )
    require(has_layer, "the profile of a linear layer does not contain the layer")
    if device_type(context.device) == "cpu":
        return
    has_device_activity = any(
        event.device_type != DeviceType.CPU or getattr(event, "device_time_total", 0) > 0
        for event in profile_result.events()
    )
    require(
        has_device_activity,
        f"the profile has {count(len(profile_result.events()), 'event')}, but none of the device",
    )


def compiled(context: Context) -> None:
    """Check that a model compiled with torch.compile gives the results of the CPU in float64."""
    import torch

    context.stage = "compile"
    model = network(context.device)
    try:
        output = torch.compile(model)(network_inputs().to(context.device))
    except Exception as error:
        if _has_inductor_backend(device_type(context.device)):
            raise
        message = (
            f"Inductor has no backend for {device_type(context.device)}. {describe_error(error)}"
        )
        raise CheckFailedError(message) from error
    context.stage = "compare"
    require_close(
        output, reference_network()(network_inputs().double()), "the compiled model's result"
    )


def _has_inductor_backend(device: str) -> bool:
    """Return whether Inductor can generate code for a device type.

    Call it only after a compilation, which registers Inductor's backends.
    """
    from torch._inductor.codegen.common import get_scheduling_for_device

    return get_scheduling_for_device(device) is not None


def exported(context: Context) -> None:
    """Check that torch.export exports a model on the device, and that the program is correct."""
    import torch

    context.stage = "export"
    inputs = network_inputs().to(context.device)
    program = torch.export.export(network(context.device).eval(), (inputs,))
    context.stage = "run"
    output = program.module()(inputs)
    context.stage = "compare"
    require_close(
        output, reference_network()(network_inputs().double()), "the exported program's result"
    )


def quantization(context: Context) -> None:
    """Check that a matrix product of 8-bit integers is exact.

    Multiplied by the quantization scales, it must also be close to the product in float32.
    """
    import torch

    require_api(torch, "_int_mm")
    generator = torch.Generator().manual_seed(13)
    left_matrix, right_matrix = (torch.randn(32, 32, generator=generator) for _ in range(2))
    scales = [values.abs().amax() / 127 for values in (left_matrix, right_matrix)]
    int8_matrices = [
        torch.round(values / scale).to(torch.int8)
        for values, scale in zip((left_matrix, right_matrix), scales, strict=True)
    ]
    product = torch._int_mm(*(values.to(context.device) for values in int8_matrices))  # noqa: SLF001 - what torchao calls
    reference = int8_matrices[0].int() @ int8_matrices[1].int()
    require_equal(product, reference, "a product of 8-bit integers")
    scaled = product.float() * (scales[0] * scales[1]).to(context.device)
    require_close(
        scaled,
        left_matrix @ right_matrix,
        "a product in 8 bits, scaled",
        {"rtol": 0.05, "atol": 0.3},
    )


def fake_quantization(context: Context) -> None:
    """Check that fake quantization rounds weights to 8 bits and passes gradients through."""
    import torch

    scale, zero = torch.full((4,), 0.05), torch.zeros(4, dtype=torch.int32)
    grid = torch.arange(-8, 8).reshape(4, 4) * 0.05
    values = (grid + 0.01).to(context.device).requires_grad_()
    rounded_values = torch.fake_quantize_per_channel_affine(
        values, scale.to(context.device), zero.to(context.device), 0, -128, 127
    )
    require_close(rounded_values, grid, "values rounded to 8 bits")
    rounded_values.sum().backward()
    require_close(values.grad, torch.ones(4, 4), "a gradient through the rounding")


def _train_three_steps(torch: Any, model: Any, name: str) -> list[Any]:
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01)
    first_parameter = next(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(
            network_inputs().to(first_parameter.device, first_parameter.dtype)
        ).square().sum().backward()
        optimizer.step()
    return [parameter.detach() for parameter in model.parameters()]

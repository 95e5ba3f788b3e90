"""Checks the features that a platform's page lists, such as autograd, with small models."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from accelerator_portal.catalog.wording import count
from accelerator_validation.classify import CheckFailedError, describe_error
from accelerator_validation.context import Context
from accelerator_validation.suites.checking import (
    COARSE,
    network,
    network_inputs,
    reference_network,
    require,
    require_close,
    require_equal,
    tested_device_type,
)
from accelerator_validation.suites.torch_apis import require_api

# The profiler's name for the activities of a device; every other device is PrivateUse1.
_ACTIVITIES = {"cuda": "CUDA", "xpu": "XPU", "mtia": "MTIA", "hpu": "HPU"}


def autograd(context: Context) -> None:
    """Check that a small network's gradients match those of the CPU in float64."""
    there, here = network(context.device), reference_network()
    inputs = network_inputs()
    there(inputs.to(context.device)).square().sum().backward()
    here(inputs.double()).square().sum().backward()
    pairs = zip(there.parameters(), here.parameters(), strict=True)
    for mine, theirs in pairs:
        require_close(mine.grad, theirs.grad, "a gradient")


def optimizers(context: Context) -> None:
    """Check that common optimizers change the parameters as on the CPU in float64."""
    import torch

    for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop"):
        changed = [
            _train_three_steps(torch, model, name)
            for model in (network(context.device), reference_network())
        ]
        for mine, theirs in zip(*changed, strict=True):
            require_close(mine, theirs, f"a parameter after three steps of {name}")


def amp(context: Context) -> None:
    """Check that autocast computes a product in bfloat16 with correct numbers."""
    import torch

    inputs = network_inputs()
    model = network(context.device)
    with torch.autocast(torch.device(context.device).type, dtype=torch.bfloat16):
        found = model[0](inputs.to(context.device))
    require(found.dtype == torch.bfloat16, f"autocast to bfloat16 gave {found.dtype} from Linear")
    wanted = reference_network()[0](inputs.double())
    require_close(found, wanted, "a product under autocast", COARSE)


def checkpoint(context: Context) -> None:
    """Check that a model can be saved and loaded, and that activations can be recomputed."""
    import torch
    from torch.utils.checkpoint import checkpoint as recomputed

    model = network(context.device)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.pt")
        torch.save(model.state_dict(), file)
        for place in (context.device, "cpu"):
            loaded = torch.load(file, map_location=place, weights_only=True)
            for name, value in model.state_dict().items():
                require_close(loaded[name], value, f"{name}, loaded to {place}")
    inputs = network_inputs().to(context.device).requires_grad_()
    recomputed(model, inputs, use_reentrant=False).sum().backward()
    again = inputs.detach().clone().requires_grad_()
    model(again).sum().backward()
    require_close(inputs.grad, again.grad, "a gradient with recomputed activations")


def dataloader(context: Context) -> None:
    """Check that a DataLoader with a worker process returns correct batches.

    If the device is not the CPU, the batches are in pinned memory.
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
    """Check that the profiler shows a network's operators and the device's activities."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    if tested_device_type(context) != "cpu":
        activities.append(
            getattr(ProfilerActivity, _ACTIVITIES.get(tested_device_type(context), "PrivateUse1"))
        )
    model = network(context.device)
    with profile(activities=activities) as seen:
        model(network_inputs().to(context.device)).sum().item()
    named = any("addmm" in event.key or "linear" in event.key for event in seen.key_averages())
    require(named, "the profile of a linear layer does not contain the layer")
    if tested_device_type(context) == "cpu":
        return
    on_device = any(
        event.device_type != DeviceType.CPU or getattr(event, "device_time_total", 0) > 0
        for event in seen.events()
    )
    require(
        on_device, f"the profile has {count(len(seen.events()), 'event')}, but none of the device"
    )


def compiled(context: Context) -> None:
    """Check that a model compiled with torch.compile gives the results of the CPU in float64."""
    import torch

    context.stage = "compile"
    model = network(context.device)
    try:
        found = torch.compile(model)(network_inputs().to(context.device))
    except Exception as error:
        if _has_inductor_backend(tested_device_type(context)):
            raise
        words = (
            f"Inductor has no backend for {tested_device_type(context)}. {describe_error(error)}"
        )
        raise CheckFailedError(words) from error
    context.stage = "compare"
    require_close(
        found, reference_network()(network_inputs().double()), "the compiled model's result"
    )


def _has_inductor_backend(device: str) -> bool:
    """Return whether Inductor can generate code for a device type.

    Call it only after a compilation, which registers Inductor's backends.
    """
    from torch._inductor.codegen.common import get_scheduling_for_device

    return get_scheduling_for_device(device) is not None


def exported(context: Context) -> None:
    """Check that torch.export captures a model on the device, and that the program is correct."""
    import torch

    context.stage = "export"
    there = network_inputs().to(context.device)
    program = torch.export.export(network(context.device).eval(), (there,))
    context.stage = "run"
    found = program.module()(there)
    context.stage = "compare"
    require_close(
        found, reference_network()(network_inputs().double()), "the exported program's result"
    )


def quantization(context: Context) -> None:
    """Check that a product of 8-bit integers is exact, and that its scaled result is close."""
    import torch

    require_api(torch, "_int_mm")
    generator = torch.Generator().manual_seed(13)
    one, two = (torch.randn(32, 32, generator=generator) for _ in range(2))
    scales = [values.abs().amax() / 127 for values in (one, two)]
    small = [
        torch.round(values / scale).to(torch.int8)
        for values, scale in zip((one, two), scales, strict=True)
    ]
    found = torch._int_mm(*(values.to(context.device) for values in small))  # noqa: SLF001 - what torchao calls
    wanted = small[0].int() @ small[1].int()
    require_equal(found, wanted, "a product of 8-bit integers")
    scaled = found.float() * (scales[0] * scales[1]).to(context.device)
    require_close(scaled, one @ two, "a product in 8 bits, scaled", {"rtol": 0.05, "atol": 0.3})


def fake_quantization(context: Context) -> None:
    """Check that fake quantization rounds weights to 8 bits and passes gradients through."""
    import torch

    scale, zero = torch.full((4,), 0.05), torch.zeros(4, dtype=torch.int32)
    grid = torch.arange(-8, 8).reshape(4, 4) * 0.05
    values = (grid + 0.01).to(context.device).requires_grad_()
    found = torch.fake_quantize_per_channel_affine(
        values, scale.to(context.device), zero.to(context.device), 0, -128, 127
    )
    require_close(found, grid, "values rounded to 8 bits")
    found.sum().backward()
    require_close(values.grad, torch.ones(4, 4), "a gradient through the rounding")


def _train_three_steps(torch: Any, model: Any, name: str) -> list[Any]:
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01)
    place = next(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(network_inputs().to(place.device, place.dtype)).square().sum().backward()
        optimizer.step()
    return [parameter.detach() for parameter in model.parameters()]

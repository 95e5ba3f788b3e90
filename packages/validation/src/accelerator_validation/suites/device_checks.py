"""Checks a device, mostly with torch.accelerator: memory, random numbers, streams and events."""

from __future__ import annotations

import time
from typing import Any

from accelerator_reports.environment import device_type
from accelerator_validation.case import CheckFailedError, SkippedError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.integration_helpers import (
    require,
    require_accelerator,
    require_api,
    require_equal,
    select_device,
)

ONE_DEVICE = "This machine has one device, but the check needs two."

# How often a square tensor is changed, and the length of its sides, where work must take a while.
_ROUNDS = 20
_SIDE = 512

# The clocks of the device and of the host may differ, so a longer time is allowed.
_MAX_CLOCK_RATIO = 1.5
_CLOCK_TOLERANCE_MS = 5.0


def accelerator(context: Context) -> None:
    """Check that torch.accelerator finds the device's type, and at least one such device."""
    torch = require_accelerator(context)
    current_device = torch.accelerator.current_accelerator()
    tested_type = device_type(context.device)
    require(
        current_device is not None and current_device.type == tested_type,
        f"torch.accelerator.current_accelerator() is {current_device}, not {tested_type}",
    )
    available = torch.accelerator.is_available() and torch.accelerator.device_count() > 0
    require(available, "torch.accelerator says that no device is available")
    index = torch.accelerator.current_device_index()
    require(0 <= index < torch.accelerator.device_count(), f"the current device is number {index}")


def second_device(context: Context) -> None:
    """Check that tensors are created, computed and copied on a second device."""
    torch = require_accelerator(context)
    if torch.accelerator.device_count() < 2:  # noqa: PLR2004 - two
        raise SkippedError(ONE_DEVICE)
    index_before = torch.accelerator.current_device_index()
    first, second = (torch.device(device_type(context.device), index) for index in (0, 1))
    original = torch.arange(8.0).to(first)
    device_copy = original.to(second)
    require(device_copy.device == second, f"a copy to {second} is on {device_copy.device}")
    product = device_copy * 2
    require(product.device == second, f"a product of the second device is on {product.device}")
    require_equal(product.to(first), torch.arange(8.0) * 2, "a copy from the second device")
    index_after = torch.accelerator.current_device_index()
    require(
        index_after == index_before,
        f"after work on the second device, the current device is {index_after}",
    )


def device_guard(context: Context) -> None:
    """Check that `with torch.device` affects only its block, and that a missing device is an error.

    Afterwards, the current device must be the same as before.
    """
    torch = require_accelerator(context)
    index_before = torch.accelerator.current_device_index()
    last_index = torch.accelerator.device_count() - 1
    with torch.device(device_type(context.device), last_index):
        tensor = torch.empty(2)
    last_device = torch.device(device_type(context.device), last_index)
    require(
        tensor.device == last_device,
        f"a tensor of the block for {last_device} is on {tensor.device}",
    )
    index_after = torch.accelerator.current_device_index()
    require(
        index_after == index_before,
        f"after the block, the current device is {index_after}, not {index_before}",
    )
    _require_device_error(torch, device_type(context.device), last_index + 1)
    index_after = torch.accelerator.current_device_index()
    require(
        index_after == index_before,
        f"after an error, the current device is {index_after}, not {index_before}",
    )


def _require_device_error(torch: Any, name: str, index: int) -> None:
    try:
        tensor = torch.empty(2, device=torch.device(name, index))
    except NotImplementedError:
        raise
    except (RuntimeError, ValueError):
        return
    raise CheckFailedError(
        f"{name}:{index} does not exist, but a tensor for it is on {tensor.device}"
    )


def synchronize(context: Context) -> None:
    """Check that torch.accelerator.synchronize returns."""
    torch = require_accelerator(context)
    torch.ones(8, device=context.device).mul_(2)
    torch.accelerator.synchronize(context.device)


def memory(context: Context) -> None:
    """Check that the memory in use grows with a tensor and shrinks when it is freed."""
    torch = require_accelerator(context)
    require_api(torch, "accelerator.memory_allocated", "accelerator.empty_cache")
    bytes_before = torch.accelerator.memory_allocated(context.device)
    tensor = torch.ones(1 << 20, device=context.device)
    bytes_during = torch.accelerator.memory_allocated(context.device)
    del tensor
    torch.accelerator.empty_cache()
    bytes_after = torch.accelerator.memory_allocated(context.device)
    sizes = f"{bytes_before}, {bytes_during} and {bytes_after} bytes"
    message = f"memory before, during and after a 4 MiB allocation: {sizes}"
    require(bytes_during - bytes_before >= 4 << 20 and bytes_after < bytes_during, message)


def random(context: Context) -> None:
    """Check that seeds and generator states give reproducible random numbers."""
    import torch

    device = context.device

    def draw_numbers(seed: int) -> Any:
        torch.manual_seed(seed)
        return torch.rand(64, device=device).cpu()

    require(torch.equal(draw_numbers(1), draw_numbers(1)), "the same seed gave different numbers")
    require(
        not torch.equal(draw_numbers(1), draw_numbers(2)), "a different seed gave the same numbers"
    )
    values = draw_numbers(3)
    is_spread = 0 <= values.min() <= values.max() < 1 and values.unique().numel() >= 32  # noqa: PLR2004 - of 64
    require(is_spread, "torch.rand gave numbers that are not spread over [0, 1)")
    generator = torch.Generator(device=device).manual_seed(5)
    state = generator.get_state()
    first_draw = torch.rand(8, device=device, generator=generator).cpu()
    generator.set_state(state)
    repeated_draw = torch.rand(8, device=device, generator=generator).cpu()
    require(
        torch.equal(first_draw, repeated_draw),
        "a generator gave different numbers after its state was restored",
    )


def rng_state(context: Context) -> None:
    """Check that the state of the device's random numbers can be saved and restored."""
    import torch

    module = (
        torch if device_type(context.device) == "cpu" else torch.get_device_module(context.device)
    )
    select_device(torch, context.device)
    state = module.get_rng_state()
    first_draw = torch.rand(16, device=context.device).cpu()
    other_draw = torch.rand(16, device=context.device).cpu()
    require(not torch.equal(first_draw, other_draw), "two draws gave the same numbers")
    module.set_rng_state(state)
    repeated_draw = torch.rand(16, device=context.device).cpu()
    require(
        torch.equal(first_draw, repeated_draw),
        "the device generated different numbers after its state was restored",
    )


def streams(context: Context) -> None:
    """Check that two streams differ, and that a stream is current only in its `with` block.

    Waiting for a stream must also work.
    """
    torch = _torch_with_streams(context)
    stream, other_stream = torch.Stream(device=context.device), torch.Stream(device=context.device)
    require(stream != other_stream, "two new streams are the same stream")
    with stream:
        inner_stream = torch.accelerator.current_stream()
        values = torch.ones(1000, device=context.device) * 3
    require(
        inner_stream == stream, "the stream of a with block is not the current stream inside it"
    )
    is_restored = torch.accelerator.current_stream() != stream
    require(is_restored, "a stream is still the current stream after its with block")
    stream.synchronize()
    torch.accelerator.current_stream().wait_stream(stream)
    require_equal(values, torch.full((1000,), 3.0), "the result of a stream")


def stream_order(context: Context) -> None:
    """Check that a stream that waits for another stream's event sees all work before the event."""
    torch = _torch_with_streams(context)
    first_stream, second_stream = (
        torch.Stream(device=context.device),
        torch.Stream(device=context.device),
    )
    require(first_stream != second_stream, "two new streams are the same stream")
    values = torch.zeros(_SIDE, _SIDE, device=context.device)
    torch.accelerator.synchronize(context.device)
    with first_stream:
        for _ in range(_ROUNDS):
            values.add_(1)
    event = first_stream.record_event()
    second_stream.wait_event(event)
    with second_stream:
        value_copy = values.clone()
    second_stream.synchronize()
    require_equal(
        value_copy,
        torch.full((_SIDE, _SIDE), float(_ROUNDS)),
        "the value that the second stream read",
    )


def events(context: Context) -> None:
    """Check that an event that was recorded and waited for is reported as completed."""
    torch = require_accelerator(context)
    select_device(torch, context.device)
    event = torch.Event(device=context.device)
    torch.ones(1000, device=context.device).mul_(2)
    event.record()
    event.synchronize()
    require(event.query(), "an event is reported as not completed after waiting for it")


def event_timing(context: Context) -> None:
    """Check that the time between two events is positive and not much longer than the real time.

    The real time is measured on the CPU, whose clock may differ from that of the device.
    """
    torch = require_accelerator(context)
    select_device(torch, context.device)
    begin, end = (torch.Event(device=context.device, enable_timing=True) for _ in range(2))
    values = torch.ones(_SIDE, _SIDE, device=context.device)
    torch.accelerator.synchronize(context.device)
    started = time.perf_counter()
    begin.record()
    for _ in range(_ROUNDS):
        values = values @ values / _SIDE
    end.record()
    end.synchronize()
    elapsed_ms = (time.perf_counter() - started) * 1000
    event_ms = begin.elapsed_time(end)
    limit_ms = elapsed_ms * _MAX_CLOCK_RATIO + _CLOCK_TOLERANCE_MS
    require(
        0 < event_ms <= limit_ms,
        f"{elapsed_ms:.3f} ms passed, but the events measured {event_ms:.3f} ms",
    )


def _torch_with_streams(context: Context) -> Any:
    torch = require_accelerator(context)
    require_api(torch, "Stream.__enter__", "accelerator.current_stream")
    return torch

"""Checks a device, mostly with torch.accelerator: memory, random numbers, streams and events."""

from __future__ import annotations

import time
from typing import Any

from accelerator_validation.classify import SkippedError
from accelerator_validation.context import Context
from accelerator_validation.suites.checking import (
    require,
    require_accelerator,
    require_equal,
    tested_device_type,
)
from accelerator_validation.suites.torch_apis import require_api

ONE_DEVICE = "This machine has one device, but the check needs two."


def accelerator(context: Context) -> None:
    """Check that torch.accelerator finds the device, and at least one device of its type."""
    torch = require_accelerator(context)
    found = torch.accelerator.current_accelerator()
    named = found is not None and found.type == tested_device_type(context)
    require(
        named,
        f"torch.accelerator.current_accelerator() is {found}, not {tested_device_type(context)}",
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
    first, second = (torch.device(tested_device_type(context), index) for index in (0, 1))
    here = torch.arange(8.0).to(first)
    there = here.to(second)
    require(there.device == second, f"a copy to {second} is on {there.device}")
    product = there * 2
    require(product.device == second, f"a product of the second device is on {product.device}")
    require_equal(product.to(first), torch.arange(8.0) * 2, "a copy from the second device")
    current = torch.accelerator.current_device_index()
    require(current == 0, f"after work on the second device, the current device is {current}")


def device_guard(context: Context) -> None:
    """Check that `with torch.device` affects only its block, and that a missing device is an error.

    Afterwards, the current device must be the same as before.
    """
    torch = require_accelerator(context)
    before = torch.accelerator.current_device_index()
    last = torch.accelerator.device_count() - 1
    with torch.device(tested_device_type(context), last):
        made = torch.empty(2)
    wanted = torch.device(tested_device_type(context), last)
    require(made.device == wanted, f"a tensor of the block for {wanted} is on {made.device}")
    after = torch.accelerator.current_device_index()
    require(after == before, f"after the block, the current device is {after}, not {before}")
    _require_device_error(torch, tested_device_type(context), last + 1)
    after = torch.accelerator.current_device_index()
    require(after == before, f"after an error, the current device is {after}, not {before}")


def _require_device_error(torch: Any, name: str, index: int) -> None:
    try:
        found = torch.empty(2, device=torch.device(name, index))
    except NotImplementedError:
        raise
    except (RuntimeError, ValueError):
        return
    require(False, f"{name}:{index} does not exist, but a tensor for it is on {found.device}")  # noqa: FBT003


def synchronize(context: Context) -> None:
    """Check that torch.accelerator.synchronize returns."""
    torch = require_accelerator(context)
    torch.ones(8, device=context.device).mul_(2)
    torch.accelerator.synchronize(context.device)


def memory(context: Context) -> None:
    """Check that the memory in use grows with a tensor and shrinks when it is freed."""
    torch = require_accelerator(context)
    require_api(torch, "accelerator.memory_allocated", "accelerator.empty_cache")
    before = torch.accelerator.memory_allocated(context.device)
    held = torch.ones(1 << 20, device=context.device)
    during = torch.accelerator.memory_allocated(context.device)
    del held
    torch.accelerator.empty_cache()
    after = torch.accelerator.memory_allocated(context.device)
    message = (
        f"memory before, during and after a 4 MiB allocation: {before}, {during} and {after} bytes"
    )
    require(during - before >= 4 << 20 and after < during, message)


def random(context: Context) -> None:
    """Check that seeds and generator states give reproducible random numbers."""
    import torch

    device = context.device

    def drawn(seed: int) -> Any:
        torch.manual_seed(seed)
        return torch.rand(64, device=device).cpu()

    require(torch.equal(drawn(1), drawn(1)), "the same seed gave different numbers")
    require(not torch.equal(drawn(1), drawn(2)), "a different seed gave the same numbers")
    values = drawn(3)
    spread = 0 <= values.min() <= values.max() < 1 and values.unique().numel() >= 32  # noqa: PLR2004 - of 64
    require(spread, "torch.rand gave numbers that are not spread over [0, 1)")
    generator = torch.Generator(device=device).manual_seed(5)
    state = generator.get_state()
    first = torch.rand(8, device=device, generator=generator).cpu()
    generator.set_state(state)
    again = torch.rand(8, device=device, generator=generator).cpu()
    require(
        torch.equal(first, again), "a generator gave different numbers after its state was restored"
    )


def rng_state(context: Context) -> None:
    """Check that the state of the device's random numbers can be saved and restored."""
    import torch

    module = (
        torch if tested_device_type(context) == "cpu" else torch.get_device_module(context.device)
    )
    state = module.get_rng_state()
    first = torch.rand(16, device=context.device).cpu()
    other = torch.rand(16, device=context.device).cpu()
    require(not torch.equal(first, other), "two draws gave the same numbers")
    module.set_rng_state(state)
    again = torch.rand(16, device=context.device).cpu()
    require(
        torch.equal(first, again),
        "the device generated different numbers after its state was restored",
    )


_ROUNDS = 20
_SIDE = 512

# The clocks of the device and of the host may differ, so a longer time is allowed.
_CLOCKS = 1.5
_CLOCKS_MS = 5.0


def streams(context: Context) -> None:
    """Check that streams differ, are current only in their `with` block, and can be waited for."""
    torch = _torch_with_streams(context)
    stream, other = torch.Stream(device=context.device), torch.Stream(device=context.device)
    require(stream != other, "two new streams are the same stream")
    with stream:
        inside = torch.accelerator.current_stream()
        values = torch.ones(1000, device=context.device) * 3
    require(inside == stream, "the stream of a with block is not the current stream inside it")
    left = torch.accelerator.current_stream() != stream
    require(left, "a stream is still the current stream after its with block")
    stream.synchronize()
    torch.accelerator.current_stream().wait_stream(stream)
    require_equal(values, torch.full((1000,), 3.0), "the result of a stream")


def stream_order(context: Context) -> None:
    """Check that a stream that waits for another's event sees all work before the event."""
    torch = _torch_with_streams(context)
    first, second = torch.Stream(device=context.device), torch.Stream(device=context.device)
    require(first != second, "two new streams are the same stream")
    values = torch.zeros(_SIDE, _SIDE, device=context.device)
    torch.accelerator.synchronize(context.device)
    with first:
        for _ in range(_ROUNDS):
            values.add_(1)
    done = first.record_event()
    second.wait_event(done)
    with second:
        seen = values.clone()
    second.synchronize()
    require_equal(
        seen,
        torch.full((_SIDE, _SIDE), float(_ROUNDS)),
        "the value that the second stream read",
    )


def events(context: Context) -> None:
    """Check that an event is completed after it was recorded and waited for."""
    torch = require_accelerator(context)
    event = torch.Event(device=context.device)
    torch.ones(1000, device=context.device).mul_(2)
    event.record()
    event.synchronize()
    require(event.query(), "an event is reported as not completed after waiting for it")


def event_timing(context: Context) -> None:
    """Check that the time between two events is positive and not longer than the wall-clock time.

    The clocks of device and host may differ, so somewhat longer times are allowed.
    """
    torch = require_accelerator(context)
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
    found = begin.elapsed_time(end)
    most = elapsed_ms * _CLOCKS + _CLOCKS_MS
    require(
        0 < found <= most, f"{elapsed_ms:.3f} ms passed, but the events measured {found:.3f} ms"
    )


def _torch_with_streams(context: Context) -> Any:
    torch = require_accelerator(context)
    require_api(torch, "Stream.__enter__", "accelerator.current_stream")
    return torch

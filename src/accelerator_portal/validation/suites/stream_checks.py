"""Streams and events: work that waits for other work, and how long it took."""

from __future__ import annotations

import time
from typing import Any

from accelerator_portal.validation.context import Context
from accelerator_portal.validation.suites.checking import accelerated, require, require_equal
from accelerator_portal.validation.suites.torch_apis import need_api

_ROUNDS = 20
_SIDE = 512

# A device's clock and the host's are two; what lies between is allowed once more.
_CLOCKS = 1.5
_CLOCKS_MS = 5.0


def streams(context: Context) -> None:
    """Two streams are two, the one in use is the current one, and waiting for it is enough."""
    torch = _with_streams(context)
    stream, other = torch.Stream(device=context.device), torch.Stream(device=context.device)
    require(stream != other, "two new streams are the same stream")
    with stream:
        inside = torch.accelerator.current_stream()
        values = torch.ones(1000, device=context.device) * 3
    require(inside == stream, "the stream of a with block is not the current stream inside it")
    require(torch.accelerator.current_stream() != stream, "a stream stays current after its block")
    stream.synchronize()
    torch.accelerator.current_stream().wait_stream(stream)
    require_equal(values, torch.full((1000,), 3.0), "what a stream computed")


def stream_order(context: Context) -> None:
    """A stream that waits for an event of another one sees all that came before the event."""
    torch = _with_streams(context)
    first, second = torch.Stream(device=context.device), torch.Stream(device=context.device)
    require(first != second, "two new streams are the same stream")
    values = torch.zeros(_SIDE, _SIDE, device=context.device)
    torch.accelerator.synchronize()
    with first:
        for _ in range(_ROUNDS):
            values.add_(1)
    done = first.record_event()
    second.wait_event(done)
    with second:
        seen = values.clone()
    second.synchronize()
    require_equal(seen, torch.full((_SIDE, _SIDE), float(_ROUNDS)), "what the second stream saw")


def events(context: Context) -> None:
    """An event that was recorded and waited for has happened."""
    torch = accelerated(context)
    event = torch.Event(device=context.device)
    torch.ones(1000, device=context.device).mul_(2)
    event.record()
    event.synchronize()
    require(event.query(), "an event is reported as not completed after waiting for it")


def event_timing(context: Context) -> None:
    """The time between two events is more than nothing, and no more than really passed."""
    torch = accelerated(context)
    begin, end = (torch.Event(device=context.device, enable_timing=True) for _ in range(2))
    values = torch.ones(_SIDE, _SIDE, device=context.device)
    torch.accelerator.synchronize()
    started = time.perf_counter()
    begin.record()
    for _ in range(_ROUNDS):
        values = values @ values / _SIDE
    end.record()
    end.synchronize()
    passed = (time.perf_counter() - started) * 1000
    found = begin.elapsed_time(end)
    most = passed * _CLOCKS + _CLOCKS_MS
    require(0 < found <= most, f"{passed:.3f} ms passed, but the events measured {found:.3f} ms")


def _with_streams(context: Context) -> Any:
    torch = accelerated(context)
    need_api(torch, "Stream.__enter__", "accelerator.current_stream")
    return torch

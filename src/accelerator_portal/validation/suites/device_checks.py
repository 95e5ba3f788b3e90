"""What torch.accelerator and tensors say of a device: copies, views, streams, events, memory."""

from __future__ import annotations

from typing import Any

from accelerator_portal.validation.classify import MismatchError, SkippedError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.suites.torch_apis import need_api

_ON_CPU = "torch.accelerator is about devices beside the CPU; it has none for the CPU."


def accelerator(context: Context) -> None:
    """torch.accelerator names the device, is available, and counts at least one."""
    torch = _accelerated(context)
    found = torch.accelerator.current_accelerator()
    wanted = torch.device(context.device).type
    if found is None or found.type != wanted:
        raise MismatchError(f"torch.accelerator.current_accelerator() is {found}, not {wanted}")
    if not torch.accelerator.is_available() or torch.accelerator.device_count() < 1:
        raise MismatchError("torch.accelerator says that no device is available")
    index = torch.accelerator.current_device_index()
    if not 0 <= index < torch.accelerator.device_count():
        raise MismatchError(f"the current device has the index {index}")


def copy(context: Context) -> None:
    """Numbers come back as they were sent, in every usual type, contiguous or not."""
    torch = _torch()
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
            back = form.to(context.device).cpu()
            if back.dtype != dtype or not torch.equal(back, form):
                raise MismatchError(
                    f"a copy of {dtype} with strides {form.stride()} came back wrong"
                )
    there = torch.ones(4, device=context.device).to(torch.int32)
    if there.dtype != torch.int32 or there.cpu().tolist() != [1] * 4:
        raise MismatchError("a conversion on the device gave another type or other numbers")
    if torch.ones(3).to(context.device, non_blocking=True).sum().item() != 3:  # noqa: PLR2004 - ones
        raise MismatchError("a copy that does not wait was not there when it was read")


def mixed_devices(context: Context) -> None:
    """A tensor on the device and one on the CPU are not added silently."""
    torch = _accelerated(context)
    try:
        torch.ones(2, device=context.device) + torch.ones(2)
    except RuntimeError:
        return
    raise MismatchError("a tensor on the device and one on the CPU were added without an error")


def views(context: Context) -> None:
    """A change through a view is seen in its base, also after a transposition."""
    torch = _torch()
    base = torch.zeros(3, 4, device=context.device)
    base.t()[1].fill_(2.0)
    base.view(-1)[::5].add_(1.0)
    wanted = torch.zeros(3, 4)
    wanted.t()[1].fill_(2.0)
    wanted.view(-1)[::5].add_(1.0)
    if not torch.equal(base.cpu(), wanted):
        raise MismatchError("a change through a view did not reach its base")


def random(context: Context) -> None:
    """A seed gives the same numbers twice, another seed others, and a generator keeps its state."""
    torch = _torch()
    device = context.device

    def drawn(seed: int) -> Any:
        torch.manual_seed(seed)
        return torch.rand(64, device=device).cpu()

    if not torch.equal(drawn(1), drawn(1)):
        raise MismatchError("the same seed gave other numbers")
    if torch.equal(drawn(1), drawn(2)):
        raise MismatchError("another seed gave the same numbers")
    values = drawn(3)
    if not 0 <= values.min() <= values.max() < 1 or values.unique().numel() < 32:  # noqa: PLR2004 - of 64
        raise MismatchError("torch.rand gave numbers that are not spread over [0, 1)")
    context.stage = "run"
    generator = torch.Generator(device=device).manual_seed(5)
    state = generator.get_state()
    first = torch.rand(8, device=device, generator=generator).cpu()
    generator.set_state(state)
    if not torch.equal(first, torch.rand(8, device=device, generator=generator).cpu()):
        raise MismatchError("a generator whose state was put back gave other numbers")


def synchronize(context: Context) -> None:
    """torch.accelerator.synchronize returns."""
    torch = _accelerated(context)
    torch.ones(8, device=context.device).mul_(2)
    torch.accelerator.synchronize()


def streams(context: Context) -> None:
    """Work on a stream of its own is done after that stream was waited for."""
    torch = _accelerated(context)
    need_api(torch, "Stream.__enter__")
    stream = torch.Stream(device=context.device)
    with stream:
        values = torch.ones(1000, device=context.device) * 3
    stream.synchronize()
    torch.accelerator.current_stream().wait_stream(stream)
    if values.sum().item() != 3000:  # noqa: PLR2004 - a thousand threes
        raise MismatchError("what a stream computed was not there after waiting for it")


def events(context: Context) -> None:
    """An event that was recorded and waited for has happened."""
    torch = _accelerated(context)
    event = torch.Event(device=context.device)
    torch.ones(1000, device=context.device).mul_(2)
    event.record()
    event.synchronize()
    if not event.query():
        raise MismatchError("an event that was waited for says that it has not happened")


def memory(context: Context) -> None:
    """The memory in use grows with a tensor and shrinks when it is gone."""
    torch = _accelerated(context)
    need_api(torch, "accelerator.memory_allocated", "accelerator.empty_cache")
    before = torch.accelerator.memory_allocated()
    held = torch.ones(1 << 20, device=context.device)
    during = torch.accelerator.memory_allocated()
    del held
    torch.accelerator.empty_cache()
    after = torch.accelerator.memory_allocated()
    if during - before < 4 << 20 or after >= during:
        raise MismatchError(f"with 4 MiB more or less it said {before}, {during} and {after} bytes")


def _torch() -> Any:
    import torch

    return torch


def _accelerated(context: Context) -> Any:
    """Return torch, for a check that means nothing on the CPU."""
    torch = _torch()
    if torch.device(context.device).type == "cpu":
        raise SkippedError(_ON_CPU)
    return torch

"""Features that a platform's page has rows for, each tried with a small model."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from accelerator_portal.validation.classify import MismatchError, SkippedError
from accelerator_portal.validation.context import Context

_CLOSE = {"rtol": 1e-3, "atol": 1e-4}
_COARSE = {"rtol": 3e-2, "atol": 3e-2}


def autograd(context: Context) -> None:
    """Gradients of a small network are those of the CPU."""
    torch = _torch()
    there, here = _network(context.device), _reference()
    inputs = _inputs()
    there(inputs.to(context.device)).square().sum().backward()
    here(inputs.to(_wide(here))).square().sum().backward()
    pairs = zip(there.parameters(), here.parameters(), strict=True)
    for mine, theirs in pairs:
        _close(torch, mine.grad, theirs.grad, "a gradient")


def optimizers(context: Context) -> None:
    """Three steps of each usual optimiser change the parameters as on the CPU."""
    torch = _torch()
    for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop"):
        changed = [_steps(torch, model, name) for model in (_network(context.device), _reference())]
        for mine, theirs in zip(*changed, strict=True):
            _close(torch, mine, theirs, f"a parameter after three steps of {name}")


def amp(context: Context) -> None:
    """Autocast computes a product in bfloat16, near the right numbers; float16 where offered."""
    torch = _torch()
    inputs = _inputs()
    model = _network(context.device)
    with torch.autocast(torch.device(context.device).type, dtype=torch.bfloat16):
        found = model[0](inputs.to(context.device))
    if found.dtype != torch.bfloat16:
        raise MismatchError(f"autocast to bfloat16 gave {found.dtype}")
    wanted = _reference()[0](inputs.double())
    _close(torch, found, wanted, "a product under autocast", _COARSE)


def checkpoint(context: Context) -> None:
    """A model is saved and loaded, on the device and on the CPU; activations are recomputed."""
    torch = _torch()
    from torch.utils.checkpoint import checkpoint as recomputed

    model = _network(context.device)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.pt")
        torch.save(model.state_dict(), file)
        for place in (context.device, "cpu"):
            loaded = torch.load(file, map_location=place, weights_only=True)
            for name, value in model.state_dict().items():
                _close(torch, loaded[name], value, f"{name}, loaded to {place}")
    inputs = _inputs().to(context.device).requires_grad_()
    recomputed(model, inputs, use_reentrant=False).sum().backward()
    again = inputs.detach().clone().requires_grad_()
    model(again).sum().backward()
    _close(torch, inputs.grad, again.grad, "a gradient with recomputed activations")


def dataloader(context: Context) -> None:
    """Batches come from a worker process, from pinned memory where there is any, and arrive."""
    torch = _torch()
    data = torch.utils.data.TensorDataset(torch.arange(32.0))
    pinned = torch.device(context.device).type != "cpu"
    loader = torch.utils.data.DataLoader(
        data, batch_size=8, num_workers=1, pin_memory=pinned, multiprocessing_context="fork"
    )
    total = sum(batch.to(context.device, non_blocking=True).sum().item() for (batch,) in loader)
    if total != 496:  # noqa: PLR2004 - 0 + 1 + … + 31
        raise MismatchError(f"the batches add up to {total}, not 496")


def distributed(context: Context) -> None:
    """A process group of one comes up with the device's own backend, and adds."""
    torch = _torch()
    dist = torch.distributed
    if not dist.is_available():
        raise SkippedError("This torch was built without torch.distributed.")
    backend = dist.get_default_backend_for_device(torch.device(context.device))
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group(backend, init_method=f"file://{folder}/store", rank=0, world_size=1)
        try:
            values = torch.full((4,), 2.0, device=context.device)
            dist.all_reduce(values)
        finally:
            dist.destroy_process_group()
    if values.cpu().tolist() != [2.0] * 4:
        raise MismatchError(f"all_reduce of one process gave {values.cpu().tolist()}")


def profiler(context: Context) -> None:
    """The profiler sees the operators of a small network, also those on the device."""
    torch = _torch()
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    own = {"cuda": "CUDA", "xpu": "XPU", "mtia": "MTIA", "hpu": "HPU"}
    kind = torch.device(context.device).type
    if kind != "cpu":
        activities.append(getattr(ProfilerActivity, own.get(kind, "PrivateUse1")))
    model = _network(context.device)
    with profile(activities=activities) as seen:
        model(_inputs().to(context.device)).sum().item()
    if not any("addmm" in event.key or "linear" in event.key for event in seen.key_averages()):
        raise MismatchError("the profile of a linear layer does not name it")


def compiled(context: Context) -> None:
    """torch.compile with its usual compiler gives the results of the eager model."""
    torch = _torch()
    context.stage = "compile"
    model = _network(context.device)
    found = torch.compile(model)(_inputs().to(context.device))
    context.stage = "compare"
    _close(torch, found, _reference()(_inputs().double()), "the compiled model's result")


def quantization(context: Context) -> None:
    """Linear layers in 8 bits, scaled per row, stay near the result in full precision."""
    torch = _torch()
    weight, inputs = _network("cpu")[0].weight.detach(), _inputs()
    scale = weight.abs().amax(dim=1, keepdim=True) / 127
    small = torch.round(weight / scale).to(torch.int8).to(context.device)
    there = inputs.to(context.device)
    found = there @ (small.to(torch.float32) * scale.to(context.device)).t()
    _close(torch, found, inputs.double() @ weight.double().t(), "an 8-bit product", _COARSE)


def _steps(torch: Any, model: Any, name: str) -> list[Any]:
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01)
    place = next(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(_inputs().to(place.device, place.dtype)).square().sum().backward()
        optimizer.step()
    return [parameter.detach() for parameter in model.parameters()]


def _network(device: str) -> Any:
    """Return a small network with the same weights each time."""
    torch = _torch()
    torch.manual_seed(11)
    layers = torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32)
    return torch.nn.Sequential(*layers, torch.nn.Linear(32, 4)).to(device)


def _reference() -> Any:
    """Return the same network on the CPU, in float64: a reference for the CPU, too."""
    return _network("cpu").double()


def _inputs() -> Any:
    torch = _torch()
    return torch.randn(8, 16, generator=torch.Generator().manual_seed(12))


def _wide(model: Any) -> Any:
    return next(model.parameters()).dtype


def _close(
    torch: Any,
    found: Any,
    wanted: Any,
    what: str,
    room: dict[str, float] = _CLOSE,
) -> None:
    one, other = found.detach().cpu().double(), wanted.detach().cpu().double()
    try:
        torch.testing.assert_close(one, other, **room)
    except AssertionError as error:
        raise MismatchError(f"{what}: {error}") from None


def _torch() -> Any:
    import torch

    return torch

"""Process groups of two: collectives and sharded training, a device for each process."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from accelerator_portal.validation.classify import SkippedError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.side_process import Output, SideProcess
from accelerator_portal.validation.suites import process_group_member
from accelerator_portal.validation.suites.checking import (
    kind,
    network_inputs,
    reference,
    require,
    require_close,
    torch_module,
)
from accelerator_portal.validation.suites.device_checks import ONE_DEVICE
from accelerator_portal.validation.suites.torch_apis import need_api

_WORLD = 2
_LIMIT_S = 240.0


def process_group(context: Context) -> None:
    """A process group of one comes up with the device's own backend, and adds."""
    (found,) = _run(context, "collectives", world=1)
    require(found["sum"] == [1.0] * 4, f"all_reduce of one process gave {found['sum']}")


def distributed(context: Context) -> None:
    """Two processes add, gather and broadcast; each gets the numbers of both."""
    _needs_two(context)
    for rank, found in enumerate(_run(context, "collectives", world=_WORLD)):
        wanted = {"sum": [3.0] * 4, "gathered": [1.0, 2.0], "broadcast": [1.0] * 4}
        for name, numbers in wanted.items():
            require(found[name] == numbers, f"{name} of rank {rank}: {found[name]}, not {numbers}")


def fsdp(context: Context) -> None:
    """A step of a model that two processes share changes its weights as on the CPU alone."""
    torch = _needs_two(context)
    need_api(torch, "distributed.fsdp.fully_shard")
    model = reference()
    optimizer = torch.optim.SGD(model.parameters(), lr=process_group_member.LEARNING_RATE)
    model(network_inputs().double()).square().mean().backward()
    optimizer.step()
    for rank, found in enumerate(_run(context, "sharded", world=_WORLD)):
        require(found["sharded"], f"rank {rank} has whole parameters: they were not sharded")
        for name, value in model.state_dict().items():
            numbers = torch.tensor(found["state"][name])
            require_close(numbers, value, f"{name} of rank {rank} after a step")


def _needs_two(context: Context) -> Any:
    """Return torch; raises SkippedError where two processes cannot have a device each."""
    torch = torch_module()
    if not torch.distributed.is_available():
        raise SkippedError("This build of torch doesn't include torch.distributed.")
    if kind(context) != "cpu" and torch.accelerator.device_count() < _WORLD:
        raise SkippedError(ONE_DEVICE)
    return torch


def _run(
    context: Context, what: Literal["collectives", "sharded"], world: int
) -> list[dict[str, Any]]:
    """Run a member program on each rank; return what each wrote, in the order of the ranks."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as all_of_them:
        members = [
            all_of_them.enter_context(
                SideProcess(
                    process_group_member.__name__,
                    *(what, context.device, context.imports, folder, str(rank), str(world)),
                )
            )
            for rank in range(world)
        ]
        ends = [member.wait(_LIMIT_S) for member in members]
        for rank, end in enumerate(ends):
            require(end.status == 0, f"rank {rank} of {world} {_why(end)}")
        results = [Path(folder, f"{rank}.json") for rank in range(world)]
        return [json.loads(result.read_text("utf-8")) for result in results]


def _why(end: Output) -> str:
    if end.status is None:
        return f"did not end within {_LIMIT_S:g} s."
    lines = [line for line in end.stderr.splitlines() if "Error" in line and line[0] != " "]
    return f"ended with status {end.status}. {lines[-1] if lines else end.stderr[-300:]}"

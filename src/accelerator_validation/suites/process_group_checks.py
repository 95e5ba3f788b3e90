"""Checks process groups, collectives and sharded training, with one process or two."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from accelerator_validation.classify import SkippedError
from accelerator_validation.side_process import ProcessOutput, SideProcess
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.device_checks import ONE_DEVICE
from accelerator_validation.suites.integration_helpers import (
    network,
    network_inputs,
    reference_network,
    require,
    require_close,
    tested_device_type,
)
from accelerator_validation.suites.torch_apis import require_api

_WORLD_SIZE = 2
_LIMIT_S = 240.0


def process_group(context: Context) -> None:
    """Check that a process group of one process works with the device's own backend."""
    (results,) = _run_processes(context, "collectives", world=1)
    require(results["sum"] == [1.0] * 4, f"all_reduce of one process gave {results['sum']}")


def distributed(context: Context) -> None:
    """Check that two processes can reduce, gather and broadcast numbers."""
    _torch_for_two_processes(context)
    for rank, results in enumerate(_run_processes(context, "collectives", world=_WORLD_SIZE)):
        expected = {"sum": [3.0] * 4, "gathered": [1.0, 2.0], "broadcast": [1.0] * 4}
        for name, numbers in expected.items():
            require(
                results[name] == numbers, f"{name} of rank {rank}: {results[name]}, not {numbers}"
            )


def fsdp(context: Context) -> None:
    """Check that a training step on a sharded model gives the weights of the CPU in float64."""
    torch = _torch_for_two_processes(context)
    require_api(torch, "distributed.fsdp.fully_shard")
    model = reference_network()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model(network_inputs().double()).square().mean().backward()
    optimizer.step()
    for rank, results in enumerate(_run_processes(context, "sharded", world=_WORLD_SIZE)):
        require(results["sharded"], f"rank {rank} has whole parameters: they were not sharded")
        for name, value in model.state_dict().items():
            numbers = torch.tensor(results["state"][name])
            require_close(numbers, value, f"{name} of rank {rank} after a step")


def _torch_for_two_processes(context: Context) -> Any:
    """Import torch and return the module, for checks with two processes.

    Raises SkippedError if torch lacks torch.distributed, or if the machine lacks a second device.
    """
    import torch

    if not torch.distributed.is_available():
        raise SkippedError("This build of torch doesn't include torch.distributed.")
    if tested_device_type(context) != "cpu" and torch.accelerator.device_count() < _WORLD_SIZE:
        raise SkippedError(ONE_DEVICE)
    return torch


def _run_processes(
    context: Context, function_name: Literal["collectives", "sharded"], world: int
) -> list[dict[str, Any]]:
    """Run `function_name` in `world` processes, and return the result of each rank in order.

    Raises CheckFailedError if a process fails or takes more than 4 minutes.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as exit_stack:
        processes = [
            exit_stack.enter_context(
                SideProcess(
                    __name__,
                    *(
                        function_name,
                        context.device,
                        context.imports,
                        folder,
                        str(rank),
                        str(world),
                    ),
                )
            )
            for rank in range(world)
        ]
        outputs = [process.wait(_LIMIT_S) for process in processes]
        for rank, output in enumerate(outputs):
            require(output.status == 0, f"rank {rank} of {world} {_failure_text(output)}")
        result_files = [Path(folder, f"{rank}.json") for rank in range(world)]
        return [json.loads(result_file.read_text("utf-8")) for result_file in result_files]


def _failure_text(output: ProcessOutput) -> str:
    if output.status is None:
        return f"did not end within {_LIMIT_S:g} s."
    lines = [line for line in output.stderr.splitlines() if "Error" in line and line[0] != " "]
    return f"ended with status {output.status}. {lines[-1] if lines else output.stderr[-300:]}"


# One process of a group: `python -m … WHAT DEVICE IMPORTS FOLDER RANK WORLD`.
#
# Writes its results to RANK.json in the folder, through which the processes also find each other.

LEARNING_RATE = 0.1


def main() -> None:
    """Run one process of a group, and write the result of its function to `{rank}.json`.

    The command-line arguments are the function, device, module to import, folder, rank and number
    of processes.
    """
    function_name, device, imports, folder, rank, world = sys.argv[1:]
    import torch

    if imports:
        importlib.import_module(imports)
    rank_device = _rank_device(torch, device, int(rank), int(world))
    dist = torch.distributed
    backend = dist.get_default_backend_for_device(torch.device(device).type)
    store = f"file://{Path(folder, 'store').as_posix()}"
    dist.init_process_group(backend, init_method=store, rank=int(rank), world_size=int(world))
    try:
        results = {"collectives": collectives, "sharded": sharded}[function_name](rank_device)
        dist.barrier()
    finally:
        dist.destroy_process_group()
    Path(folder, f"{rank}.json").write_text(json.dumps(results), "utf-8")


def _rank_device(torch: Any, device: str, rank: int, world: int) -> str:
    """Return the device of a rank, such as `cuda:1`. If it has an index, make it current.

    `world` is the number of processes.
    """
    if torch.device(device).type == "cpu":
        return "cpu"
    if world > 1:
        device = f"{torch.device(device).type}:{rank}"
    if torch.device(device).index is not None:
        torch.accelerator.set_device_index(torch.device(device).index)
    return device


def collectives(device: str) -> dict[str, list[float]]:
    """Run three collectives, and return their results on this rank.

    The keys are `sum` (all_reduce), `gathered` (all_gather) and `broadcast`. The input is different
    on each rank.
    """
    import torch

    dist = torch.distributed
    rank_value = float(dist.get_rank() + 1)
    summed = torch.full((4,), rank_value, device=device)
    dist.all_reduce(summed)
    gathered = torch.zeros(dist.get_world_size(), device=device)
    dist.all_gather_into_tensor(gathered, torch.full((1,), rank_value, device=device))
    sent = torch.full((4,), rank_value, device=device)
    dist.broadcast(sent, src=0)
    results = {"sum": summed, "gathered": gathered, "broadcast": sent}
    return {name: values.cpu().tolist() for name, values in results.items()}


def sharded(device: str) -> dict[str, Any]:
    """Run one training step on a sharded network.

    Returns two keys: `sharded` is true if every weight was split, and `state` has the full weights
    after the step by name.
    """
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(torch.device(device).type, (torch.distributed.get_world_size(),))
    model = network(device)
    fully_shard(model, mesh=mesh)
    weights = model.state_dict()
    split_flags = [weight.to_local().numel() < weight.numel() for weight in weights.values()]
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model(network_inputs().to(device)).square().mean().backward()
    optimizer.step()
    state = {k: v.full_tensor().detach().cpu().tolist() for k, v in model.state_dict().items()}
    return {"sharded": all(split_flags), "state": state}


if __name__ == "__main__":
    main()

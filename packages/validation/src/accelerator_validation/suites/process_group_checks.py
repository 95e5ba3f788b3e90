"""Checks process groups, collectives and sharded training, with one process or two."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from accelerator_reports.environment import device_type
from accelerator_validation.case import SkippedError
from accelerator_validation.side_process import ProcessOutput, SideProcess
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.device_checks import ONE_DEVICE
from accelerator_validation.suites.integration_helpers import (
    network,
    network_inputs,
    reference_network,
    require,
    require_api,
    require_close,
    select_device,
)

_WORLD_SIZE = 2
_LEARNING_RATE = 0.1

# Less than the time limit of a test, after which the processes of a group would not be killed.
_LIMIT_S = 150.0


def process_group(context: Context) -> None:
    """Check that a process group of one process works with the device's own backend."""
    _torch_for_processes(context, 1)
    (results,) = _run_processes(context, "collectives", 1)
    require(results["sum"] == [1.0] * 4, f"all_reduce of one process gave {results['sum']}")


def distributed(context: Context) -> None:
    """Check that two processes can reduce, gather and broadcast numbers."""
    _torch_for_processes(context, _WORLD_SIZE)
    for rank, results in enumerate(_run_processes(context, "collectives", _WORLD_SIZE)):
        expected = {"sum": [3.0] * 4, "gathered": [1.0, 2.0], "broadcast": [1.0] * 4}
        for name, numbers in expected.items():
            require(
                results[name] == numbers, f"{name} of rank {rank}: {results[name]}, not {numbers}"
            )


def fsdp(context: Context) -> None:
    """Check that a training step on a sharded model gives the weights of the CPU in float64."""
    torch = _torch_for_processes(context, _WORLD_SIZE)
    importlib.import_module("torch.distributed.fsdp")  # `import torch` does not import it
    require_api(torch, "distributed.fsdp.fully_shard")
    model = reference_network()
    optimizer = torch.optim.SGD(model.parameters(), lr=_LEARNING_RATE)
    model(network_inputs().double()).square().mean().backward()
    optimizer.step()
    for rank, results in enumerate(_run_processes(context, "sharded", _WORLD_SIZE)):
        require(results["sharded"], f"rank {rank} has whole parameters: they were not sharded")
        for name, value in model.state_dict().items():
            numbers = torch.tensor(results["state"][name])
            require_close(numbers, value, f"{name} of rank {rank} after a step")


def _torch_for_processes(context: Context, world: int) -> Any:
    """Import torch and return the module, for checks with `world` processes, one on each device.

    Raises SkippedError if torch lacks torch.distributed, or if the machine has too few devices.
    """
    import torch

    if not torch.distributed.is_available():
        raise SkippedError("This build of torch doesn't include torch.distributed.")
    needs_devices = world > 1 and device_type(context.device) != "cpu"
    if needs_devices and torch.accelerator.device_count() < world:
        raise SkippedError(ONE_DEVICE)
    return torch


def _run_processes(
    context: Context, function_name: Literal["collectives", "sharded"], world: int
) -> list[dict[str, Any]]:
    """Run `function_name` in `world` processes, and return the result of each rank in order.

    Raises CheckFailedError when the first process fails, or after 150 seconds.
    """
    with (
        ThreadPoolExecutor(world) as threads,
        tempfile.TemporaryDirectory() as folder,
        ExitStack() as exit_stack,
    ):
        rank_by_wait = {}
        for rank in range(world):
            arguments = (context.device, context.imports, folder, str(rank), str(world))
            process = exit_stack.enter_context(SideProcess(__name__, function_name, *arguments))
            rank_by_wait[threads.submit(process.wait, _LIMIT_S)] = rank
        for wait in as_completed(rank_by_wait):
            output = wait.result()
            require(
                output.status == 0, f"rank {rank_by_wait[wait]} of {world} {_failure_text(output)}"
            )
        result_files = [Path(folder, f"{rank}.json") for rank in range(world)]
        return [json.loads(result_file.read_text("utf-8")) for result_file in result_files]


def _failure_text(output: ProcessOutput) -> str:
    if output.status is None:
        return f"did not end within {_LIMIT_S:g} s."
    lines = [line for line in output.stderr.splitlines() if "Error" in line and line[0] != " "]
    return f"ended with status {output.status}. {lines[-1] if lines else output.stderr[-300:]}"


def main() -> None:
    """Run one process of a group, and write the result of its function to `{rank}.json`.

    The command-line arguments are the function, device, module to import, folder, rank and number
    of processes. The processes find each other through the folder.
    """
    function_name, device, imports, folder, rank, world = sys.argv[1:]
    import torch

    if imports:
        importlib.import_module(imports)
    if int(world) > 1 and torch.device(device).type != "cpu":
        device = f"{torch.device(device).type}:{rank}"
    select_device(torch, device)
    dist = torch.distributed
    backend = dist.get_default_backend_for_device(torch.device(device).type)
    store = f"file://{Path(folder, 'store').as_posix()}"
    dist.init_process_group(backend, init_method=store, rank=int(rank), world_size=int(world))
    try:
        results = {"collectives": collectives, "sharded": sharded}[function_name](device)
        dist.barrier()
    finally:
        dist.destroy_process_group()
    Path(folder, f"{rank}.json").write_text(json.dumps(results), "utf-8")


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
    optimizer = torch.optim.SGD(model.parameters(), lr=_LEARNING_RATE)
    model(network_inputs().to(device)).square().mean().backward()
    optimizer.step()
    state = {k: v.full_tensor().detach().cpu().tolist() for k, v in model.state_dict().items()}
    return {"sharded": all(split_flags), "state": state}


if __name__ == "__main__":
    main()

"""One process of a group: `python -m … WHAT DEVICE IMPORTS FOLDER RANK WORLD`.

Writes what it got to RANK.json in the folder, through which the processes also find each other.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from accelerator_portal.validation.suites.checking import network, network_inputs, torch_module

LEARNING_RATE = 0.1


def main() -> None:
    """Join the group, do what is asked, and write what came of it."""
    what, device, imports, folder, rank, world = sys.argv[1:]
    torch = torch_module()
    if imports:
        importlib.import_module(imports)
    own = _own_device(torch, device, int(rank), int(world))
    dist = torch.distributed
    backend = dist.get_default_backend_for_device(torch.device(device).type)
    store = f"file://{Path(folder, 'store').as_posix()}"
    dist.init_process_group(backend, init_method=store, rank=int(rank), world_size=int(world))
    try:
        found = {"collectives": collectives, "sharded": sharded}[what](own)
        dist.barrier()
    finally:
        dist.destroy_process_group()
    Path(folder, f"{rank}.json").write_text(json.dumps(found), "utf-8")


def _own_device(torch: Any, device: str, rank: int, world: int) -> str:
    """Return the device of a rank, and make it the current one."""
    if torch.device(device).type == "cpu":
        return "cpu"
    if world > 1:
        device = f"{torch.device(device).type}:{rank}"
    if torch.device(device).index is not None:
        torch.accelerator.set_device_index(torch.device(device).index)
    return device


def collectives(device: str) -> dict[str, list[float]]:
    """Add, gather and broadcast numbers that tell the ranks apart."""
    torch = torch_module()
    dist = torch.distributed
    own = float(dist.get_rank() + 1)
    summed = torch.full((4,), own, device=device)
    dist.all_reduce(summed)
    gathered = torch.zeros(dist.get_world_size(), device=device)
    dist.all_gather_into_tensor(gathered, torch.full((1,), own, device=device))
    sent = torch.full((4,), own, device=device)
    dist.broadcast(sent, src=0)
    found = {"sum": summed, "gathered": gathered, "broadcast": sent}
    return {name: values.cpu().tolist() for name, values in found.items()}


def sharded(device: str) -> dict[str, Any]:
    """Share a network out, take one step with it, and return its whole weights."""
    torch = torch_module()
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(torch.device(device).type, (torch.distributed.get_world_size(),))
    model = network(device)
    fully_shard(model, mesh=mesh)
    weights = model.state_dict()
    held = [weight.to_local().numel() < weight.numel() for weight in weights.values()]
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model(network_inputs().to(device)).square().mean().backward()
    optimizer.step()
    state = {k: v.full_tensor().detach().cpu().tolist() for k, v in model.state_dict().items()}
    return {"sharded": all(held), "state": state}


if __name__ == "__main__":
    main()

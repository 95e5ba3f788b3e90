"""Provides what the checks of the suite `integration` share: assertions, and a small network.

Torch is imported only inside of the functions, so that the suite can report a failing import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelerator_reports.environment import device_type
from accelerator_validation.classify import CheckFailedError, MismatchError, SkippedError
from accelerator_validation.suite_interface import Context

CLOSE = {"rtol": 1e-3, "atol": 1e-4}
COARSE = {"rtol": 3e-2, "atol": 3e-2}


def require_accelerator(context: Context) -> Any:
    """Import torch and return the module, for checks that do not apply to the CPU.

    Raises SkippedError if the CPU is tested.
    """
    import torch

    if device_type(context.device) == "cpu":
        raise SkippedError("torch.accelerator covers devices other than the CPU.")
    return torch


def select_device(torch: Any, device: str) -> None:
    """Set torch's current device to `device`, for example `cuda:1`.

    Without an index or with the index 0, nothing is set, because index 0 is the default.
    """
    index = torch.device(device).index
    if index:
        torch.get_device_module(device).set_device(index)


def require(condition: object, otherwise: str) -> None:
    """Raise CheckFailedError with the message `otherwise` if a condition is false."""
    if not condition:
        raise CheckFailedError(otherwise)


def require_close(
    found: Any, wanted: Any, what: str, tolerances: Mapping[str, float] = CLOSE
) -> None:
    """Raise MismatchError if two tensors, on any devices, differ by more than a tolerance.

    `what` names the tensor in the message. The keys of `tolerances` are `rtol` and `atol`.
    """
    import torch

    found_numbers, wanted_numbers = found.detach().cpu().double(), wanted.detach().cpu().double()
    try:
        torch.testing.assert_close(found_numbers, wanted_numbers, **tolerances)
    except AssertionError as error:
        raise MismatchError(f"{what}: {error}") from None


def require_equal(found: Any, wanted: Any, what: str) -> None:
    """Raise MismatchError if a tensor differs from `wanted`, a CPU tensor, in numbers or data type.

    `what` names the tensor in the message.
    """
    import torch

    cpu_copy = found.detach().cpu()
    if cpu_copy.dtype != wanted.dtype or not torch.equal(cpu_copy, wanted):
        raise MismatchError(f"{what}: {cpu_copy.tolist()}, not {wanted.tolist()}")


def network(device: str) -> Any:
    """Return a small network on a device, with the same weights in each call."""
    import torch

    torch.manual_seed(11)
    layers = torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32)
    return torch.nn.Sequential(*layers, torch.nn.Linear(32, 4)).to(device)


def reference_network() -> Any:
    """Return the network of `network` on the CPU in float64, as a reference for all devices."""
    return network("cpu").double()


def network_inputs() -> Any:
    """Return inputs for the network on the CPU, with the same numbers in each call."""
    import torch

    return torch.randn(8, 16, generator=torch.Generator().manual_seed(12))

"""What tests of the suite `integration` share.

Torch is imported only inside of the functions, so that the suite can report a failing import.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import ModuleType, TracebackType
from typing import Any

from accelerator_reports.environment import device_type
from accelerator_validation.case import CheckFailedError, MismatchError, SkippedError
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


# Skips a check if the installed torch lacks an API that the check needs.
#
# This module does not import torch, so that it can be used where `import torch` fails.

_SUITES_PACKAGE = __name__.rpartition(".")[0]


def require_api(torch: Any, *names: str) -> None:
    """Raise SkippedError if `torch` lacks one of these names, such as `Stream.__enter__`."""
    for name in names:
        try:
            attrgetter(name)(torch)
        except AttributeError:
            raise SkippedError(missing_api_reason(torch, f"torch.{name}")) from None


def missing_api_reason(torch: Any, name: str) -> str:
    """Return the reason of a skipped check: `Not in torch 2.6.0: torch.foo.`."""
    return f"Not in torch {torch.__version__}: {name}."


def missing_torch_name(error: AttributeError) -> str | None:
    """Return the name that a check did not find in a torch module, or None for other errors.

    An error counts only if the check's own code used the name. If a plugin or torch used it, the
    result is None, because the check must report the failure.
    """
    owner = error.obj
    if not isinstance(owner, ModuleType) or owner.__name__.partition(".")[0] != "torch":
        return None
    return f"{owner.__name__}.{error.name}" if _is_used_by_suites(error) else None


def _is_used_by_suites(error: BaseException) -> bool:
    """Return whether an error was raised by code of the suites, not by code of a plugin or torch.

    Frames of `__getattr__` in the error's traceback are ignored.
    """
    user_module = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name != "__getattr__":
            user_module = str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return user_module.startswith(f"{_SUITES_PACKAGE}.")

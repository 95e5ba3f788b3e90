"""Finds out in a process of its own whether a device and its plugin work.

As a program, `python -m accelerator_validation.probe DEVICE` prints the result as JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import multiprocessing
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any, Literal

import yaml

from accelerator_reports.environment import IN_TREE, device_type, environment, plugin
from accelerator_reports.files.problem import did_you_mean
from accelerator_validation.case import describe_error, short_message
from accelerator_validation.side_process import (
    SideProcess,
    WaitCallback,
    print_result,
    signal_name,
)

# Says how to get a device that torch does not know: import a plugin, or correct the name.

_MODULES_FILE = "plugin_modules.yaml"


@cache
def plugin_modules() -> Mapping[str, tuple[str, ...]]:
    """Return the modules of the portal's plugins, by the device type that they add."""
    text = resources.files(__package__).joinpath(_MODULES_FILE).read_text("utf-8")
    return {device: tuple(modules) for device, modules in yaml.safe_load(text).items()}


def unknown_device_text(device_type: str, registered: str) -> str | None:
    """Return why torch does not know a device type, and the fix.

    `registered` is the device type that torch has registered for plugins. The result is None for
    device types that torch itself implements.
    """
    if device_type in IN_TREE:
        return None
    modules = plugin_modules().get(device_type, ())
    if not modules:
        hint = did_you_mean(device_type.lower(), {*IN_TREE, *plugin_modules(), registered})
        problem = f'PyTorch has no device "{device_type}"{f"; {hint}" if hint[-1] == "?" else "."}'
        return f"{problem} If a plugin adds it, import the plugin with --import MODULE"
    problem = f'The plugin {" or ".join(modules)} adds the device "{device_type}"'
    # Only the top-level package is looked for: find_spec imports the parents of a module.
    if installed := next((m for m in modules if find_spec(m.partition(".")[0])), None):
        return f"{problem}. Add --import {installed}"
    return (
        f"{problem}, but is not installed for {sys.executable}. Install it, and add "
        f"--import {modules[0]} if torch does not load it by itself"
    )


ProbeFault = Literal["no torch", "import", "device", "hang"]

PROBE_TIMEOUT_S = 180

# Printed between the import of torch and the first use of the device.
_IMPORTED_LINE = "imported"

# Torch's errors for a device type that it does not know or was not built for.
_UNKNOWN_TYPE_ERROR = "Expected one of cpu"
_UNKNOWN_DEVICE_ERROR = re.compile(
    rf"{_UNKNOWN_TYPE_ERROR}|Invalid device string|not linked with support|not compiled with|"
    r"No module named|Torch not compiled|doesn't have|not available|Cannot copy out of meta"
)

# The name of the device type for plugins until a plugin registers its own name.
_UNREGISTERED = "privateuseone"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of probing a device: the environment, and a fault if the device cannot be used.

    `environment` has the facts that `environment.environment` returns. `message` is the error
    message for the fault. `forks` is true if a forked process can use the device.
    """

    environment: Mapping[str, Any] = field(default_factory=dict)
    fault: ProbeFault | None = None
    message: str = ""
    forks: bool = True
    unknown: bool = False
    """Whether the device does not exist: torch has no such device, and no plugin adds it."""
    aten: Mapping[str, Any] = field(default_factory=dict)
    """The counts of ATen operators and kernels for the device, from `suites.aten.operator_counts`;
    empty if the device cannot be used."""

    @property
    def needs_fresh_workers(self) -> bool:
        """Whether each worker must import torch itself, because a forked one may not work."""
        return bool(self.fault) or not self.forks


def start_probe(device: str, imports: str | None = None) -> SideProcess:
    """Start a process that probes a device. `wait_for_probe` returns its result.

    `imports` is a module to import after torch: a plugin that torch does not load by itself.
    """
    return SideProcess(__name__, device, *([imports] if imports else []))


def wait_for_probe(
    process: SideProcess, waiting: WaitCallback = lambda _: None, limit_s: float = PROBE_TIMEOUT_S
) -> ProbeResult:
    """Wait for the process of `start_probe`, and return the probe result.

    `waiting` is called regularly with the seconds since the start. If the process fails, dies, or
    takes more than `limit_s` seconds, the result has a fault.
    """
    process_output = process.wait(limit_s, waiting)
    if process_output.status == 0 and process_output.result:
        return ProbeResult(**json.loads(process_output.result))
    if process_output.status is None:
        hanging_step = (
            "the first use of the device"
            if _IMPORTED_LINE in process_output.stdout
            else "import torch"
        )
        return ProbeResult(
            fault="hang", message=f"{hanging_step} did not finish within {limit_s:g} s"
        )
    # The environment may have been printed before the process died.
    printed_result: dict[str, Any] = json.loads(process_output.result or '{"fault": "import"}')
    if process_output.status < 0:
        exit_text = f"crashed with {signal_name(-process_output.status)}"
    else:
        exit_text = f"exited with status {process_output.status}"
    error_text = f"the process {exit_text}. {process_output.stderr.strip()[-400:]}".strip()
    return ProbeResult(
        printed_result.get("environment", {}), printed_result.get("fault") or "device", error_text
    )


def main() -> None:
    """Print the result of probing the device that the first argument names, as JSON."""
    device, *modules = sys.argv[1:]
    print_result(json.dumps(asdict(_probe(device, modules))))


def _probe(device: str, modules: list[str]) -> ProbeResult:
    """Import torch, then the modules, use the device, and return the result."""
    if importlib.util.find_spec("torch") is None:
        return ProbeResult(fault="no torch", message="torch is not installed")
    try:
        import torch

        for module in modules:
            importlib.import_module(module)
    except BaseException as error:  # noqa: BLE001 - a plugin may raise anything while torch loads it
        return ProbeResult(fault="import", message=short_message(describe_error(error), 1000))
    sys.stdout.write(f"{_IMPORTED_LINE}\n")
    sys.stdout.flush()
    forks = _works_in_fork(device)
    if fault := _missing_index(torch, device):
        return _faulty_device(device, fault, unknown=True)
    if fault := _device_fault(torch, device):
        registered = torch._C._get_privateuse1_backend_name()  # noqa: SLF001 - it has no public name
        unknown = _is_unknown(device, registered, fault, modules)
        if unknown:
            fault = unknown_device_text(device_type(device), registered) or fault
        return _faulty_device(device, fault, unknown=unknown)
    from accelerator_validation.suites.aten import operator_counts

    return ProbeResult(environment(device), forks=forks, aten=operator_counts(device))


def _faulty_device(device: str, message: str, *, unknown: bool) -> ProbeResult:
    facts: dict[str, Any] = {}
    with suppress(Exception):
        facts = environment("cpu") | {"plugin": plugin(device), "hardware": None}
    return ProbeResult(facts, "device", message, unknown=unknown)


def _is_unknown(device: str, registered: str, error_text: str, modules: list[str]) -> bool:
    """Return whether no plugin adds the device that torch rejects with `error_text`.

    `registered` is the device type that torch has registered for plugins. A plugin that is loaded
    may be the cause of the error, unless it has registered another device type.
    """
    if modules or plugin(device):
        registers_nothing = registered == _UNREGISTERED and not modules
        return _UNKNOWN_TYPE_ERROR in error_text and not registers_nothing
    return _UNKNOWN_DEVICE_ERROR.search(error_text) is not None


def _missing_index(torch: Any, device: str) -> str | None:  # noqa: ANN401 - the module torch
    """Return an error message if the device's index is too high, or None."""
    type_name, _, index = device.partition(":")
    count = 0
    with suppress(Exception):  # a plugin may lack it, or raise anything
        count = torch.get_device_module(type_name).device_count()
    if not index.isdecimal() or not 0 < count <= int(index):
        return None
    last = f" to {type_name}:{count - 1}" if count > 1 else ""
    return f"There is no {device}. This machine has {type_name}:0{last}"


def is_round_trip_exact(torch: Any, device: str) -> bool:  # noqa: ANN401 - the module torch
    """Copy two numbers to a device and back, and return whether they are unchanged."""
    return bool(torch.tensor([1.0, 2.0]).to(device).cpu().tolist() == [1.0, 2.0])


def _device_fault(torch: Any, device: str) -> str | None:  # noqa: ANN401 - the module torch
    """Copy numbers to the device and back. Return an error message, or None if this works."""
    try:
        if is_round_trip_exact(torch, device):
            return None
    except BaseException as error:  # noqa: BLE001 - it may raise anything
        return short_message(describe_error(error), 1000)
    return "numbers changed when they were copied to the device and back"


def _works_in_fork(device: str) -> bool:
    """Return whether a process that is forked from this one can use the device.

    It cannot if importing torch or the plugin has started the device.
    """
    child = multiprocessing.get_context("fork").Process(target=_use_in_child, args=(device,))
    child.start()
    child.join(PROBE_TIMEOUT_S / 3)
    if child.is_alive():
        child.kill()
    return child.exitcode == 0


def _use_in_child(device: str) -> None:
    import torch

    with suppress(Exception):
        sys.stderr.close()  # its traceback is not needed: the parent then does the same
    if _device_fault(torch, device):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

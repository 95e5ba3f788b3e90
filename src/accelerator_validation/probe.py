"""Finds out in a separate process whether a device can be used at all.

As a program, `python -m accelerator_validation.probe DEVICE` prints the result as JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import multiprocessing
import re
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from accelerator_validation.case import brief
from accelerator_validation.classify import words_of
from accelerator_validation.environment import environment, plugin
from accelerator_validation.side_process import SideProcess, Waiting

ProbeFault = Literal["no torch", "import", "device", "hang"]

LIMIT_S = 180

# Printed between the import of torch and the first use of the device.
_IMPORTED = "imported"

# The first characters of the printed result: a plugin may print other lines that begin with `{`.
_RESULT = '{"environment"'

# Torch's errors for a device type that it does not know or was not built for.
_NO_SUCH = re.compile(
    r"Expected one of cpu|Invalid device string|not linked with support|not compiled with|"
    r"No module named|Torch not compiled|doesn't have|not available"
)


@dataclass(frozen=True, slots=True)
class Probed:
    """The result of probing a device: the environment, and a fault if the device cannot be used.

    `words` is the error message for the fault. `forks` is true if a forked process can use the
    device.
    """

    environment: Mapping[str, Any] = field(default_factory=dict)
    fault: ProbeFault | None = None
    words: str = ""
    forks: bool = True
    unknown: bool = False
    """Whether torch doesn't support this device, and no installed plugin adds it."""
    aten: Mapping[str, Any] = field(default_factory=dict)
    """The ATen operators and their kernels for the device, as `suites.aten.census` returns them;
    empty if the device cannot be used."""

    @property
    def needs_fresh_workers(self) -> bool:
        """Whether each worker must import torch itself: after a fault, or if forks fail."""
        return bool(self.fault) or not self.forks


def begin_probe(device: str, imports: str | None = None) -> SideProcess:
    """Start another process that tries a device.

    `imports` is a module to import after torch: a plugin that does not load itself.
    """
    return SideProcess(__name__, device, *([imports] if imports else []))


def probed_by(
    process: SideProcess, waiting: Waiting = lambda _: None, limit_s: float = LIMIT_S
) -> Probed:
    """Wait for the process of `begin_probe`, and return the probe result.

    If the process fails, dies, or needs more than `limit_s` seconds, the result has a fault.
    """
    done = process.wait(limit_s, waiting)
    lines = [line for line in done.stdout.splitlines() if line.startswith(_RESULT)]
    if done.status == 0 and lines:
        return Probed(**json.loads(lines[-1]))
    if done.status is None:
        where = "the first use of the device" if _IMPORTED in done.stdout else "import torch"
        return Probed(fault="hang", words=f"{where} did not finish within {limit_s:g} s")
    # The environment may have been printed before the process died.
    printed: dict[str, Any] = json.loads(lines[-1]) if lines else {"fault": "import"}
    if done.status < 0:
        died = f"crashed with {signal.Signals(-done.status).name}"
    else:
        died = f"exited with status {done.status}"
    words = f"the process {died}. {done.stderr.strip()[-400:]}".strip()
    return Probed(printed.get("environment", {}), printed.get("fault") or "device", words)


def main() -> None:
    """Print the result of probing the device that the first argument names, as JSON."""
    device, *modules = sys.argv[1:]
    if importlib.util.find_spec("torch") is None:
        _tell(Probed(fault="no torch", words="torch is not installed"))
        return
    try:
        import torch

        for module in modules:
            importlib.import_module(module)
    except BaseException as error:  # noqa: BLE001 - a plugin may raise anything while torch loads it
        _tell(Probed(fault="import", words=brief(words_of(error), 1000)))
        return
    sys.stdout.write(f"{_IMPORTED}\n")
    sys.stdout.flush()
    forks = _works_in_a_fork(device)
    if wrong := _wrong(torch, device):
        own = plugin(device)
        unknown = bool(_NO_SUCH.search(wrong)) and not modules and own is None
        without_device: dict[str, Any] = {}
        with suppress(Exception):
            without_device = environment("cpu") | {"plugin": own, "hardware": None}
        _tell(Probed(without_device, "device", wrong, unknown=unknown))
        return
    from accelerator_validation.suites.aten import census

    _tell(Probed(environment(device), forks=forks, aten=census(device)))


def round_trip(torch: Any, device: str) -> bool:  # noqa: ANN401 - the module torch
    """Copy two numbers to a device and back, and return whether they are unchanged."""
    return bool(torch.tensor([1.0, 2.0]).to(device).cpu().tolist() == [1.0, 2.0])


def _wrong(torch: Any, device: str) -> str | None:  # noqa: ANN401 - the module torch
    """Copy numbers to the device and back. Return an error message, or None if this works."""
    try:
        if round_trip(torch, device):
            return None
    except BaseException as error:  # noqa: BLE001 - it may raise anything
        return brief(words_of(error), 1000)
    return "numbers changed when they were copied to the device and back"


def _works_in_a_fork(device: str) -> bool:
    """Return whether a forked process can use the device.

    The result is false if importing the plugin starts the device.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return False
    child = multiprocessing.get_context("fork").Process(target=_use, args=(device,))
    child.start()
    child.join(LIMIT_S / 3)
    if child.is_alive():
        child.kill()
    return child.exitcode == 0


def _use(device: str) -> None:
    import torch

    with suppress(Exception):
        sys.stderr.close()  # its traceback is not needed: the parent then does the same
    if _wrong(torch, device):
        raise SystemExit(1)


def _tell(found: Probed) -> None:
    sys.stdout.write(f"\n{json.dumps(asdict(found))}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

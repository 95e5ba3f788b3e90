"""Checks how a device is loaded: the plugin's entry point, `import torch`, autoload on and off."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib import metadata

from accelerator_reports.environment import IN_TREE, PLUGIN_GROUP, device_type
from accelerator_validation.classify import SkippedError
from accelerator_validation.listing import AUTOLOAD
from accelerator_validation.side_process import signal_name
from accelerator_validation.suite_interface import Context

_LIMIT_S = 120

_USE_DEVICE_PROGRAM = """
import sys, torch
device = sys.argv[1]
assert torch.ones(2, device=device).cpu().tolist() == [1.0, 1.0]
"""


class LoadingError(Exception):
    """Raised if the device is not loaded correctly; the message says what is wrong."""


def entry_point(context: Context) -> None:
    """Check that installed packages have entry points in the group `torch.backends`.

    Each entry point must load a function.
    """
    context.stage = "import"
    if device_type(context.device) in IN_TREE:
        raise SkippedError("PyTorch includes this device, so there is no plugin to load.")
    points = list(metadata.entry_points(group=PLUGIN_GROUP))
    if not points:
        raise LoadingError(
            f"No installed package has an entry point in the group {PLUGIN_GROUP}, so import torch "
            "cannot find the plugin: every program must import the plugin."
        )
    for point in points:
        if not callable(point.load()):
            raise LoadingError(f"The entry point {point.name} = {point.value} is not a function.")


def plain_import(context: Context) -> None:
    """Check that `import torch` succeeds with the installed plugins."""
    context.stage = "import"
    _run_python("import torch", context.device, autoload="1")


def autoload_on(context: Context) -> None:
    """Check that the device can be used after `import torch` alone."""
    context.stage = "import"
    _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="1")


def autoload_off(context: Context) -> None:
    """Check that `import torch` succeeds with autoload off, and loads no plugin.

    A plugin's device must then be unusable. A device that PyTorch includes must still work.
    """
    context.stage = "import"
    _run_python("import torch", context.device, autoload="0")
    if device_type(context.device) in IN_TREE:
        _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="0")
        return
    try:
        _run_python(_USE_DEVICE_PROGRAM, context.device, autoload="0")
    except LoadingError:
        return
    raise LoadingError(f"The plugin is loaded although {AUTOLOAD}=0 is set. It can't be disabled.")


def _run_python(program: str, device: str, *, autoload: str) -> None:
    """Run the Python code `program` in a separate process, which gets the device as its argument.

    `autoload` is the value of TORCH_DEVICE_BACKEND_AUTOLOAD: 1 or 0. Raises LoadingError with the
    last error messages if the process fails, and TimeoutError after 120 seconds.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        try:
            # No pipe, because a daemon that a plugin starts may keep it open.
            process = subprocess.run(
                [sys.executable, "-c", program, device],
                env={**os.environ, AUTOLOAD: autoload},
                stdout=subprocess.DEVNULL,
                stderr=file,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"import torch timed out after {_LIMIT_S} s") from None
        file.seek(0)
        lines = [line for line in file.read().splitlines() if line and not line.startswith(" ")]
    exit_code = process.returncode
    if exit_code < 0:
        raise LoadingError(
            f"The process that imports torch was killed by {signal_name(-exit_code)}."
        )
    if exit_code:
        errors = [line for line in lines if "Error" in line.partition(":")[0]]
        raise LoadingError(" Then: ".join(errors[-2:]) or f"It ended with status {exit_code}.")

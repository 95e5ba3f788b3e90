"""Says how to get a device that torch does not know: import a plugin, or correct the name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.util import find_spec

import yaml

from accelerator_reports.environment import IN_TREE
from accelerator_reports.files.problem import did_you_mean

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

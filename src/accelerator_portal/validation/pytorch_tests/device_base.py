"""Chooses the base class of PyTorch's device-generic tests for a device, as PyTorch does.

Each device has a base class in `torch.testing._internal.common_device_type`; a plugin's device has
`PrivateUse1TestBase`, or what the plugin names in TORCH_TEST_DEVICES, which PyTorch reads itself.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.testing._internal import common_device_type as generic

PLUGIN = "privateuse1"

# Devices for which PyTorch makes the tests of a class only if the class asks for it.
OPT_IN = {"mps": "allow_mps", "xpu": "allow_xpu", "lazy": "include_lazy"}

Base = type[Any]
"""A subclass of DeviceTypeTestBase, which PyTorch does not type."""


def use(base: Base) -> None:
    """Have PyTorch make tests for this base class alone, in this process and those it starts."""
    generic.device_type_test_bases[:] = [base]
    os.environ[generic.PYTORCH_TESTING_DEVICE_ONLY_FOR_KEY] = base.device_type


def is_made(base: Base, asked: dict[str, Any], *, of_torch: bool) -> bool:
    """Whether PyTorch makes a class for this device; `asked` are its arguments."""
    opt_in = OPT_IN.get(base.device_type)
    return of_torch or opt_in is None or bool(asked.get(opt_in))


def word_of(base: Base) -> str:
    """Return the word for the device in the names of tests."""
    kind: str = base.device_type
    return torch._C._get_privateuse1_backend_name() if kind == PLUGIN else kind


def base_of(device: str) -> tuple[Base, bool]:
    """Return the base class for a type of devices, and whether PyTorch, or a plugin, listed it."""
    kind = PLUGIN if _is_plugins(device) else device
    for base in generic.device_type_test_bases:
        if base.device_type in {kind, device}:
            return base, True
    parent = generic.DeviceTypeTestBase
    for base in vars(generic).values():
        is_base = isinstance(base, type) and issubclass(base, parent)
        if is_base and base.device_type == kind:
            return base, False
    return type(f"{kind.upper()}TestBase", (parent,), {"device_type": kind}), False


def without_device(base: Base) -> Base:
    """Return the same base class for listing tests: it never asks the device for anything."""
    if base.device_type == "cpu":
        return base
    name = f"{word_of(base)}:0"
    own = {
        "get_primary_device": classmethod(lambda _: name),
        "get_all_devices": classmethod(lambda _: [name]),
        "setUpClass": classmethod(lambda _: None),
    }
    return type(base.__name__, (base,), own)


def with_first_device(base: Base) -> Base:
    """Return the base class of a plugin so that its first device is used if it names none.

    PyTorch asks the plugin's module for `current_device` and `device_count`; where a plugin lacks
    them, whole classes of tests could not be made, although few of their tests need either.
    """
    if base.device_type != PLUGIN:
        return base

    def set_up(cls: Any) -> None:
        name = torch._C._get_privateuse1_backend_name()
        cls.device_type, cls.device_mod = name, getattr(torch, name, None)
        cls.primary_device = f"{name}:{_asked(cls.device_mod, 'current_device', 0)}"

    def all_devices(cls: Any) -> list[str]:
        first = cls.get_primary_device()
        count = _asked(cls.device_mod, "device_count", 1)
        others = (f"{first.partition(':')[0]}:{index}" for index in range(count))
        return [first, *(name for name in others if name != first)]

    own = {"setUpClass": classmethod(set_up), "get_all_devices": classmethod(all_devices)}
    return type(base.__name__, (base,), own)


def _asked(module: Any, name: str, otherwise: int) -> int:
    function = getattr(module, name, None)
    return int(function()) if function else otherwise


def _is_plugins(device: str) -> bool:
    """Whether a type of devices is a plugin's: torch itself does not know the word."""
    if device == torch._C._get_privateuse1_backend_name():
        return True
    try:
        torch.device(device)
    except RuntimeError:
        return True
    return False

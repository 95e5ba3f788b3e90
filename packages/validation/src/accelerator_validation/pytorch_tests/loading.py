"""Imports a file of PyTorch's tests, and returns the tests that PyTorch creates for one device.

PyTorch has a base class for each device type, a subclass of DeviceTypeTestBase. PyTorch combines
each generic test class of a file with this base class into a test class for that device type.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal import common_device_type as generic
from torch.testing._internal import common_methods_invocations  # noqa: F401 - most files take seconds for it

from accelerator_reports.test_keys import Parameters, parameters_of
from accelerator_validation.matrix import TestFile
from accelerator_validation.pytorch_tests.source import EXPECTED_FAILURE, name_and_parameters

# The device type of plugins. They use PyTorch's PrivateUse1TestBase, or the base class that they
# name in TORCH_TEST_DEVICES, which PyTorch reads itself.
PLUGIN_TYPE = "privateuse1"

# Devices for which PyTorch makes the tests of a class only if the class asks for it.
OPT_IN = {"mps": "allow_mps", "xpu": "allow_xpu", "lazy": "include_lazy"}

BaseClass = type[Any]
"""A subclass of DeviceTypeTestBase, which PyTorch does not type."""


@dataclass
class LoadedFile:
    """The tests of a file. If the file could not be imported, `error` is the exception.

    `tests` has the class and the method name of each test, by the test's name and parameters in
    reports. `broken` has the exceptions of classes that could not be created, by class name.
    `hw_classifications` has the names of PyTorch's hardware classifications, by the test's class.
    """

    tests: dict[tuple[str, Parameters], tuple[type[Any], str]] = field(default_factory=dict)
    broken: dict[str, BaseException] = field(default_factory=dict)
    hw_classifications: dict[str, str] = field(default_factory=dict)
    error: BaseException | None = None


def load_test_file(
    folder: Path, file: TestFile, device: str, *, listing: bool = False
) -> LoadedFile:
    """Import a file and return its tests for a device type. Errors are in the returned object.

    `folder` is the folder of PyTorch's tests. If `listing` is true, neither the device nor its
    plugin is needed, and the tests can be listed but not run.
    """
    base, is_in_torch_list = find_base_class(device)
    base = deviceless_base_class(base) if listing else tolerant_base_class(base)
    use_only_base_class(base)
    loaded, instantiate = LoadedFile(), generic.instantiate_device_type_tests

    def instantiate_and_record(
        generic_test_class: type[Any], scope: dict[str, Any], *args: Any, **options: Any
    ) -> None:
        """Create the tests of a generic class as PyTorch does, and add them to `loaded`."""
        scope_before = dict(scope)
        if not creates_tests_for(base, options, of_torch=is_in_torch_list):
            scope.pop(generic_test_class.__name__, None)
            return
        try:
            instantiate(generic_test_class, scope, *args, **options)
        except Exception as error:  # noqa: BLE001 - one class that cannot be made ends no file
            loaded.broken[generic_test_class.__name__] = error
        container = f"{file.container}.{generic_test_class.__name__}"
        device_name = device_name_in_tests(base)
        for key, created_class in scope.items():
            if scope_before.get(key) is created_class or not isinstance(created_class, type):
                continue
            # A member of HardwareClassification in PyTorch 2.14 and newer.
            if classification := getattr(created_class, "hw_classification", None):
                loaded.hw_classifications[container] = classification.name
            for method in sorted(name for name in vars(created_class) if name.startswith("test")):
                parsed_test = name_and_parameters(container, method, device_name)
                loaded.tests[parsed_test.name, parameters_of(parsed_test.parameters)] = (
                    created_class,
                    method,
                )

    generic.instantiate_device_type_tests = instantiate_and_record
    decorate = generic.expectedFailure.__call__
    generic.expectedFailure.__call__ = lambda decorator, test: decorate(decorator, _noted(test))
    try:
        _import_test_file(folder, file)
    except BaseException as error:  # noqa: BLE001 - a file may raise anything, also SystemExit
        loaded.error = error
    finally:
        generic.instantiate_device_type_tests = instantiate
        generic.expectedFailure.__call__ = decorate
    return loaded


def _noted(test: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test that stores its exception in its object before it raises the exception.

    PyTorch's decorators for one device type, such as expectedFailureXPU, catch the exception of a
    test that fails as expected, so that to unittest the test passes.
    """

    @wraps(test)
    def noted_test(instance: Any, *args: Any, **options: Any) -> Any:
        setattr(instance, EXPECTED_FAILURE, None)
        try:
            return test(instance, *args, **options)
        except Exception as error:
            setattr(instance, EXPECTED_FAILURE, error)
            raise

    return noted_test


def _import_test_file(folder: Path, file: TestFile) -> None:
    """Import a file as if it were run as a script, with its own folder first in `sys.path`."""
    path = folder / f"{file.path}.py"
    for import_path in (str(folder), str(path.parent)):
        if import_path in sys.path:
            sys.path.remove(import_path)
        sys.path.insert(0, import_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # a process that a test starts finds it by this name
    spec.loader.exec_module(module)


def use_only_base_class(base: BaseClass) -> None:
    """Make PyTorch create device-type tests for this base class only, also in child processes."""
    generic.device_type_test_bases[:] = [base]
    os.environ[generic.PYTORCH_TESTING_DEVICE_ONLY_FOR_KEY] = base.device_type


def creates_tests_for(base: BaseClass, options: dict[str, Any], *, of_torch: bool) -> bool:
    """Return whether PyTorch creates the tests of a test class for the device type of `base`.

    `options` has the options that the test file passes to `instantiate_device_type_tests` for the
    class, such as `allow_mps`. `of_torch` is true if PyTorch's list `device_type_test_bases`
    contains `base`.
    """
    opt_in = OPT_IN.get(base.device_type)
    return of_torch or opt_in is None or bool(options.get(opt_in))


def device_name_in_tests(base: BaseClass) -> str:
    """Return the device type that the names of tests contain, such as `cuda`.

    For a plugin, this is the name that the plugin registers with torch.
    """
    type_name: str = base.device_type
    return torch._C._get_privateuse1_backend_name() if type_name == PLUGIN_TYPE else type_name


def find_base_class(device: str) -> tuple[BaseClass, bool]:
    """Return the base class for a device type, and whether `device_type_test_bases` contains it.

    If PyTorch has no base class for the device type, a new class is returned.
    """
    type_name = PLUGIN_TYPE if _is_plugin_type(device) else device
    for base in generic.device_type_test_bases:
        if base.device_type in {type_name, device}:
            return base, True
    parent = generic.DeviceTypeTestBase
    for base in vars(generic).values():
        is_base = isinstance(base, type) and issubclass(base, parent)
        if is_base and base.device_type == type_name:
            return base, False
    return type(f"{type_name.upper()}TestBase", (parent,), {"device_type": type_name}), False


def deviceless_base_class(base: BaseClass) -> BaseClass:
    """Return a subclass of `base` that lists tests without using the device.

    The base class for the CPU is returned unchanged.
    """
    if base.device_type == "cpu":
        return base
    name = f"{device_name_in_tests(base)}:0"
    overrides = {
        "get_primary_device": classmethod(lambda _: name),
        "get_all_devices": classmethod(lambda _: [name]),
        "setUpClass": classmethod(lambda _: None),
    }
    return type(base.__name__, (base,), overrides)


def tolerant_base_class(base: BaseClass) -> BaseClass:
    """Return a subclass of a plugin's base class that works if the plugin lacks two functions.

    PyTorch calls the plugin's `current_device` and `device_count` to create tests. If they are
    missing, the subclass uses device 0 and a count of 1. If `base` is not the base class of
    plugins, it is returned unchanged.
    """
    if base.device_type != PLUGIN_TYPE:
        return base

    def set_up(cls: Any) -> None:
        name = torch._C._get_privateuse1_backend_name()
        cls.device_type, cls.device_mod = name, getattr(torch, name, None)
        cls.primary_device = f"{name}:{_call_or_default(cls.device_mod, 'current_device', 0)}"

    def all_devices(cls: Any) -> list[str]:
        first_device = cls.get_primary_device()
        count = _call_or_default(cls.device_mod, "device_count", 1)
        device_names = (f"{first_device.partition(':')[0]}:{index}" for index in range(count))
        return [first_device, *(name for name in device_names if name != first_device)]

    overrides = {"setUpClass": classmethod(set_up), "get_all_devices": classmethod(all_devices)}
    return type(base.__name__, (base,), overrides)


def _call_or_default(module: Any, name: str, default: int) -> int:
    function = getattr(module, name, None)
    return int(function()) if function else default


def _is_plugin_type(device: str) -> bool:
    """Return whether a device type belongs to a plugin.

    This is the case if a plugin registered the name, or if torch does not know the device type.
    """
    if device == torch._C._get_privateuse1_backend_name():
        return True
    try:
        torch.device(device)
    except RuntimeError:
        return True
    return False

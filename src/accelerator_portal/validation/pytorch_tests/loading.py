"""Imports a file of PyTorch's tests, and keeps the tests that PyTorch makes for one device."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch.testing._internal.common_methods_invocations  # noqa: F401 - most files take seconds for it
from torch.testing._internal import common_device_type as generic

from accelerator_portal.reports.identity import Parameters, parameters_of
from accelerator_portal.validation.matrix import TestFile
from accelerator_portal.validation.pytorch_tests import device_base
from accelerator_portal.validation.pytorch_tests.source import identity


@dataclass
class LoadedFile:
    """The tests of a file, classes that could not be made, or the error of its import."""

    tests: dict[tuple[str, Parameters], tuple[type[Any], str]] = field(default_factory=dict)
    broken: dict[str, BaseException] = field(default_factory=dict)
    error: BaseException | None = None


def load(folder: Path, file: TestFile, device: str, *, listing: bool = False) -> LoadedFile:
    """Import a file and make its tests for a type of devices; never raises.

    `listing` does not use the device: neither a plugin nor a device is needed.
    """
    base, of_torch = device_base.base_of(device)
    base = device_base.without_device(base) if listing else device_base.with_first_device(base)
    device_base.use(base)
    loaded, instantiate = LoadedFile(), generic.instantiate_device_type_tests

    def instead(kind: type[Any], scope: dict[str, Any], *args: Any, **options: Any) -> None:
        """Make the tests of a class as PyTorch does, and keep them."""
        before = dict(scope)
        if not device_base.is_made(base, options, of_torch=of_torch):
            scope.pop(kind.__name__, None)
            return
        try:
            instantiate(kind, scope, *args, **options)
        except Exception as error:  # noqa: BLE001 - one class that cannot be made ends no file
            loaded.broken[kind.__name__] = error
        container, word = f"{file.container}.{kind.__name__}", device_base.word_of(base)
        for key, made in scope.items():
            if before.get(key) is made or not isinstance(made, type):
                continue
            for method in sorted(name for name in vars(made) if name.startswith("test")):
                known = identity(container, method, word)
                loaded.tests[known.name, parameters_of(known.parameters)] = (made, method)

    generic.instantiate_device_type_tests = instead
    try:
        _import(folder, file)
    except BaseException as error:  # noqa: BLE001 - a file may raise anything, also SystemExit
        loaded.error = error
    finally:
        generic.instantiate_device_type_tests = instantiate
    return loaded


def _import(folder: Path, file: TestFile) -> None:
    """Import a file as Python does when it runs it: its own folder comes first in the path."""
    path = folder / f"{file.path}.py"
    for place in (str(folder), str(path.parent)):
        if place in sys.path:
            sys.path.remove(place)
        sys.path.insert(0, place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # a process that a test starts finds it by this name
    spec.loader.exec_module(module)

"""Importing a file of PyTorch's tests, and what PyTorch makes of it for one device."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch.testing._internal.common_methods_invocations  # noqa: F401 - most files take seconds for it
from torch.testing._internal import common_device_type as generic

from accelerator_portal.reports.identity import Parameters, parameters_of
from accelerator_portal.validation.matrix import TestFile
from accelerator_portal.validation.pytorch_tests import device_base
from accelerator_portal.validation.pytorch_tests.naming import identity

_MAKER = "instantiate_device_type_tests"


@dataclass
class LoadedFile:
    """What a file gave: its tests, classes that could not be made, or why it has none at all."""

    tests: dict[tuple[str, Parameters], tuple[type[Any], str]] = field(default_factory=dict)
    broken: dict[str, BaseException] = field(default_factory=dict)
    error: BaseException | None = None


def load(folder: Path, file: TestFile, device: str, *, listing: bool = False) -> LoadedFile:
    """Import a file and make its tests for a type of devices; never raises.

    `listing` asks nothing of the device: no plugin need be loaded, no device be there.
    """
    base, of_torch = device_base.base_of(device)
    change = device_base.without_device if listing else device_base.with_first_device
    making = _Making(file, change(base), of_torch=of_torch)
    device_base.use(making.base)
    usual = getattr(generic, _MAKER)
    setattr(generic, _MAKER, making.make(usual))
    try:
        _import(folder, file)
    except BaseException as error:  # noqa: BLE001 - a file may raise anything, also SystemExit
        making.found.error = error
    finally:
        setattr(generic, _MAKER, usual)
    return making.found


class _Making:
    """Stands in for PyTorch's function that makes tests, and keeps what it makes."""

    def __init__(self, file: TestFile, base: device_base.Base, *, of_torch: bool) -> None:
        self.base, self.found = base, LoadedFile()
        self._file, self._of_torch = file, of_torch

    def make(self, usual: Callable[..., None]) -> Callable[..., None]:
        def instead(kind: type[Any], scope: dict[str, Any], *args: Any, **asked: Any) -> None:
            before = dict(scope)
            if not device_base.is_made(self.base, asked, of_torch=self._of_torch):
                scope.pop(kind.__name__, None)
                return
            try:
                usual(kind, scope, *args, **asked)
            except Exception as error:  # noqa: BLE001 - one class that cannot be made ends no file
                self.found.broken[kind.__name__] = error
            self._keep(kind.__name__, before, scope)

        return instead

    def _keep(self, name: str, before: Mapping[str, Any], scope: Mapping[str, Any]) -> None:
        container, word = f"{self._file.container}.{name}", device_base.word_of(self.base)
        for key, made in scope.items():
            if before.get(key) is made or not isinstance(made, type):
                continue
            for method in sorted(vars(made)):
                if method.startswith("test"):
                    known = identity(container, method, word)
                    parameters = parameters_of(known.parameters)
                    self.found.tests[known.name, parameters] = (made, method)


def _import(folder: Path, file: TestFile) -> ModuleType:
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
    return module

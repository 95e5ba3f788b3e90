"""Where backends of ExecuTorch are found: some here, others by an entry point of their package.

A package that brings a backend names it in its pyproject.toml:

    [project.entry-points."accelerator_portal.executorch_backends"]
    mine = "my_package.portal:BACKEND"
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.validation.executorch.backend import PORTABLE, Backend, Recipe

GROUP = "accelerator_portal.executorch_backends"
USUAL = "xnnpack"

_HERE = "accelerator_portal.validation.suites.executorch.backends"
_BUILT_IN = {
    name: f"{_HERE}.{name}"
    for name in ("arm_ethos_u55", "arm_tosa", "coreml", "openvino", "qnn", "vulkan", "xnnpack")
}
_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_LONGEST = 60


class BackendError(Exception):
    """A backend that cannot be used; the message says why and what would be right."""


def backend_names() -> list[str]:
    """Return the names of the backends that are installed."""
    return sorted({*_BUILT_IN, *(point.name for point in entry_points(group=GROUP))})


def find_backend(name: str) -> Backend:
    """Return a backend; raises BackendError, and whatever the import of its package raises."""
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if name in _BUILT_IN:
        if points:
            package = _package(points[0])
            what = f'"{name}" is a backend of accelerator-portal itself and of {package}'
            raise BackendError(f"{what}; rename the entry point of {package}")
        return _checked(name, import_module(_BUILT_IN[name]).BACKEND)
    if not points:
        remedy = did_you_mean(name, backend_names())
        raise BackendError(f'no backend of ExecuTorch is called "{name}"; {remedy}')
    if len({point.value for point in points}) > 1:
        packages = " and ".join(sorted(map(_package, points)))
        raise BackendError(f'"{name}" is a backend of {packages}; uninstall one of them')
    return _checked(name, points[0].load())


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _checked(name: str, found: object) -> Backend:
    if not isinstance(found, Backend):
        kind = type(found).__name__
        what = f'the entry point "{name}" of {GROUP} is not a Backend but an instance of {kind}'
        raise BackendError(f"{what}; name an object of {Backend.__module__}.Backend")
    if found.name != name:
        raise BackendError(f'the backend "{name}" has the name "{found.name}". Use one name')
    names = [recipe.name for recipe in found.recipes]
    for recipe in found.recipes:
        if fault := _fault(recipe, names):
            raise BackendError(f'the backend "{name}": {fault}')
    return found


def _fault(recipe: Recipe, names: list[str]) -> str | None:
    if not _NAME.fullmatch(recipe.name) or len(recipe.name) > _LONGEST:
        return f'"{recipe.name}" is not a valid recipe name. Use lowercase letters, digits and _'
    if names.count(recipe.name) > 1 or recipe.name == PORTABLE.name:
        return f'the recipe "{recipe.name}" exists twice; give each recipe a unique name'
    if recipe.quantizer and recipe.sqnr_db is None:
        return f'the recipe "{recipe.name}" quantizes but has no limit. Set sqnr_db'
    return None

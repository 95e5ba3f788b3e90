"""Finds ExecuTorch backends by name: built-in backends, and backends of other packages.

A package that brings a backend names it in its pyproject.toml:

    [project.entry-points."accelerator_portal.executorch_backends"]
    mine = "my_package.portal:BACKEND"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from accelerator_reports.files.problem import did_you_mean
from accelerator_validation.executorch.backend import PLAIN, PORTABLE, Backend, Recipe
from accelerator_validation.plan import RunError

BACKEND_GROUP = "accelerator_portal.executorch_backends"
DEFAULT_BACKEND = "xnnpack"

_BACKENDS_PACKAGE = "accelerator_validation.suites.executorch.backends"
_BUILT_IN = {
    "arm_ethos_u55": "arm:ETHOS_U55",
    "arm_tosa": "arm:TOSA",
    **{name: f"{name}:BACKEND" for name in ("coreml", "openvino", "qnn", "vulkan", "xnnpack")},
}
_RECIPE_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_MAX_NAME_CHARS = 60


def find_backend(name: str) -> Backend:
    """Return the backend with this name.

    Raises RunError if no backend or more than one backend has this name, or if the backend's
    definition is invalid. Exceptions of importing the backend are passed on.
    """
    points = [point for point in entry_points(group=BACKEND_GROUP) if point.name == name]
    if name in _BUILT_IN:
        if points:
            package = _package_name(points[0])
            problem = f'"{name}" is a backend of accelerator-portal itself and of {package}'
            raise RunError(f"{problem}; rename the entry point of {package}")
        module, _, attribute = _BUILT_IN[name].partition(":")
        return _validated_backend(
            name, getattr(import_module(f"{_BACKENDS_PACKAGE}.{module}"), attribute)
        )
    if not points:
        other_names = {point.name for point in entry_points(group=BACKEND_GROUP)}
        remedy = did_you_mean(name, sorted({*_BUILT_IN, *other_names}))
        raise RunError(f'no backend of ExecuTorch is called "{name}"; {remedy}')
    if len({point.value for point in points}) > 1:
        packages = " and ".join(sorted(map(_package_name, points)))
        raise RunError(f'"{name}" is a backend of {packages}; uninstall one of them')
    return _validated_backend(name, points[0].load())


def _package_name(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _validated_backend(name: str, backend: object) -> Backend:
    if not isinstance(backend, Backend):
        class_name = type(backend).__name__
        entry = f'the entry point "{name}" of {BACKEND_GROUP}'
        problem = f"{entry} is not a Backend but an instance of {class_name}"
        raise RunError(f"{problem}; name an object of {Backend.__module__}.Backend")
    if backend.name != name:
        raise RunError(f'the backend "{name}" has the name "{backend.name}". Use one name')
    names = [recipe.name for recipe in backend.recipes]
    for recipe in backend.recipes:
        fault = None
        if not _RECIPE_NAME.fullmatch(recipe.name) or len(recipe.name) > _MAX_NAME_CHARS:
            fault = (
                f'"{recipe.name}" is not a valid recipe name. Use lowercase letters, digits and _'
            )
        elif names.count(recipe.name) > 1 or recipe.name == PORTABLE.name:
            fault = f'the recipe "{recipe.name}" exists twice; give each recipe a unique name'
        elif recipe.quantizer and recipe.sqnr_db is None:
            fault = f'the recipe "{recipe.name}" quantizes but has no limit. Set sqnr_db'
        if fault:
            raise RunError(f'the backend "{name}": {fault}')
    return backend


@dataclass(frozen=True, slots=True)
class Flow:
    """A backend and one of its recipes."""

    backend: Backend
    recipe: Recipe


def find_backends(names: str) -> tuple[Backend, ...]:
    """Return the backends named in a comma-separated list: `xnnpack,openvino`.

    Raises the errors of `find_backend`, and RunError if a name is repeated.
    """
    requested_names = [name.strip() for name in names.split(",")]
    if repeated_names := sorted(
        {name for name in requested_names if requested_names.count(name) > 1}
    ):
        raise RunError(f'the backend "{repeated_names[0]}" is listed twice. List it once')
    return tuple(find_backend(name) for name in requested_names)


def find_flows(names: str) -> dict[str, Flow]:
    """Return the flows of backends, by the values that the test parameter `recipe` can have.

    `names` has the names of the backends, separated by commas. For the first backend, a value is
    the name of a recipe, such as `static_int8`. For other backends, it is ExecuTorch's name of the
    flow, such as `openvino_static_int8`, or `openvino` for the recipe `plain`. The recipe
    `portable`, which uses no backend, is always added.

    Raises the errors of `find_backends`, and RunError if two flows have the same value.
    """
    first_backend, *other_backends = find_backends(names)
    flows = {recipe.name: Flow(first_backend, recipe) for recipe in first_backend.recipes}
    for backend in other_backends:
        for recipe in backend.recipes:
            name = backend.name if recipe.name == PLAIN else f"{backend.name}_{recipe.name}"
            if name in flows:
                raise RunError(
                    f'the recipe "{name}" exists in several backends. Test the backends separately'
                )
            flows[name] = Flow(backend, recipe)
    return {**flows, PORTABLE.name: Flow(first_backend, PORTABLE)}

"""Flows: a backend with one of its recipes, found by the value of the parameter `recipe`.

A run tests one backend, or several at once: `--backend xnnpack,openvino`. The recipes of the first
keep their names. Those of the others are named as ExecuTorch names its flows: `openvino` for the
recipe `plain`, and `openvino_static_int8` for `static_int8`. So tests of several backends have
different names in one report, and those of the first have the names that they have alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.validation.executorch.backend import PLAIN, PORTABLE, Backend, Recipe
from accelerator_portal.validation.executorch.registry import BackendError, find_backend


@dataclass(frozen=True, slots=True)
class Flow:
    """A backend and a recipe of it."""

    name: str
    """As the parameter `recipe` has it."""
    backend: Backend
    recipe: Recipe


def backends_of(names: str) -> tuple[Backend, ...]:
    """Return the backends that are named, separated by commas; raises BackendError."""
    wanted = [name.strip() for name in names.split(",")]
    if twice := sorted({name for name in wanted if wanted.count(name) > 1}):
        raise BackendError(f'the backend "{twice[0]}" is listed twice. List it once')
    return tuple(find_backend(name) for name in wanted)


def find_flows(names: str) -> dict[str, Flow]:
    """Return the flows of backends by the value of `recipe`; raises BackendError."""
    first, *others = backends_of(names)
    flows = {recipe.name: Flow(recipe.name, first, recipe) for recipe in first.recipes}
    for backend in others:
        for recipe in backend.recipes:
            name = flow_name(backend.name, recipe.name)
            if name in flows:
                raise BackendError(
                    f'the recipe "{name}" exists in several backends. Test the backends separately'
                )
            flows[name] = Flow(name, backend, recipe)
    return {**flows, PORTABLE.name: Flow(PORTABLE.name, first, PORTABLE)}


def find_flow(names: str, recipe: str) -> Flow:
    """Return one of them; raises BackendError, and KeyError for a recipe that there is not."""
    return find_flows(names)[recipe]


def flow_name(backend: str, recipe: str) -> str:
    """Return what ExecuTorch calls a flow: the backend alone where the recipe is `plain`."""
    return backend if recipe == PLAIN else f"{backend}_{recipe}"

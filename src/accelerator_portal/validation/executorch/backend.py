"""What a backend of ExecuTorch brings, so that its recipes can be tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Execute = Callable[[Sequence[Any]], Sequence[Any]]
"""Runs the loaded program once on tensors and returns its outputs."""


Simulate = Callable[[Any], Execute]
"""Makes of a lowered program, an `EdgeProgramManager`, what runs it without the runtime."""


class NotHereError(Exception):
    """A step needs what this machine does not have; the message names it.

    Raise it in `lowering`, `quantizer` or `load`. The test is then skipped at that step, with the
    figures of the steps before it: it says nothing about the backend.
    """


def nothing() -> dict[str, Any]:
    """Return no arguments: nothing is delegated."""
    return {}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to bring a model to a backend; with the backend it is what ExecuTorch calls a flow.

    Numbers must be within `atol + rtol * |reference|`. Of a quantized recipe the reference is the
    quantized model as PyTorch computes it; there, instead, the signal must stand `sqnr_db` decibels
    above the difference: a backend may round half a step otherwise.
    """

    name: str
    """As it stands after the backend in the name of a flow: `static_int8_per_channel`."""
    lowering: Callable[[], Mapping[str, Any]] = nothing
    """Gives the arguments of `to_edge_transform_and_lower`: partitioner, passes, configuration."""
    quantizer: Callable[[], Any] | None = None
    """Makes a PT2E quantizer; None: nothing is quantized."""
    dtype: str | None = None
    """The type that model and inputs are turned into; None: they stay as they are."""
    delegates: bool = True
    """Whether the backend is to take part in it at all."""
    rtol: float = 1e-3
    """Part of the reference."""
    atol: float = 1e-3
    """On top of that."""
    sqnr_db: float | None = None
    """Signal to noise in dB that the outputs must reach, instead of `rtol` and `atol`.

    A quantized recipe has one, and one of a backend that computes in a narrower type.
    """
    fold_quantize: bool = True
    """Whether weights are stored as integers before the model is lowered."""
    two_steps: bool = False
    """Whether it is lowered by `to_edge` and `to_backend` instead of `to_edge_transform_and_lower`.

    Of what `lowering` gives, the partitioners and `compile_config` are then used.
    """

    @property
    def is_plain(self) -> bool:
        """Whether it leaves numbers as they are: what every test of a backend begins with."""
        changed = self.quantizer or self.dtype or self.two_steps
        return self.delegates and not changed


PLAIN = "plain"
"""Name of the recipe that leaves a model as it is, as a flow with nothing behind its backend."""


def _unchecked() -> dict[str, Any]:
    """Let operators through that ExecuTorch's core has none of: loading tells which are missing."""
    from executorch.exir import EdgeCompileConfig

    return {"compile_config": EdgeCompileConfig(_check_ir_validity=False)}


PORTABLE = Recipe("portable", _unchecked, delegates=False)
"""What every runtime of ExecuTorch does with a model of which no backend takes any part."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend with its recipes; `portable` is added to them."""

    name: str
    """As it begins the names of its flows: `xnnpack`."""
    runtime_name: str
    """As it is registered in ExecuTorch's runtime: `XnnpackBackend`."""
    recipes: tuple[Recipe, ...]
    """What it can do."""
    version: Callable[[], str] | None = None
    """Version of the backend's own software; None: it is a part of ExecuTorch."""
    load: Callable[[bytes], Execute] | None = None
    """Loads a program where the backend runs; None: in this process, with `executorch.runtime`."""
    packages: tuple[str, ...] = field(default=())
    """Names of packages whose versions belong into a report."""
    simulate: Simulate | None = None
    """Runs what was lowered in a simulator of the backend; None: the program is loaded and run."""
    simulator: str = "a simulator"
    """What that is called in a result: `the TOSA reference model`."""
    needs: str | None = None
    """What running a program needs, where ExecuTorch's packages on PyPI do not have it."""

    @property
    def all_recipes(self) -> tuple[Recipe, ...]:
        """Its recipes and `portable`."""
        return (*self.recipes, PORTABLE)

    def recipe(self, name: str) -> Recipe:
        """Return one of its recipes; raises KeyError."""
        return {recipe.name: recipe for recipe in self.all_recipes}[name]

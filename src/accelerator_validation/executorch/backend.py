"""Defines what a backend of ExecuTorch provides, so that its recipes can be tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

Execute = Callable[[Sequence[Any]], Sequence[Any]]
"""Runs the loaded program once on tensors and returns its outputs."""


Simulate = Callable[[Any], Execute]
"""Returns, for a lowered program (`EdgeProgramManager`), a function that runs it without the
runtime."""


class NotHereError(Exception):
    """Raised if a step needs something that this machine lacks; the message names it.

    Raise it in `lowering`, `quantizer` or `load`. The test is then skipped at that step, with
    the metrics of the steps before it, because it says nothing about the backend.
    """


@contextmanager
def importing(what: str, install: str) -> Iterator[None]:
    """Turn an ImportError into a NotHereError that names the software and how to install it."""
    try:
        yield
    except ImportError as error:
        raise NotHereError(f"{what} cannot be imported: {error}. {install}") from None


def version_of(package: str) -> Callable[[], str]:
    """Return a function that returns a package's version, or "not installed"."""

    def version() -> str:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return "not installed"

    return version


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to run a model on a backend; with a backend, it is a flow in ExecuTorch's terms.

    Outputs must be within `atol + rtol * |reference|`. A quantized recipe is compared with the
    quantized model in PyTorch. Since a backend may round differently, it must reach a
    signal-to-noise ratio of `sqnr_db` decibels instead.
    """

    name: str
    """As it stands after the backend in the name of a flow: `static_int8_per_channel`."""
    lowering: Callable[[], Mapping[str, Any]] = dict
    """Gives the arguments of `to_edge_transform_and_lower`: partitioner, passes, configuration."""
    quantizer: Callable[[], Any] | None = None
    """Returns a PT2E quantizer. None: nothing is quantized."""
    dtype: str | None = None
    """The type that model and inputs are turned into; None: they stay as they are."""
    delegates: bool = True
    """Whether the recipe uses the backend at all."""
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
        """Whether the recipe leaves a model's numbers unchanged."""
        changed = self.quantizer or self.dtype or self.two_steps
        return self.delegates and not changed


PLAIN = "plain"
"""Name of the recipe that leaves a model as it is, as a flow with nothing behind its backend."""


QUANTIZED_DB = 20
"""The usual `sqnr_db` of quantized recipes: the difference has a tenth of the signal's length.

A quantized model and XNNPACK differ by the rounding of single steps, which add up in a model as
those of quantization itself: of one operator 42 dB and more are left, of a ConvNext 29 dB, where
28 dB are left of the model before it was quantized (measured on 2026-11-21 with ExecuTorch 1.5.1).
A result that is wrong differs by more.
"""


def unchecked() -> dict[str, Any]:
    """Return lowering arguments that allow operators outside of ExecuTorch's core set.

    Missing operators are then reported when the program is loaded.
    """
    from executorch.exir import EdgeCompileConfig

    return {"compile_config": EdgeCompileConfig(_check_ir_validity=False)}


PORTABLE = Recipe("portable", unchecked, delegates=False)
"""Runs a model in ExecuTorch's runtime without any backend."""


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
    """What running a program needs in addition to ExecuTorch's packages on PyPI."""

    @property
    def all_recipes(self) -> tuple[Recipe, ...]:
        """The backend's recipes and `portable`."""
        return (*self.recipes, PORTABLE)

    def recipe(self, name: str) -> Recipe:
        """Return a recipe by name. Raises KeyError."""
        return {recipe.name: recipe for recipe in self.all_recipes}[name]

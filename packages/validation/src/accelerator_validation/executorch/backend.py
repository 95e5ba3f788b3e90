"""Describes an ExecuTorch backend to test (`Backend`), and its ways to run a model (`Recipe`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from accelerator_reports.environment import installed_version

Execute = Callable[[Sequence[Any]], Sequence[Any]]
"""A function that runs a loaded program once on tensors and returns its outputs."""


Simulate = Callable[[Any], Execute]
"""A function that takes a lowered program, an `EdgeProgramManager`, and returns a function that
runs it in a simulator."""


class UnavailableError(Exception):
    """Raised if this machine lacks software or hardware for a step; the message names it.

    A backend may raise it in `lowering`, `quantizer`, `simulate` or `load`. The test is then
    skipped at that step, and keeps the metrics of the earlier steps.
    """


@contextmanager
def required_import(what: str, install: str) -> Iterator[None]:
    """Turn an ImportError in a `with` block into an UnavailableError.

    `what` is the name of the software that the block imports, and `install` is a sentence that says
    how to install it. The error's message has both.
    """
    try:
        yield
    except ImportError as error:
        raise UnavailableError(f"{what} cannot be imported: {error}. {install}") from None


def version_reader(package: str) -> Callable[[], str]:
    """Return a function that returns a package's version, or "not installed"."""
    return lambda: installed_version(package) or "not installed"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to lower and run a model, such as one kind of quantization.

    In ExecuTorch, a *flow* is a backend together with one of its recipes.

    Outputs may differ from the reference by `atol + rtol * |reference|`. If `sqnr_db` is set, they
    must reach this signal-to-noise ratio instead. If the recipe quantizes, the reference is the
    quantized model in PyTorch.
    """

    name: str
    """The name, such as `static_int8`. The name of a flow consists of the names of the backend and
    the recipe: `openvino_static_int8`."""
    lowering: Callable[[], Mapping[str, Any]] = dict
    """A function that returns the arguments for `to_edge_transform_and_lower`, by name: the
    partitioner, passes and configuration."""
    quantizer: Callable[[], Any] | None = None
    """A function that returns a PT2E quantizer. None: nothing is quantized."""
    dtype: str | None = None
    """The data type to which model and inputs are converted; None: they are not converted."""
    delegates: bool = True
    """Whether the recipe delegates parts of the model to the backend."""
    rtol: float = 1e-3
    """The allowed difference, as a share of the reference."""
    atol: float = 1e-3
    """The allowed absolute difference, in addition to `rtol`."""
    sqnr_db: float | None = None
    """The signal-to-noise ratio in dB that the outputs must reach, instead of `rtol` and `atol`.

    It is set for quantized recipes, and for backends that compute in a narrower data type.
    """
    fold_quantize: bool = True
    """Whether weights are stored as integers before the model is lowered."""
    two_steps: bool = False
    """Whether the model is lowered by `to_edge` and `to_backend`, in two steps.

    Otherwise, it is lowered by `to_edge_transform_and_lower`. With two steps, only the arguments
    `partitioner` and `compile_config` of `lowering` are used.
    """

    @property
    def is_plain(self) -> bool:
        """Whether the recipe only delegates: `quantizer`, `dtype` and `two_steps` are not set."""
        changed = self.quantizer or self.dtype or self.two_steps
        return self.delegates and not changed


PLAIN = "plain"
"""The name of the recipe that does not change a model. Its flow is named like the backend."""


QUANTIZED_SQNR_DB = 20
"""The usual `sqnr_db` of quantized recipes. It allows a difference of 10% of the reference's norm.

A quantized model and XNNPACK differ by rounding in single steps, which adds up over a model, as
quantization errors do. On 2026-11-21, with ExecuTorch 1.5.1, single operators reached at least
42 dB, and a ConvNext reached 29 dB. Compared with the model before quantization, the ConvNext
reached 28 dB. Wrong results differ by more than 10%.
"""


def unchecked_lowering_arguments() -> dict[str, Any]:
    """Return lowering arguments that allow operators outside of ExecuTorch's core set.

    Missing operators are then reported when the program is loaded.
    """
    from executorch.exir import EdgeCompileConfig

    return {"compile_config": EdgeCompileConfig(_check_ir_validity=False)}


PORTABLE = Recipe("portable", unchecked_lowering_arguments, delegates=False)
"""The recipe that runs a model in ExecuTorch's runtime without any backend."""


@dataclass(frozen=True, slots=True)
class Backend:
    """An ExecuTorch backend: its names, its recipes, and how to load and run programs on it."""

    name: str
    """The name with which `--backend` selects it, such as `xnnpack`. The names of its flows begin
    with this name."""
    runtime_name: str
    """The name of the backend in ExecuTorch's runtime, such as `XnnpackBackend`."""
    recipes: tuple[Recipe, ...]
    """The ways to lower and run a model on this backend."""
    version: Callable[[], str] | None = None
    """A function that returns the version of the backend's own software. None: the backend is a
    part of ExecuTorch."""
    load: Callable[[bytes], Execute] | None = None
    """A function that loads a program on the backend's device. None: programs are loaded in this
    process, with `executorch.runtime`."""
    packages: tuple[str, ...] = ()
    """The names of packages whose versions are recorded in reports."""
    simulate: Simulate | None = None
    """A function that prepares a lowered program for a simulator. None: programs are loaded and run
    without a simulator."""
    simulator: str = "a simulator"
    """The name of the simulator in results: `the TOSA reference model`."""
    needs: str | None = None
    """What running a program requires in addition to ExecuTorch's packages on PyPI."""

"""Defines a metric of ExecuTorch tests.

The metrics of this project are in the table of `suites/executorch/metrics.py`; a package adds its
own by an entry point:

    [project.entry-points."accelerator_portal.executorch_metrics"]
    energy = "my_package.portal:ENERGY"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

GROUP = "accelerator_portal.executorch_metrics"

ProgramStep = Literal["export", "quantize", "lower", "serialize", "load", "run", "compare"]

STEPS: tuple[ProgramStep, ...] = (
    "export",
    "quantize",
    "lower",
    "serialize",
    "load",
    "run",
    "compare",
)
"""In their order; a recipe without a quantizer has no step `quantize`."""

Figures = Mapping[str, tuple[float, str]]
"""Values and units by name; the unit of a plain number is `1`."""


@dataclass
class Observed:
    """The observations of a test so far; each step adds its own."""

    seconds: dict[ProgramStep, float] = field(default_factory=dict)
    """How long steps took, also one that failed; of `run` the first run."""
    run_seconds: Sequence[float] = ()
    """The times of further runs."""
    memory_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The greatest memory of the process from the step before, where the system tells it: at the
    end of `serialize` for everything until then, at the end of `run` for loading and running."""
    memory_before_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The memory of the process when these steps began, by the same names."""
    sample: Any = None
    """The model with its inputs."""
    edge: Any = None
    """The lowered program, an `EdgeProgramManager` made with `generate_etrecord`."""
    delegation: Any = None
    """What backends took of it, a `Delegation`."""
    program: Any = None
    """The finished program, an `ExecutorchProgramManager`."""
    found: Sequence[Any] = ()
    """Outputs of the program."""
    reference: Sequence[Any] = ()
    """What it is compared with."""
    original: Sequence[Any] = ()
    """Outputs of the model before anything was done to it."""
    figures: dict[str, tuple[float, str]] = field(default_factory=dict)
    """What metrics found so far; for those that are derived from others."""

    def value(self, name: str) -> float | None:
        """Return the value of another metric, or None."""
        return self.figures[name][0] if name in self.figures else None


@dataclass(frozen=True, slots=True)
class ProgramMetric:
    """A metric, or several related metrics, and the step after which it is measured."""

    name: str
    after: ProgramStep | Literal["each", "end"]
    """The step at whose end it is measured; `each`: of every step. `end`: last of all, from the
    figures of others, also where a test stopped before its end."""
    measure: Callable[[Observed], Figures]
    """Returns the figures; no figure where it does not apply."""

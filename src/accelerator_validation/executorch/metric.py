"""Defines a metric of ExecuTorch tests.

The metrics of this project are in the table of `suites/executorch/metrics.py`. Another package adds
a metric by an entry point:

    [project.entry-points."accelerator_portal.executorch_metrics"]
    energy = "my_package.portal:ENERGY"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

METRIC_GROUP = "accelerator_portal.executorch_metrics"

ProgramStep = Literal["export", "quantize", "lower", "serialize", "load", "run", "compare"]
"""A step of a test, in their order; a recipe without a quantizer has no step `quantize`."""

MetricValues = Mapping[str, tuple[float, str]]
"""A value and its unit for each metric, by name; the unit of a plain number is `1`."""


@dataclass
class ProgramObservations:
    """The observations of a test so far. Each step adds observations."""

    seconds: dict[ProgramStep, float] = field(default_factory=dict)
    """The seconds that each step took, also if it failed; for `run`, those of the first run, if it
    succeeded."""
    run_seconds: Sequence[float] = ()
    """The seconds of each further run."""
    memory_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The peak memory of the process in MB, if the system states it: under `serialize` for all
    steps up to that one, under `run` for loading and running."""
    memory_before_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The memory of the process in MB when these steps began, under the keys of `memory_mb`."""
    sample: Any = None
    """The model with its inputs."""
    edge: Any = None
    """The lowered program, an `EdgeProgramManager` made with `generate_etrecord`."""
    delegation: Any = None
    """The operators inside and outside of delegates, a `Delegation`."""
    program: Any = None
    """The finished program, an `ExecutorchProgramManager`."""
    found: Sequence[Any] = ()
    """The outputs of the program."""
    reference: Sequence[Any] = ()
    """The outputs that those of the program are compared with."""
    original: Sequence[Any] = ()
    """The outputs of the model in PyTorch, before quantization and lowering."""
    figures: dict[str, tuple[float, str]] = field(default_factory=dict)
    """The values and units so far, for metrics that are derived from others."""

    def value(self, name: str) -> float | None:
        """Return the value of another metric, or None if it has no value."""
        return self.figures[name][0] if name in self.figures else None


@dataclass(frozen=True, slots=True)
class ProgramMetric:
    """A metric, or several related metrics, and the step after which it is measured."""

    name: str
    after: ProgramStep | Literal["each", "end"]
    """The step after which it is measured. `each`: after every step. `end`: after the last step,
    also if the test stopped early, from the values of other metrics."""
    measure: Callable[[ProgramObservations], MetricValues]
    """Returns the values with their units; empty if the metric does not apply."""

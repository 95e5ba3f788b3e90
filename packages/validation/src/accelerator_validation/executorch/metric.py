"""Defines the class of a metric of ExecuTorch tests, and the measurements that metrics can use.

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
"""A step of a test. The steps are listed in order. Without a quantizer, `quantize` is omitted."""

MetricValues = Mapping[str, tuple[float, str]]
"""The value and the unit of each metric, by its name: `{"lower_time": (1.5, "s")}`. The unit of a
plain number is `1`."""


@dataclass
class ProgramObservations:
    """The observations of a running test. Each step adds observations."""

    seconds: dict[ProgramStep, float] = field(default_factory=dict)
    """The seconds that each step took, even if it failed. The key `run` has the seconds of the
    first run, and is absent if the first run failed."""
    run_seconds: Sequence[float] = ()
    """The seconds of each run after the first."""
    memory_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The peak memory of the process in MB. The value of the key `serialize` is the peak in all
    steps up to `serialize`. The value of the key `run` is the peak in the steps `load` and `run`.
    Empty if the system does not state the memory."""
    memory_before_mb: dict[ProgramStep, float] = field(default_factory=dict)
    """The memory of the process in MB before the steps that a value in `memory_mb` covers, by the
    same keys as `memory_mb`."""
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
    """The reference outputs, with which the program's outputs are compared."""
    original: Sequence[Any] = ()
    """The outputs of the model in PyTorch, before quantization and lowering."""
    figures: dict[str, tuple[float, str]] = field(default_factory=dict)
    """The value and the unit of each metric measured so far, by its name. Metrics measured later
    can be derived from these values."""

    def value(self, name: str) -> float | None:
        """Return the value of the metric `name`, or None if it was not measured."""
        return self.figures[name][0] if name in self.figures else None


@dataclass(frozen=True, slots=True)
class ProgramMetric:
    """A metric, or several related metrics, and the step after which it is measured."""

    name: str
    after: ProgramStep | Literal["each", "end"]
    """The step after which it is measured. `each`: after every step. `end`: at the end of the test,
    even if the test stopped early."""
    measure: Callable[[ProgramObservations], MetricValues]
    """A function that returns the values and their units; empty if the metric does not apply."""

"""Measures an ExecuTorch test while it runs: times, memory, program size and output errors.

The attribute `after` of a metric is the step after which it is measured, such as `lower` or `run`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from statistics import median

import torch
from pydantic import TypeAdapter, ValidationError

from accelerator_reports.environment import proc_field
from accelerator_reports.files.problem import first_error_text
from accelerator_reports.report import ReportText, Slug
from accelerator_validation.case import describe_error, short_message
from accelerator_validation.executorch.metric import (
    METRIC_GROUP,
    MetricValues,
    ProgramMetric,
    ProgramObservations,
    ProgramStep,
)
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.executorch.delegation import program_sizes
from accelerator_validation.suites.executorch.differences import tensor_difference, worst_sqnr

_STEPS_TO_PROGRAM = ("export", "quantize", "lower", "serialize")

# ExecuTorch's own suite has error statistics of the same number of outputs.
_MEASURED_OUTPUTS = 2

_MAX_FAULT_CHARS = 160

_METRIC_VALUES = TypeAdapter(dict[Slug, tuple[float, ReportText]])


def _step_times(observed: ProgramObservations) -> MetricValues:
    """Return the time of each finished step in seconds: `{"lower_time": (0.5, "s")}`.

    The steps `run` and `compare` are omitted.
    """
    return {
        f"{step}_time": (round(seconds, 6), "s")
        for step, seconds in observed.seconds.items()
        if step not in {"run", "compare"}
    }


def _run_times(observed: ProgramObservations) -> MetricValues:
    """Return the time of the first run and the median time of later runs, in seconds."""
    first_run = {"first_run_time": (round(observed.seconds["run"], 6), "s")}
    if not observed.run_seconds:
        return first_run
    return {**first_run, "run_time": (round(median(observed.run_seconds), 6), "s")}


def _output_errors(observed: ProgramObservations) -> MetricValues:
    """Return statistics of the differences between the first two outputs and their references."""
    figures: dict[str, tuple[float, str]] = {}
    pairs = zip(observed.found, observed.reference, strict=False)
    for number, (output, reference) in enumerate(pairs):
        if number < _MEASURED_OUTPUTS and all(
            isinstance(x, torch.Tensor) for x in (output, reference)
        ):
            difference = tensor_difference(output, reference)
            figures |= difference.metrics(number) if difference else {}
    return figures


def _quantization_error(observed: ProgramObservations) -> MetricValues:
    """Return the lowest signal-to-noise ratio in dB of the outputs, against the unquantized model.

    The result is empty if nothing was quantized.
    """
    if "quantize" not in observed.seconds:
        return {}
    sqnr_db = worst_sqnr(observed.found, observed.original)
    return {"sqnr_to_unquantized": (sqnr_db, "dB")} if sqnr_db is not None else {}


def _aot_memory(observed: ProgramObservations) -> MetricValues:
    """Return two metrics of the process's memory in MB, from export to serialization.

    - `peak_memory`: the peak memory.
    - `aot_memory`: the difference between the peak and the memory before export.
    """
    peak = observed.memory_mb.get("serialize")
    start_mb = observed.memory_before_mb.get("serialize")
    if peak is None or start_mb is None:
        return {}
    return {
        "peak_memory": (round(peak, 1), "MB"),
        "aot_memory": (round(max(0.0, peak - start_mb), 1), "MB"),
    }


def _aot_time(observed: ProgramObservations) -> MetricValues:
    """Return the total time of the steps from export to serialization, in seconds.

    The result is empty if the steps did not produce a program.
    """
    times = [observed.value(f"{step}_time") or 0.0 for step in _STEPS_TO_PROGRAM]
    return {"aot_time": (round(sum(times), 6), "s")} if observed.program is not None else {}


def _nodes_per_delegate(observed: ProgramObservations) -> MetricValues:
    """Return the mean number of nodes in a delegate. A low number means many small delegates."""
    delegates, nodes = observed.value("delegates"), observed.value("delegated_nodes")
    if not delegates or nodes is None:
        return {}
    return {"nodes_per_delegate": (round(nodes / delegates, 2), "1")}


def _run_memory(observed: ProgramObservations) -> MetricValues:
    """Return the memory in MB that loading and running the program added to the process."""
    peak, start_mb = observed.memory_mb.get("run"), observed.memory_before_mb.get("run")
    if peak is None or start_mb is None:
        return {}
    return {"run_memory": (round(max(0.0, peak - start_mb), 1), "MB")}


METRICS = (
    ProgramMetric("aot_memory", "end", _aot_memory),
    ProgramMetric("aot_time", "end", _aot_time),
    ProgramMetric("delegation_counts", "lower", lambda observed: observed.delegation.metrics),
    ProgramMetric("nodes_per_delegate", "end", _nodes_per_delegate),
    ProgramMetric("output_errors", "compare", _output_errors),
    ProgramMetric("program_sizes", "serialize", lambda observed: program_sizes(observed.program)),
    ProgramMetric("quantization_error", "compare", _quantization_error),
    ProgramMetric("run_memory", "end", _run_memory),
    ProgramMetric("run_times", "run", _run_times),
    ProgramMetric("step_times", "each", _step_times),
)


class Measurement:
    """Measures a running test: times its steps, and stores its metrics in the test's context."""

    def __init__(self, context: Context) -> None:
        self.observed = ProgramObservations()
        self.faults: list[str] = []
        """Sentences about metrics that could not be computed."""
        self._context = context

    @contextmanager
    def step(self, name: ProgramStep) -> Iterator[None]:
        """Measure the time of a `with` block as the step `name`, and compute metrics.

        After the block, the metrics with `after="each"` are computed, even if the block raises an
        exception. If it raises none, the metrics whose `after` is `name` are computed, too.
        """
        start = time.perf_counter()
        try:
            yield
        finally:
            self.observed.seconds.setdefault(name, time.perf_counter() - start)
            self._compute_metrics("each")
        self._compute_metrics(name)

    @contextmanager
    def memory(self, until: ProgramStep) -> Iterator[None]:
        """Record the memory of the process before a `with` block, and its peak in the block.

        Both values are stored in `observed` under `until`, the last step in the block.
        """
        with suppress(OSError):  # reset the peak
            Path("/proc/self/clear_refs").write_text("5", "ascii")
        if start_mb := _memory_mb("VmRSS"):
            self.observed.memory_before_mb[until] = start_mb
        yield
        if peak := _memory_mb("VmHWM"):
            self.observed.memory_mb[until] = peak

    def finish(self) -> None:
        """Compute the metrics with `after="end"`, at the end of the test."""
        self._compute_metrics("end")

    def _compute_metrics(self, moment: str) -> None:
        for metric in all_metrics():
            if metric.after == moment:
                self._compute_metric(metric)

    def _compute_metric(self, metric: ProgramMetric) -> None:
        try:
            values = reportable_values(metric.measure(self.observed))
        except Exception as error:  # noqa: BLE001 - a package's metric may raise anything
            error_text = short_message(describe_error(error), _MAX_FAULT_CHARS)
            self.faults.append(f"The metric {metric.name} could not be computed: {error_text}.")
            return
        self.observed.figures |= values
        self._context.metrics |= values


def reportable_values(values: MetricValues) -> dict[str, tuple[float, str]]:
    """Return a metric's values without infinite ones and NaN.

    Raises ValueError if a report cannot contain a name, value or unit: the metric of another
    package can return anything.
    """
    try:
        valid_values = _METRIC_VALUES.validate_python(values)
    except ValidationError as error:
        raise ValueError(first_error_text(error)) from None
    return {n: (value, unit) for n, (value, unit) in valid_values.items() if math.isfinite(value)}


@cache
def all_metrics() -> tuple[ProgramMetric, ...]:
    """Return the metrics of this project, then the metrics of other packages sorted by name."""
    points = sorted(entry_points(group=METRIC_GROUP), key=lambda point: (point.name, point.value))
    return (*METRICS, *map(_load_metric, points))


def _load_metric(point: EntryPoint) -> ProgramMetric:
    """Return the metric to which an entry point of another package refers.

    If the metric cannot be loaded, return a substitute that raises the error when measured.
    """
    try:
        metric = point.load()
        if isinstance(metric, ProgramMetric):
            return metric
        fault: Exception = TypeError(
            f'the entry point "{point.name}" of {METRIC_GROUP} is not a ProgramMetric'
        )
    except Exception as error:  # noqa: BLE001 - a package may raise anything when it is imported
        fault = error

    def refuse(_: ProgramObservations) -> MetricValues:
        raise fault

    return ProgramMetric(point.name, "end", refuse)


def _memory_mb(field: str) -> float | None:
    """Return a memory size of this process in MB, or None on systems other than Linux.

    `field` is `VmRSS` for the current memory, or `VmHWM` for the peak memory.
    """
    size_text = proc_field(Path("/proc/self/status"), field)
    return int(size_text.split()[0]) * 1024 / 1e6 if size_text else None

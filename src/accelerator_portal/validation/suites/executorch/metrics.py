"""The metrics of ExecuTorch tests: one table of what is measured, after which step."""

from __future__ import annotations

from statistics import median

import torch

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric
from accelerator_portal.validation.suites.executorch.delegation import sizes
from accelerator_portal.validation.suites.executorch.differences import difference, worst_sqnr

_STEPS_TO_PROGRAM = ("export", "quantize", "lower", "serialize")

# ExecuTorch's own suite keeps the error statistics of as many outputs.
_MEASURED_OUTPUTS = 2


def _step_times(observed: Observed) -> Figures:
    """Return the time of each step; the first run is in `run_times`."""
    return {
        f"{step}_time": (round(seconds, 6), "s")
        for step, seconds in observed.seconds.items()
        if step not in {"run", "compare"}
    }


def _delegation_counts(observed: Observed) -> Figures:
    """Return nodes and kinds of operators inside and outside of delegates."""
    counted: Figures = observed.delegation.metrics
    return counted


def _program_sizes(observed: Observed) -> Figures:
    """Return bytes of the program and its delegates, their number, and the planned memory."""
    return sizes(observed.program)


def _run_times(observed: Observed) -> Figures:
    """Return the time of the first run and the median of the runs after it."""
    first = {"first_run_time": (round(observed.seconds["run"], 6), "s")}
    if not observed.run_seconds:
        return first
    return {**first, "run_time": (round(median(observed.run_seconds), 6), "s")}


def _output_errors(observed: Observed) -> Figures:
    """Return the error statistics of the first outputs against the reference."""
    figures: dict[str, tuple[float, str]] = {}
    pairs = zip(observed.found, observed.reference, strict=False)
    for number, (one, other) in enumerate(pairs):
        if number < _MEASURED_OUTPUTS and all(isinstance(x, torch.Tensor) for x in (one, other)):
            measured = difference(one, other)
            figures |= measured.metrics(number) if measured else {}
    return figures


def _quantization_error(observed: Observed) -> Figures:
    """Return the signal-to-noise ratio of the worst output to the model before quantization."""
    if "quantize" not in observed.seconds:
        return {}
    quality = worst_sqnr(observed.found, observed.original)
    return {"sqnr_to_unquantized": (quality, "dB")} if quality is not None else {}


def _aot_memory(observed: Observed) -> Figures:
    """Return the peak memory from export to program, and the increase over the start."""
    peak = observed.memory_mb.get("serialize")
    before = observed.memory_before_mb.get("serialize")
    if peak is None or before is None:
        return {}
    return {
        "peak_memory": (round(peak, 1), "MB"),
        "aot_memory": (round(max(0.0, peak - before), 1), "MB"),
    }


def _aot_time(observed: Observed) -> Figures:
    """Return the time from PyTorch model to program, once the program exists."""
    times = [observed.value(f"{step}_time") or 0.0 for step in _STEPS_TO_PROGRAM]
    return {"aot_time": (round(sum(times), 6), "s")} if observed.program is not None else {}


def _nodes_per_delegate(observed: Observed) -> Figures:
    """Return the mean number of nodes of a delegate; a low number means many small pieces."""
    delegates, nodes = observed.value("delegates"), observed.value("delegated_nodes")
    if not delegates or nodes is None:
        return {}
    return {"nodes_per_delegate": (round(nodes / delegates, 2), "1")}


def _run_memory(observed: Observed) -> Figures:
    """Return the memory that loading and running the program added to the process."""
    peak, before = observed.memory_mb.get("run"), observed.memory_before_mb.get("run")
    if peak is None or before is None:
        return {}
    return {"run_memory": (round(max(0.0, peak - before), 1), "MB")}


METRICS = (
    ProgramMetric("aot_memory", "end", _aot_memory),
    ProgramMetric("aot_time", "end", _aot_time),
    ProgramMetric("delegation_counts", "lower", _delegation_counts),
    ProgramMetric("nodes_per_delegate", "end", _nodes_per_delegate),
    ProgramMetric("output_errors", "compare", _output_errors),
    ProgramMetric("program_sizes", "serialize", _program_sizes),
    ProgramMetric("quantization_error", "compare", _quantization_error),
    ProgramMetric("run_memory", "end", _run_memory),
    ProgramMetric("run_times", "run", _run_times),
    ProgramMetric("step_times", "each", _step_times),
)

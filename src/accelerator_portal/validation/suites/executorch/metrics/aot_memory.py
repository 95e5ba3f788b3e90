"""The greatest memory of the process from the export to the finished program."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    """Return the peak, and how much of it came on top of what the process held before."""
    peak = observed.memory_mb.get("serialize")
    before = observed.memory_before_mb.get("serialize")
    if peak is None or before is None:
        return {}
    return {
        "peak_memory": (round(peak, 1), "MB"),
        "aot_memory": (round(max(0.0, peak - before), 1), "MB"),
    }


METRIC = ProgramMetric("aot_memory", "end", _measure)

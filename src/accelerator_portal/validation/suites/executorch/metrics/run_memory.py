"""How much memory loading and running a program took on top of what the process held before."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    peak, before = observed.memory_mb.get("run"), observed.memory_before_mb.get("run")
    if peak is None or before is None:
        return {}
    return {"run_memory": (round(max(0.0, peak - before), 1), "MB")}


METRIC = ProgramMetric("run_memory", "end", _measure)

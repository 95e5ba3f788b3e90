"""How long the first run of a program took, and the median of the runs after it."""

from __future__ import annotations

from statistics import median

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    first = {"first_run_time": (round(observed.seconds["run"], 6), "s")}
    if not observed.run_seconds:
        return first
    return {**first, "run_time": (round(median(observed.run_seconds), 6), "s")}


METRIC = ProgramMetric("run_times", "run", _measure)

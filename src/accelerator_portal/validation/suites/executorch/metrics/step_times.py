"""How long each step took: the times of a test by the names of its steps."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    """Return the times so far; of running the first run stands in `run_times`."""
    return {
        f"{step}_time": (round(seconds, 6), "s")
        for step, seconds in observed.seconds.items()
        if step not in {"run", "compare"}
    }


METRIC = ProgramMetric("step_times", "each", _measure)

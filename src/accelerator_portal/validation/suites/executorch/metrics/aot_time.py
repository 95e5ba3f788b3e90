"""How long a model took from PyTorch to a program, derived from the times of the steps."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric

_STEPS = ("export", "quantize", "lower", "serialize")


def _measure(observed: Observed) -> Figures:
    """Return the sum, once the last step has a time."""
    times = [value for step in _STEPS if (value := observed.value(f"{step}_time")) is not None]
    return {"aot_time": (round(sum(times), 6), "s")} if observed.program is not None else {}


METRIC = ProgramMetric("aot_time", "end", _measure)

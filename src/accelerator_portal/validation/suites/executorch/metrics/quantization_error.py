"""How far a quantized program is from the model before it was quantized: the worst output."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric
from accelerator_portal.validation.suites.executorch.differences import worst_sqnr


def _measure(observed: Observed) -> Figures:
    if "quantize" not in observed.seconds:
        return {}
    quality = worst_sqnr(observed.found, observed.original)
    return {"sqnr_to_unquantized": (quality, "dB")} if quality is not None else {}


METRIC = ProgramMetric("quantization_error", "compare", _measure)

"""How far the first outputs are from the reference: four error statistics, and signal to noise."""

from __future__ import annotations

import torch

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric
from accelerator_portal.validation.suites.executorch.differences import difference

# As many outputs as ExecuTorch's own suite keeps.
_MEASURED = 2


def _measure(observed: Observed) -> Figures:
    figures: dict[str, tuple[float, str]] = {}
    pairs = zip(observed.found, observed.reference, strict=False)
    for number, (one, other) in enumerate(pairs):
        if number < _MEASURED and isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            measured = difference(one, other)
            figures |= measured.metrics(number) if measured else {}
    return figures


METRIC = ProgramMetric("output_errors", "compare", _measure)

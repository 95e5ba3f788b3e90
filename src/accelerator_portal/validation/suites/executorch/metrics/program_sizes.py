"""Bytes of the program and of the delegates in it, their number, and the planned memory."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric
from accelerator_portal.validation.suites.executorch.delegation import sizes


def _measure(observed: Observed) -> Figures:
    return sizes(observed.program)


METRIC = ProgramMetric("program_sizes", "serialize", _measure)

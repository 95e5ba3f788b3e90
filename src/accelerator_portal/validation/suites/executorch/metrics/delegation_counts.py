"""Nodes and kinds of operators inside and outside of delegates, and the share of nodes inside."""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    counted: Figures = observed.delegation.metrics
    return counted


METRIC = ProgramMetric("delegation_counts", "lower", _measure)

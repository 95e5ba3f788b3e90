"""How many nodes a delegate has on average, derived: a low number is a model in many pieces.

Each delegate is a change between the backend and ExecuTorch's own kernels.
"""

from __future__ import annotations

from accelerator_portal.validation.executorch.metric import Figures, Observed, ProgramMetric


def _measure(observed: Observed) -> Figures:
    delegates, nodes = observed.value("delegates"), observed.value("delegated_nodes")
    if not delegates or nodes is None:
        return {}
    return {"nodes_per_delegate": (round(nodes / delegates, 2), "1")}


METRIC = ProgramMetric("nodes_per_delegate", "end", _measure)

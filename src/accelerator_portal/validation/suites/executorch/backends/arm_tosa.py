"""Arm's TOSA: what Ethos-U and Arm's GPUs take, computed by the reference model of its standard.

ExecuTorch's runtime has no part for TOSA, and Arm's own tests do not use it either: they run the
lowered program in Python and compute each delegate with the reference model. So does this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from accelerator_portal.validation.executorch.backend import (
    Backend,
    Execute,
    NotHereError,
    Recipe,
)
from accelerator_portal.validation.suites.executorch.backends.arm import (
    INSTALL,
    LEAST_DB,
    lowering,
    quantizer,
)

_CALL = "executorch_call_delegate"


def _specify(profile: str) -> Callable[[], Any]:
    def make() -> Any:
        from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec

        return TosaCompileSpec(f"TOSA-1.0+{profile}")

    return make


def _simulate(edge: Any) -> Execute:
    """Return what runs a lowered program in Python, its delegates in the reference model."""
    try:
        from executorch.backends.arm.test.runner_utils import TosaReferenceModelDispatch
    except ImportError as error:
        raise NotHereError(f"The TOSA tools cannot be imported: {error}. {INSTALL}") from None
    program = edge.exported_program()
    calls = any(str(node.target) == _CALL for node in program.graph.nodes)
    module = program.module()

    def execute(inputs: Sequence[Any]) -> Sequence[Any]:
        from torch.utils._pytree import tree_flatten

        if not calls:
            return list(tree_flatten(module(*inputs))[0])
        with TosaReferenceModelDispatch():
            return list(tree_flatten(module(*inputs))[0])

    return execute


def _version() -> str:
    try:
        return metadata.version("tosa-tools")
    except metadata.PackageNotFoundError:
        return "not installed"


BACKEND = Backend(
    name="arm_tosa",
    runtime_name="TOSABackend",
    version=_version,
    packages=("tosa-tools",),
    simulate=_simulate,
    simulator="the TOSA reference model",
    recipes=(
        Recipe("fp", lowering(_specify("FP"))),
        Recipe("int", lowering(_specify("INT")), quantizer(_specify("INT")), sqnr_db=LEAST_DB),
    ),
)

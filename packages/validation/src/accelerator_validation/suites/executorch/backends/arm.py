"""Provides recipes that lower models to Arm's ExecuTorch backends Ethos-U55 and TOSA.

Models for the Ethos-U55 are compiled here by Vela, but run only on a board or in Arm's simulator.
TOSA is an operator set for Ethos-U and Arm's GPUs. ExecuTorch's runtime doesn't support TOSA.
Like Arm's own tests, this module runs the lowered program in Python, and computes each delegate
with the reference model of the TOSA standard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from accelerator_validation.executorch.backend import (
    PLAIN,
    QUANTIZED_SQNR_DB,
    Backend,
    Execute,
    Recipe,
    required_import,
    unchecked_lowering_arguments,
    version_reader,
)

CompileSpecFactory = Callable[[], Any]
"""A function that returns an `ArmCompileSpec`, which describes a target."""

_INSTALL = 'pip install --no-deps "tosa-tools==2026.5.0" "ethos-u-vela==5.1.0" "ml_dtypes==0.5.1"'
_DELEGATE_CALL = "executorch_call_delegate"


def _lowering(specify: CompileSpecFactory) -> Mapping[str, Any]:
    with required_import("Arm's tools", _INSTALL):
        from executorch.backends.arm.util._factory import create_partitioner

        spec = specify()
    return {"partitioner": [create_partitioner(spec)], **unchecked_lowering_arguments()}


def _quantizer(specify: CompileSpecFactory) -> Any:
    """Return a quantizer for a target, which quantizes to 8 bits with one scale per channel."""
    with required_import("Arm's tools", _INSTALL):
        from executorch.backends.arm.quantizer import get_symmetric_quantization_config
        from executorch.backends.arm.util._factory import create_quantizer

        quantizer = create_quantizer(specify())
    quantizer.set_global(get_symmetric_quantization_config(is_per_channel=True))
    return quantizer


def _recipe(name: str, specify: CompileSpecFactory) -> Recipe:
    return Recipe(
        name, partial(_lowering, specify), partial(_quantizer, specify), sqnr_db=QUANTIZED_SQNR_DB
    )


def _ethos_u55() -> Any:
    from executorch.backends.arm.ethosu import EthosUCompileSpec

    return EthosUCompileSpec(
        "ethos-u55-128", system_config="Ethos_U55_High_End_Embedded", memory_mode="Shared_Sram"
    )


def _tosa(profile: str) -> Any:
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec

    return TosaCompileSpec(f"TOSA-1.0+{profile}")


def _simulate(edge: Any) -> Execute:
    """Return a function that runs a lowered program with Arm's TOSA reference model."""
    with required_import("The TOSA tools", _INSTALL):
        from executorch.backends.arm.test.runner_utils import TosaReferenceModelDispatch
    program = edge.exported_program()
    has_delegates = any(str(node.target) == _DELEGATE_CALL for node in program.graph.nodes)
    module = program.module()

    def execute(inputs: Sequence[Any]) -> Sequence[Any]:
        from torch.utils._pytree import tree_leaves

        with TosaReferenceModelDispatch() if has_delegates else nullcontext():
            return list(tree_leaves(module(*inputs)))

    return execute


ETHOS_U55 = Backend(
    name="arm_ethos_u55",
    runtime_name="EthosUBackend",
    version=version_reader("ethos-u-vela"),
    packages=("ethos-u-vela", "tosa-tools"),
    needs="a board with an Ethos-U55, or Arm's simulator Corstone-300",
    recipes=(_recipe(PLAIN, _ethos_u55),),
)

TOSA = Backend(
    name="arm_tosa",
    runtime_name="TOSABackend",
    version=version_reader("tosa-tools"),
    packages=("tosa-tools",),
    simulate=_simulate,
    simulator="the TOSA reference model",
    recipes=(
        Recipe("fp", partial(_lowering, partial(_tosa, "FP"))),
        _recipe("int", partial(_tosa, "INT")),
    ),
)

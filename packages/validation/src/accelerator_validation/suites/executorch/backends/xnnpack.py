"""Provides recipes that lower models to the ExecuTorch backend XNNPACK, which runs on the CPU.

ExecuTorch's wheels include XNNPACK. Most recipes have the names of flows in ExecuTorch's own suite,
backends/test/suite/flows/xnnpack.py; `fp16`, `bf16`, `dynamic_int4_per_channel` and `to_edge` are
not in that suite. 4-bit quantization applies only to linear layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from accelerator_validation.executorch.backend import PLAIN, QUANTIZED_SQNR_DB, Backend, Recipe


def _lowering() -> Mapping[str, Any]:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.utils.configs import get_xnnpack_edge_compile_config

    return {
        "partitioner": [XnnpackPartitioner()],
        "compile_config": get_xnnpack_edge_compile_config(),
    }


def _quantizer(**options: int) -> Any:
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )

    return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))


def _quantized_recipe(name: str, **options: int) -> Recipe:
    return Recipe(name, _lowering, partial(_quantizer, **options), sqnr_db=QUANTIZED_SQNR_DB)


_INT4_OPTIONS = {"is_per_channel": True, "is_dynamic": True, "weight_qmin": -8, "weight_qmax": 7}

BACKEND = Backend(
    name="xnnpack",
    runtime_name="XnnpackBackend",
    recipes=(
        Recipe(PLAIN, _lowering),
        Recipe("fp16", _lowering, dtype="float16", rtol=1e-2, atol=1e-2),
        _quantized_recipe("static_int8_per_channel", is_per_channel=True),
        _quantized_recipe("static_int8_per_tensor", is_per_channel=False),
        _quantized_recipe("dynamic_int8_per_channel", is_per_channel=True, is_dynamic=True),
        Recipe("bf16", _lowering, dtype="bfloat16", rtol=2e-2, atol=2e-2),
        _quantized_recipe("dynamic_int4_per_channel", **_INT4_OPTIONS),
        Recipe("to_edge", _lowering, two_steps=True),
    ),
)

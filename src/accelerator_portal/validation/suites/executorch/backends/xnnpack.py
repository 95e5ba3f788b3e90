"""XNNPACK, the CPU backend in every wheel of ExecuTorch.

Most recipes have the names of the flows in ExecuTorch's own suite,
backends/test/suite/flows/xnnpack.py; `fp16`, `bf16`, `dynamic_int4_per_channel` and `to_edge` have
none there. In 4 bits only linear layers are quantized.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.executorch.backend import PLAIN, Backend, Recipe

# The quantized model and XNNPACK differ by the rounding of single steps, which add up in a model as
# quantization's own do: of one operator 42 dB and more are left, of a ConvNext 29 dB, where 28 dB
# are left of the model before it was quantized (measured on 2026-11-21 with ExecuTorch 1.5.1). At
# 20 dB the difference has a tenth of the signal's length; what is computed wrongly has more.
_LEAST_DB = 20


def _lowering() -> Mapping[str, Any]:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.utils.configs import get_xnnpack_edge_compile_config

    return {
        "partitioner": [XnnpackPartitioner()],
        "compile_config": get_xnnpack_edge_compile_config(),
    }


def _quantizer(**options: bool) -> Callable[[], Any]:
    def make() -> Any:
        from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
            XNNPACKQuantizer,
            get_symmetric_quantization_config,
        )

        return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))

    return make


def _four_bits() -> Any:
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )

    config = get_symmetric_quantization_config(
        is_per_channel=True, is_dynamic=True, weight_qmin=-8, weight_qmax=7
    )
    return XNNPACKQuantizer().set_global(config)


def _eight_bits(name: str, **options: bool) -> Recipe:
    return Recipe(name, _lowering, _quantizer(**options), sqnr_db=_LEAST_DB)


BACKEND = Backend(
    name="xnnpack",
    runtime_name="XnnpackBackend",
    recipes=(
        Recipe(PLAIN, _lowering),
        Recipe("fp16", _lowering, dtype="float16", rtol=1e-2, atol=1e-2),
        _eight_bits("static_int8_per_channel", is_per_channel=True),
        _eight_bits("static_int8_per_tensor", is_per_channel=False),
        _eight_bits("dynamic_int8_per_channel", is_per_channel=True, is_dynamic=True),
        Recipe("bf16", _lowering, dtype="bfloat16", rtol=2e-2, atol=2e-2),
        Recipe("dynamic_int4_per_channel", _lowering, _four_bits, sqnr_db=_LEAST_DB),
        Recipe("to_edge", _lowering, two_steps=True),
    ),
)

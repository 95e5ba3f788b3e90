"""XNNPACK, the backend that comes with ExecuTorch: without a recipe, in half precision, in 8 bits.

The names of the recipes are those of the flows in ExecuTorch's own suite,
backends/test/suite/flows/xnnpack.py; `fp16` has none there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.executorch.backend import PLAIN, Backend, Recipe

# The quantised model and XNNPACK differ by the rounding of single steps, which add up in a model as
# quantisation's own do: of one operator 42 dB and more are left, of a ConvNext 29 dB, where 28 dB
# are left of the model before it was quantised (measured on 2026-11-21 with ExecuTorch 1.5.1). At
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
    ),
)

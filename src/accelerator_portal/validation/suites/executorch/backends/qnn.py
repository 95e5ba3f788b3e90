"""Qualcomm's QNN: its quantizer works here; partitioning already asks Qualcomm's SDK."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.executorch.backend import (
    PLAIN,
    Backend,
    NotHereError,
    Recipe,
)

_LEAST_DB = 20
_NO_SDK = (
    "Partitioning requires the QNN SDK, which is not installed. Install "
    "Qualcomm's AI Engine Direct SDK and set QNN_SDK_ROOT to its folder."
)


def _lowering(*, half: bool) -> Callable[[], Mapping[str, Any]]:
    """Return what gives the arguments of lowering; `half`: unquantized numbers are float16."""

    def arguments() -> Mapping[str, Any]:
        if not os.environ.get("QNN_SDK_ROOT"):  # without it ExecuTorch would download the SDK
            raise NotHereError(_NO_SDK)
        from executorch.backends.qualcomm.partition.qnn_partitioner import QnnPartitioner
        from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
        from executorch.backends.qualcomm.utils.utils import (
            generate_htp_compiler_spec,
            generate_qnn_executorch_compiler_spec,
        )

        options = generate_htp_compiler_spec(use_fp16=half)
        specs = generate_qnn_executorch_compiler_spec(
            soc_model=QcomChipset.SM8650, backend_options=options
        )
        return {"partitioner": [QnnPartitioner(specs)]}

    return arguments


def _quantizer(dtype: str) -> Callable[[], Any]:
    def make() -> Any:
        from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype

        quantizer = QnnQuantizer()
        quantizer.set_default_quant_config(QuantDtype[f"use_{dtype}"])
        return quantizer

    return make


def _quantized(dtype: str) -> Recipe:
    return Recipe(dtype, _lowering(half=False), _quantizer(dtype), sqnr_db=_LEAST_DB)


BACKEND = Backend(
    name="qnn",
    runtime_name="QnnBackend",
    needs="a Qualcomm chip, or the simulator of Qualcomm's SDK",
    recipes=(
        Recipe(PLAIN, _lowering(half=True), rtol=1e-2, atol=1e-2),
        *(_quantized(dtype) for dtype in ("8a8w", "16a8w", "16a4w")),
    ),
)

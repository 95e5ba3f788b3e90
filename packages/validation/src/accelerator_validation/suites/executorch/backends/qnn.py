"""Provides recipes that lower models to Qualcomm's ExecuTorch backend QNN, with Qualcomm's SDK."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from accelerator_validation.executorch.backend import (
    PLAIN,
    QUANTIZED_SQNR_DB,
    Backend,
    Recipe,
    UnavailableError,
)

_NO_SDK = (
    "Partitioning requires the QNN SDK, which is not installed. Install "
    "Qualcomm's AI Engine Direct SDK and set QNN_SDK_ROOT to its folder."
)


def _lowering(*, half: bool) -> Mapping[str, Any]:
    """Return the arguments for `to_edge_transform_and_lower`, by name.

    If `half` is true, unquantized numbers are float16. Raises UnavailableError if Qualcomm's SDK is
    missing.
    """
    if not os.environ.get("QNN_SDK_ROOT"):  # without it ExecuTorch would download the SDK
        raise UnavailableError(_NO_SDK)
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


def _quantizer(dtype: str) -> Any:
    from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype

    quantizer = QnnQuantizer()
    quantizer.set_default_quant_config(QuantDtype[f"use_{dtype}"])
    return quantizer


def _quantized_recipe(dtype: str) -> Recipe:
    lowering, quantizer = partial(_lowering, half=False), partial(_quantizer, dtype)
    return Recipe(dtype, lowering, quantizer, sqnr_db=QUANTIZED_SQNR_DB)


BACKEND = Backend(
    name="qnn",
    runtime_name="QnnBackend",
    needs="a Qualcomm chip, or the simulator of Qualcomm's SDK",
    recipes=(
        Recipe(PLAIN, partial(_lowering, half=True), rtol=1e-2, atol=1e-2),
        *(_quantized_recipe(dtype) for dtype in ("8a8w", "16a8w", "16a4w")),
    ),
)

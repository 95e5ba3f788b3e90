"""Provides recipes that lower models to the ExecuTorch backend OpenVINO, for this machine's CPU.

OpenVINO is Intel's compiler and runtime. ExecuTorch's wheels for Linux include the backend's part
of the runtime. OpenVINO itself, and NNCF for quantization, are packages on PyPI.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from accelerator_validation.executorch.backend import (
    PLAIN,
    QUANTIZED_SQNR_DB,
    Backend,
    Recipe,
    required_import,
    unchecked_lowering_arguments,
    version_reader,
)

# If the CPU has bfloat16, OpenVINO computes in it, and a compile spec of ExecuTorch cannot request
# float32: it contains text, but OpenVINO's options are a table. A number can then differ by 0.4 %,
# or by more if it is a sum whose parts cancel. So the whole output is compared: 30 dB are 3 %.
_BFLOAT16_SQNR_DB = 30

_INSTALL = 'pip install "openvino>=2025.1,<2026" "nncf>=3.1,<3.2"'


def _lowering() -> Mapping[str, Any]:
    from executorch.exir.backend.backend_details import CompileSpec

    with required_import("OpenVINO or NNCF", _INSTALL):
        from executorch.backends.openvino.partitioner import OpenvinoPartitioner
    return {
        "partitioner": [OpenvinoPartitioner([CompileSpec("device", b"CPU")])],
        **unchecked_lowering_arguments(),
    }


def _quantizer(mode: str) -> Any:
    with required_import("NNCF", _INSTALL):
        from executorch.backends.openvino.quantizer.quantizer import (
            OpenVINOQuantizer,
            QuantizationMode,
        )
    return OpenVINOQuantizer(mode=QuantizationMode[mode])


def _quantized_recipe(name: str, mode: str) -> Recipe:
    """Return a recipe for OpenVINO's quantization mode `mode`, such as `INT8_SYM`.

    Weights are lowered as floating-point numbers; OpenVINO itself converts them to integers.
    """
    quantizer = partial(_quantizer, mode)
    return Recipe(name, _lowering, quantizer, sqnr_db=QUANTIZED_SQNR_DB, fold_quantize=False)


BACKEND = Backend(
    name="openvino",
    runtime_name="OpenvinoBackend",
    version=version_reader("openvino"),
    packages=("openvino", "nncf"),
    needs=f"OpenVINO: {_INSTALL}",
    recipes=(
        Recipe(PLAIN, _lowering, sqnr_db=_BFLOAT16_SQNR_DB),
        _quantized_recipe("int8", "INT8_SYM"),
        _quantized_recipe("int8_weight_only", "INT8WO_SYM"),
        _quantized_recipe("int4_weight_only", "INT4WO_SYM"),
    ),
)

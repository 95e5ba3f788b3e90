"""OpenVINO: Intel's compiler and runtime, on the CPU of this machine.

ExecuTorch's wheels for Linux have its runtime part; OpenVINO itself is a package on PyPI, and NNCF,
which it quantizes with, another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

from accelerator_portal.validation.executorch.backend import (
    PLAIN,
    Backend,
    NotHereError,
    Recipe,
)

# Where the CPU has bfloat16, OpenVINO computes in it, and a compile spec of ExecuTorch cannot ask
# for float32: it holds text, and OpenVINO's options are a table. A number is then off by up to
# 0.4 %, of a sum whose parts cancel by more; so the whole output is judged. 30 dB are 3 % of it.
_NARROW_DB = 30
_LEAST_DB = 20

_INSTALL = 'pip install "openvino>=2025.1,<2026" "nncf>=3.1,<3.2"'


def _lowering() -> Mapping[str, Any]:
    from executorch.exir import EdgeCompileConfig
    from executorch.exir.backend.backend_details import CompileSpec

    try:
        from executorch.backends.openvino.partitioner import OpenvinoPartitioner
    except ImportError as error:
        raise NotHereError(f"OpenVINO or NNCF cannot be imported: {error}. {_INSTALL}") from None
    return {
        "partitioner": [OpenvinoPartitioner([CompileSpec("device", b"CPU")])],
        "compile_config": EdgeCompileConfig(_check_ir_validity=False),
    }


def _quantizer(mode: str) -> Callable[[], Any]:
    def make() -> Any:
        try:
            from executorch.backends.openvino.quantizer.quantizer import (
                OpenVINOQuantizer,
                QuantizationMode,
            )
        except ImportError as error:
            raise NotHereError(f"NNCF cannot be imported: {error}. {_INSTALL}") from None
        return OpenVINOQuantizer(mode=QuantizationMode[mode])

    return make


def _quantized(name: str, mode: str) -> Recipe:
    """Make a recipe whose weights stay in float: OpenVINO's own passes fold them."""
    return Recipe(name, _lowering, _quantizer(mode), sqnr_db=_LEAST_DB, fold_quantize=False)


def _version() -> str:
    try:
        return metadata.version("openvino")
    except metadata.PackageNotFoundError:
        return "not installed"


BACKEND = Backend(
    name="openvino",
    runtime_name="OpenvinoBackend",
    version=_version,
    packages=("openvino", "nncf"),
    needs=f"OpenVINO: {_INSTALL}",
    recipes=(
        Recipe(PLAIN, _lowering, sqnr_db=_NARROW_DB),
        _quantized("int8", "INT8_SYM"),
        _quantized("int8_weight_only", "INT8WO_SYM"),
        _quantized("int4_weight_only", "INT4WO_SYM"),
    ),
)

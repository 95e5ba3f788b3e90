"""Provides recipes that lower models to the ExecuTorch backend Core ML, which needs macOS or iOS.

Lowering also works on Linux, but running does not.
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
)

_INSTALL = 'pip install "coremltools==9.0" "scikit-learn>=1.7.1"'


def _lowering(system: str) -> Mapping[str, Any]:
    """Return the arguments for `to_edge_transform_and_lower`, by name.

    `system` is the oldest system that must run the program, such as `iOS15`.
    """
    with required_import("coremltools", _INSTALL):
        import coremltools
        from executorch.backends.apple.coreml.compiler import CoreMLBackend
        from executorch.backends.apple.coreml.partition import CoreMLPartitioner
    target = getattr(coremltools.target, system)
    specs = CoreMLBackend.generate_compile_specs(minimum_deployment_target=target)
    return {"partitioner": [CoreMLPartitioner(compile_specs=specs)]}


def _quantizer() -> Any:
    import torch

    with required_import("coremltools", _INSTALL):
        from coremltools.optimize.torch.quantization import (
            LinearQuantizerConfig,
            ModuleLinearQuantizerConfig,
        )
        from executorch.backends.apple.coreml.quantizer import CoreMLQuantizer
    config = ModuleLinearQuantizerConfig(
        quantization_scheme="symmetric",
        activation_dtype=torch.quint8,
        weight_dtype=torch.qint8,
        weight_per_channel=True,
    )
    return CoreMLQuantizer(LinearQuantizerConfig(global_config=config))


BACKEND = Backend(
    name="coreml",
    runtime_name="CoreMLBackend",
    packages=("coremltools",),
    needs="a device with macOS or iOS",
    recipes=(
        Recipe(PLAIN, partial(_lowering, "iOS15"), rtol=1e-2, atol=1e-2),  # computed in float16
        Recipe("static_int8", partial(_lowering, "iOS17"), _quantizer, sqnr_db=QUANTIZED_SQNR_DB),
    ),
)

"""Core ML: coremltools lowers on Linux, too; only Apple's systems run the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.executorch.backend import (
    PLAIN,
    Backend,
    NotHereError,
    Recipe,
)

_LEAST_DB = 20
_INSTALL = 'pip install "coremltools==9.0" "scikit-learn>=1.7.1"'


def _lowering(system: str) -> Callable[[], Mapping[str, Any]]:
    """Return what gives the arguments of lowering for the oldest system that is to run it."""

    def arguments() -> Mapping[str, Any]:
        try:
            import coremltools
            from executorch.backends.apple.coreml.compiler import CoreMLBackend
            from executorch.backends.apple.coreml.partition import CoreMLPartitioner
        except ImportError as error:
            raise NotHereError(f"coremltools cannot be imported: {error}. {_INSTALL}") from None
        target = getattr(coremltools.target, system)
        specs = CoreMLBackend.generate_compile_specs(minimum_deployment_target=target)
        return {"partitioner": [CoreMLPartitioner(compile_specs=specs)]}

    return arguments


def _quantizer() -> Any:
    import torch

    try:
        from coremltools.optimize.torch.quantization import (
            LinearQuantizerConfig,
            ModuleLinearQuantizerConfig,
        )
        from executorch.backends.apple.coreml.quantizer import CoreMLQuantizer
    except ImportError as error:
        raise NotHereError(f"coremltools cannot be imported: {error}. {_INSTALL}") from None
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
        Recipe(PLAIN, _lowering("iOS15"), rtol=1e-2, atol=1e-2),  # computed in float16
        Recipe("static_int8", _lowering("iOS17"), _quantizer, sqnr_db=_LEAST_DB),
    ),
)

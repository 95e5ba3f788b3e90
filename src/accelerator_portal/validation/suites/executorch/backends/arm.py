"""What the recipes of Arm's backends have in common: compile specs, partitioners, quantizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.executorch.backend import NotHereError

Specify = Callable[[], Any]
"""Makes an `ArmCompileSpec`."""

INSTALL = 'pip install --no-deps "tosa-tools==2026.5.0" "ethos-u-vela==5.1.0" "ml_dtypes==0.5.1"'

# The limit of other quantized recipes, too.
LEAST_DB = 20


def lowering(specify: Specify) -> Callable[[], Mapping[str, Any]]:
    """Return what gives the arguments of lowering for a target."""

    def arguments() -> Mapping[str, Any]:
        from executorch.exir import EdgeCompileConfig

        try:
            from executorch.backends.arm.util._factory import create_partitioner

            spec = specify()
        except ImportError as error:
            raise _missing(error) from None
        return {
            "partitioner": [create_partitioner(spec)],
            "compile_config": EdgeCompileConfig(_check_ir_validity=False),
        }

    return arguments


def quantizer(specify: Specify) -> Callable[[], Any]:
    """Return what makes a quantizer to 8 bits for a target, each channel by itself."""

    def make() -> Any:
        try:
            from executorch.backends.arm.quantizer import get_symmetric_quantization_config
            from executorch.backends.arm.util._factory import create_quantizer

            made = create_quantizer(specify())
        except ImportError as error:
            raise _missing(error) from None
        made.set_global(get_symmetric_quantization_config(is_per_channel=True))
        return made

    return make


def _missing(error: ImportError) -> NotHereError:
    return NotHereError(f"Arm's tools cannot be imported: {error}. {INSTALL}")

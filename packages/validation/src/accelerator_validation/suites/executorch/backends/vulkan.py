"""Provides recipes that lower models to the ExecuTorch backend Vulkan.

ExecuTorch's wheels can lower models to Vulkan, but cannot run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelerator_validation.executorch.backend import PLAIN, QUANTIZED_SQNR_DB, Backend, Recipe


def _lowering() -> Mapping[str, Any]:
    from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

    return {"partitioner": [VulkanPartitioner({"skip_bool_tensors": True})]}


def _quantizer() -> Any:
    from executorch.backends.vulkan.quantizer.vulkan_quantizer import (
        VulkanQuantizer,
        get_symmetric_quantization_config,
    )

    return VulkanQuantizer().set_global(get_symmetric_quantization_config())


BACKEND = Backend(
    name="vulkan",
    runtime_name="VulkanBackend",
    needs="a GPU with Vulkan, and an ExecuTorch built with EXECUTORCH_BUILD_VULKAN",
    recipes=(
        Recipe(PLAIN, _lowering),
        Recipe("static_int8_per_channel", _lowering, _quantizer, sqnr_db=QUANTIZED_SQNR_DB),
    ),
)

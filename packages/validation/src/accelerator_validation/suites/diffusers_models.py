"""Builds and tests small models of the library diffusers, with random weights and no downloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from accelerator_validation.case import BrokenTestError, Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model
from accelerator_validation.suites.transformers_models import with_larger_weights

_BATCH = 2
_TEXT_LENGTH = 6
_WIDTH = 16

Values = Mapping[str, Any]

_TIME: Values = {"timestep": torch.full((_BATCH,), 7)}
_TEXT_MASK_INPUT: Values = {
    "encoder_attention_mask": torch.ones(_BATCH, _TEXT_LENGTH, dtype=torch.bool)
}
_TEXT: Values = {"encoder_hidden_states": (_TEXT_LENGTH, _WIDTH), **_TIME}
_POOLED_TEXT_INPUTS: Values = {**_TEXT, "pooled_projections": (_WIDTH,)}
_PICTURE: Values = {"sample": (3, 16, 16)}
_LATENT: Values = {"hidden_states": (4, 8, 8)}
_VIDEO: Values = {"hidden_states": (4, 2, 8, 8)}
_POSITION_INPUTS: Values = {
    "img_ids": torch.cartesian_prod(*[torch.arange(length) for length in (1, 4, 4)]),
    "txt_ids": torch.zeros(_TEXT_LENGTH, 3),
}

_BLOCKS: Values = {"block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4}
_DOWN_BLOCK_SETTINGS: Values = {
    **_BLOCKS,
    "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
    "cross_attention_dim": _WIDTH,
    "attention_head_dim": 2,
}
_AUTOENCODER_SETTINGS: Values = {
    **_BLOCKS,
    "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2,
}
_HEADS: Values = {"num_attention_heads": 2, "attention_head_dim": 8}
_LAYERS: Values = {**_HEADS, "in_channels": 4, "out_channels": 4, "num_layers": 2}
_JOINT_ATTENTION_SETTINGS: Values = {"joint_attention_dim": _WIDTH}
_SINGLE_LAYER_SETTINGS: Values = {
    **_LAYERS,
    "num_layers": 1,
    "num_single_layers": 1,
    "pooled_projection_dim": _WIDTH,
}

# AutoencoderTiny is missing: it rounds latents to bytes, where the smallest difference can grow.
ARCHITECTURES: Mapping[str, tuple[Values, Values]] = {
    "UNet2DModel": (
        {
            **_BLOCKS,
            "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
            "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
        },
        {**_PICTURE, **_TIME},
    ),
    "UNet2DConditionModel": (
        {**_DOWN_BLOCK_SETTINGS, "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D")},
        {"sample": (4, 8, 8), **_TEXT},
    ),
    "UNetSpatioTemporalConditionModel": (
        {
            "block_out_channels": (64, 64),
            "layers_per_block": 1,
            "down_block_types": ("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"),
            "up_block_types": ("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"),
            "cross_attention_dim": _WIDTH,
            "num_attention_heads": 2,
            "addition_time_embed_dim": 8,
            "projection_class_embeddings_input_dim": 24,
        },
        {"sample": (2, 8, 8, 8), "added_time_ids": (3,), **_TEXT},
    ),
    "ControlNetModel": (
        {**_DOWN_BLOCK_SETTINGS, "conditioning_embedding_out_channels": (4, 8)},
        {"sample": (4, 8, 8), "controlnet_cond": (3, 16, 16), "conditioning_scale": 10.0, **_TEXT},
    ),
    "DiTTransformer2DModel": (
        {**_LAYERS, "sample_size": 8, "num_embeds_ada_norm": 10},
        {**_LATENT, **_TIME, "class_labels": torch.arange(_BATCH)},
    ),
    "PixArtTransformer2DModel": (
        {**_LAYERS, "sample_size": 8, "cross_attention_dim": 16, "caption_channels": _WIDTH},
        {**_LATENT, **_TEXT},
    ),
    "SanaTransformer2DModel": (
        {**_LAYERS, "sample_size": 8, "cross_attention_dim": 16, "caption_channels": _WIDTH}
        | {"num_cross_attention_heads": 2, "cross_attention_head_dim": 8},
        {**_LATENT, **_TEXT},
    ),
    "SD3Transformer2DModel": (
        {**_LAYERS, **_JOINT_ATTENTION_SETTINGS, "sample_size": 8, "caption_projection_dim": 16}
        | {"pooled_projection_dim": _WIDTH},
        {**_LATENT, **_POOLED_TEXT_INPUTS},
    ),
    "FluxTransformer2DModel": (
        {**_SINGLE_LAYER_SETTINGS, **_JOINT_ATTENTION_SETTINGS, "axes_dims_rope": (4, 2, 2)},
        {"hidden_states": (16, 4), **_POOLED_TEXT_INPUTS, **_POSITION_INPUTS},
    ),
    "AuraFlowTransformer2DModel": (
        {**_HEADS, **_JOINT_ATTENTION_SETTINGS, "num_mmdit_layers": 2, "num_single_dit_layers": 1}
        | {"sample_size": 8, "caption_projection_dim": 16, "pos_embed_max_size": 16},
        {**_LATENT, **_TEXT},
    ),
    "Lumina2Transformer2DModel": (
        {"in_channels": 4, "hidden_size": 24, "num_layers": 2, "num_refiner_layers": 1}
        | {"num_attention_heads": 2, "num_kv_heads": 1, "multiple_of": 8, "cap_feat_dim": _WIDTH}
        | {"axes_dim_rope": (4, 4, 4), "axes_lens": (32, 32, 32)},
        {**_LATENT, **_TEXT, **_TEXT_MASK_INPUT},
    ),
    "CogVideoXTransformer3DModel": (
        {**_LAYERS, "time_embed_dim": 8, "sample_width": 8, "sample_height": 8}
        | {"sample_frames": 5, "text_embed_dim": _WIDTH, "max_text_seq_length": _TEXT_LENGTH},
        {"hidden_states": (2, 4, 8, 8), **_TEXT},
    ),
    "HunyuanVideoTransformer3DModel": (
        {**_SINGLE_LAYER_SETTINGS, "num_refiner_layers": 1, "text_embed_dim": _WIDTH}
        | {"rope_axes_dim": (4, 2, 2), "guidance_embeds": False},
        {**_VIDEO, **_POOLED_TEXT_INPUTS, **_TEXT_MASK_INPUT},
    ),
    "LTXVideoTransformer3DModel": (
        {**_LAYERS, "cross_attention_dim": 16, "caption_channels": _WIDTH},
        {"hidden_states": (32, 4), **_TEXT, **_TEXT_MASK_INPUT}
        | {"num_frames": 2, "height": 4, "width": 4},
    ),
    "WanTransformer3DModel": (
        {**_LAYERS, "attention_head_dim": 12, "text_dim": _WIDTH, "freq_dim": 8, "ffn_dim": 32},
        {**_VIDEO, **_TEXT},
    ),
    "AutoencoderKL": (_AUTOENCODER_SETTINGS, _PICTURE),
    "AutoencoderKLWan": ({"base_dim": 4, "num_res_blocks": 1}, {"sample": (3, 5, 16, 16)}),
    "VQModel": ({**_AUTOENCODER_SETTINGS, "num_vq_embeddings": 8}, _PICTURE),
}
"""The small configuration and the inputs of each model class, by class name.

An input is either a value or a tuple. A tuple is the shape of random numbers for one element of the
batch.
"""


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield a test for each model class."""
    return (Offer(name) for name in ARCHITECTURES)


def run(case: Case, context: Context) -> Result:
    """Run a model on the device and on the CPU, and compare the results; see `run_model`."""
    return run_model(case, context, lambda: example(case.name))


def example(name: str) -> Example:
    """Return the model of the class `name` with its inputs.

    Raises BrokenTestError if the library or the class cannot be imported.
    """
    try:
        import diffusers

        model_class = getattr(diffusers, name)  # imported only here, with what the class needs
    except (AttributeError, ImportError, RuntimeError) as error:
        raise BrokenTestError(f"diffusers.{name} cannot be imported here: {error}") from None
    settings, inputs = ARCHITECTURES[name]
    input_values = {
        key: torch.randn(_BATCH, *value) if isinstance(value, tuple) else value
        for key, value in inputs.items()
    }
    return Example(with_larger_weights(model_class(**settings)), input_values)

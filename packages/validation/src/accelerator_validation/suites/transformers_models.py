"""Builds and tests models of the library Transformers, with random weights and no downloads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

import torch

from accelerator_validation.case import BrokenTestError, Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model

VOCABULARY = 128
_TEXT_LENGTH = 12
_BATCH = 2

Settings = Mapping[str, Any]
InputFactory = Callable[[Any], dict[str, Any]]


def _text_inputs(config: Any) -> dict[str, Any]:  # noqa: ARG001 - every kind of input may read it
    token_ids = torch.randint(5, VOCABULARY, (_BATCH, _TEXT_LENGTH))
    return {"input_ids": token_ids, "attention_mask": torch.ones_like(token_ids)}


def _translation_inputs(config: Any) -> dict[str, Any]:
    return {**_text_inputs(config), "decoder_input_ids": torch.randint(5, VOCABULARY, (_BATCH, 6))}


def _image_inputs(config: Any) -> dict[str, Any]:
    return {"pixel_values": torch.randn(_BATCH, 3, *[getattr(config, "image_size", 32)] * 2)}


def _image_and_text_inputs(config: Any) -> dict[str, Any]:
    return {**_text_inputs(config), **_image_inputs(config.vision_config)}


def _audio_inputs(config: Any) -> dict[str, Any]:  # noqa: ARG001 - as the others
    return {"input_values": torch.randn(_BATCH, 1600)}


def _spectrogram_inputs(config: Any) -> dict[str, Any]:
    features = torch.randn(_BATCH, config.num_mel_bins, 2 * config.max_source_positions)
    return {"input_features": features, "decoder_input_ids": torch.randint(5, 60, (_BATCH, 6))}


@dataclass(frozen=True)
class Architecture:
    """A model class of Transformers, its small configuration and its kind of input.

    `settings` are the arguments of the class's configuration. `inputs` creates the inputs for a
    configuration. If `generates` is true, text generation is tested, too.
    """

    name: str
    """The name of the model class."""
    settings: Settings
    inputs: InputFactory = _text_inputs
    generates: bool = False


_BASE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_DECODER = {**_BASE, "num_key_value_heads": 2}
_ENCODER = {
    **_BASE,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "type_vocab_size": 2,
}
_IMAGE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "image_size": 32,
    "patch_size": 8,
}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_GPT = {
    "vocab_size": VOCABULARY,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_SEQUENCE = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
    "forced_eos_token_id": None,
}
_TEXT_AND_IMAGE = {"text_config": {**_BASE, "projection_dim": 16}, "vision_config": {**_IMAGE}}


def _decoder(name: str, **settings: Any) -> Architecture:
    return Architecture(f"{name}ForCausalLM", {**_DECODER, **settings}, generates=True)


def _encoder(name: str, **settings: Any) -> Architecture:
    return Architecture(name, {**_ENCODER, **settings})


def _image(name: str, **settings: Any) -> Architecture:
    return Architecture(f"{name}ForImageClassification", {**_IMAGE, **settings}, _image_inputs)


ARCHITECTURES: tuple[Architecture, ...] = (
    _decoder("Llama"),
    _decoder("Mistral", sliding_window=8),
    _decoder("Mixtral", num_local_experts=4, num_experts_per_tok=2),
    _decoder("Qwen2"),
    _decoder("Qwen3", head_dim=8),
    _decoder("Qwen3Moe", head_dim=8, **_EXPERTS),
    _decoder("Gemma", head_dim=8),
    _decoder("Gemma2", head_dim=8, sliding_window=8, query_pre_attn_scalar=8),
    _decoder("Gemma3", head_dim=8, sliding_window=8, query_pre_attn_scalar=8),
    _decoder("Phi3"),
    _decoder("Cohere"),
    _decoder("Olmo2"),
    _decoder("Granite"),
    _decoder("StableLm"),
    _decoder("Starcoder2"),
    _decoder("GPTNeoX"),
    _decoder("Falcon", ffn_hidden_size=48, alibi=False),
    _decoder("Mamba", state_size=4, expand=2, time_step_rank=4),
    Architecture("GPT2LMHeadModel", _GPT, generates=True),
    Architecture("GPTJForCausalLM", {**_GPT, "rotary_dim": 4, "n_inner": 48}, generates=True),
    Architecture(
        "OPTForCausalLM",
        {**_BASE, "ffn_dim": 48, "word_embed_proj_dim": 32, "dropout": 0.0},
        generates=True,
    ),
    Architecture(
        "BloomForCausalLM",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4},
        generates=True,
    ),
    _encoder("BertForSequenceClassification"),
    _encoder("RobertaForMaskedLM"),
    _encoder("AlbertForMaskedLM", embedding_size=16),
    _encoder("ElectraForPreTraining", embedding_size=16),
    _encoder("DebertaV2ForMaskedLM", relative_attention=True, pos_att_type=["p2c", "c2p"]),
    _encoder("CamembertForMaskedLM"),
    _encoder("MPNetForMaskedLM"),
    Architecture(
        "DistilBertForMaskedLM",
        {"vocab_size": VOCABULARY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
    ),
    Architecture(
        "ModernBertForMaskedLM",
        {**_BASE, "cls_token_id": 1, "sep_token_id": 2, "local_attention": 8},
    ),
    Architecture(
        "T5ForConditionalGeneration",
        {
            "vocab_size": VOCABULARY,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 48,
            "num_layers": 2,
            "num_heads": 4,
            "decoder_start_token_id": 0,
            "dropout_rate": 0.0,
        },
        _translation_inputs,
    ),
    Architecture("BartForConditionalGeneration", _SEQUENCE, _translation_inputs),
    Architecture("MarianMTModel", _SEQUENCE, _translation_inputs),
    Architecture(
        "WhisperForConditionalGeneration",
        {**_SEQUENCE, "num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 20},
        _spectrogram_inputs,
    ),
    Architecture(
        "Wav2Vec2ForCTC",
        {
            **_BASE,
            "conv_dim": (16, 16),
            "conv_stride": (5, 4),
            "conv_kernel": (10, 4),
            "num_feat_extract_layers": 2,
            "num_conv_pos_embeddings": 8,
            "num_conv_pos_embedding_groups": 2,
        },
        _audio_inputs,
    ),
    _image("ViT"),
    _image("DeiT"),
    _image("Dinov2"),
    _image("Beit"),
    Architecture(
        "SwinForImageClassification",
        {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4]}
        | {"window_size": 4},
        _image_inputs,
    ),
    Architecture(
        "ConvNextForImageClassification",
        {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2, "image_size": 32},
        _image_inputs,
    ),
    Architecture(
        "ResNetForImageClassification",
        {"embedding_size": 8, "hidden_sizes": [16, 32], "depths": [1, 1], "layer_type": "basic"},
        _image_inputs,
    ),
    Architecture(
        "SegformerForSemanticSegmentation",
        {
            "num_encoder_blocks": 2,
            "hidden_sizes": [8, 16],
            "depths": [1, 1],
            "sr_ratios": [2, 1],
            "num_attention_heads": [1, 2],
            "patch_sizes": [7, 3],
            "strides": [4, 2],
            "mlp_ratios": [2, 2],
            "decoder_hidden_size": 16,
            "image_size": 32,
        },
        _image_inputs,
    ),
    Architecture("CLIPModel", {**_TEXT_AND_IMAGE, "projection_dim": 16}, _image_and_text_inputs),
    Architecture("SiglipModel", _TEXT_AND_IMAGE, _image_and_text_inputs),
)

_BY_NAME = {architecture.name: architecture for architecture in ARCHITECTURES}


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield tests of each model class: inference, training and, for some, text generation."""
    for architecture in ARCHITECTURES:
        yield Offer(architecture.name, {"mode": frozenset({"inference", "training"})})
        if architecture.generates:
            yield Offer(architecture.name, {"mode": frozenset({"generate"})})


def run(case: Case, context: Context) -> Result:
    """Run a model on the device and on the CPU, and compare the results; see `run_model`."""
    return run_model(case, context, lambda: example(case.name))


def example(name: str) -> Example:
    """Return the model of the class `name` with its inputs, in a small configuration.

    Raises BrokenTestError if Transformers cannot be imported.
    """
    architecture = _BY_NAME[name]
    model_class = getattr(load_transformers(), architecture.name)
    config = model_class.config_class(**architecture.settings)
    return Example(with_larger_weights(model_class(config)), architecture.inputs(config))


def load_transformers() -> ModuleType:
    """Return the library Transformers. Raises BrokenTestError if it cannot be imported."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # weights are random, so nothing is downloaded
    try:
        import transformers
    except (ImportError, RuntimeError) as error:
        raise BrokenTestError(f"transformers cannot be imported here: {error}") from None
    return cast("ModuleType", transformers)


def with_larger_weights(model: Any) -> Any:
    """Double the weights of a model in place, and return the model.

    Larger weights make wrong results visible. Parameters with fewer than two dimensions, such as
    biases, stay the same.
    """
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(2)
    return model

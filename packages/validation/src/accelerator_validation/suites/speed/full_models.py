"""Builds speed tests of full-size models and of a transformer block, with random weights."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from accelerator_validation.case import BrokenTestError
from accelerator_validation.suites.speed.benchmark import (
    COMPUTING,
    IMAGES,
    INFERENCE,
    SEQUENCES,
    TRAINING,
    BenchmarkShape,
    Setting,
    SpeedBenchmark,
    Workload,
)

_SIDE = 224
_CLASSES = 1000
_TOKENS = 128

# The width and the number of attention heads of the transformer block.
_WIDTH, _HEADS = 1024, 16

# float16 is left out: few train in it without a scaler, and bfloat16 moves as many bytes.
_DTYPES = ("float32", "bfloat16")


def _image_workload(name: str, setting: Setting) -> Workload:
    """Return a call of torchvision's model `name`. In training, it has a classification loss."""
    model_class = _library_class("torchvision.models", name)
    model = model_class(weights=None).to(setting.device, setting.dtype)
    images = setting.random(setting.shape[0], 3, _SIDE, _SIDE)
    if not setting.training:
        return _model_workload(model, lambda: model(images), training=False)
    labels = torch.randint(0, _CLASSES, (len(images),)).to(setting.device)
    return _model_workload(
        model, lambda: functional.cross_entropy(model(images).float(), labels), training=True
    )


def _bert_workload(setting: Setting) -> Workload:
    model_class = _library_class("transformers", "BertForMaskedLM")
    config = model_class.config_class(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return _text_workload(model_class(config), setting)


def _gpt2_workload(setting: Setting) -> Workload:
    model_class = _library_class("transformers", "GPT2LMHeadModel")
    config = model_class.config_class(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    config.use_cache = False  # one pass over a whole text, as in training
    return _text_workload(model_class(config), setting)


def _library_class(module: str, name: str) -> Any:
    """Return the model class or function `name` of a module.

    Raises BrokenTestError if the module cannot be imported.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # weights are random, so nothing is downloaded
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, RuntimeError) as error:  # torchvision's build may not fit torch's
        raise BrokenTestError(f"{module} cannot be imported here: {error}") from None


def _text_workload(model: Any, setting: Setting) -> Workload:
    token_ids = torch.randint(5, model.config.vocab_size, setting.shape).to(setting.device)
    inputs = {"input_ids": token_ids} | ({"labels": token_ids} if setting.training else {})
    model = model.to(setting.device, setting.dtype)
    return _model_workload(model, lambda: model(**inputs), training=setting.training)


def _batch_size(shape: BenchmarkShape) -> float:
    return float(shape[0])


def _image_benchmark(name: str, weights: float, activations: float) -> SpeedBenchmark:
    """Return the benchmark of torchvision's model `name`.

    `weights` is its number of weights, and `activations` its number of activations per image. The
    memory that it needs is estimated from both.
    """
    return SpeedBenchmark(
        name,
        IMAGES,
        lambda setting: _image_workload(name, setting),
        _batch_size,
        lambda shape: weights + shape[0] * activations,
        {INFERENCE: ((1,), (64,)), TRAINING: ((1,), (64,))},
        label=lambda shape: f"{shape[0]}x3x{_SIDE}x{_SIDE}",
        dtypes=_DTYPES,
        package="torchvision",
    )


def _language_benchmark(name: str, build: Any) -> SpeedBenchmark:
    """Return the benchmark of a Transformers model with 12 layers of width 768.

    `build` returns the call to measure.
    """
    vocabulary, scores, weights = 50_000.0, 12 * 2 * 12.0, 1.3e8

    def memory(shape: BenchmarkShape) -> float:
        per_token = 12 * 20 * 768 + 2 * vocabulary + scores * shape[1]
        return weights + shape[0] * shape[1] * per_token

    return SpeedBenchmark(
        name,
        SEQUENCES,
        build,
        _batch_size,
        memory,
        {INFERENCE: ((1, _TOKENS), (64, _TOKENS)), TRAINING: ((1, _TOKENS), (64, _TOKENS))},
        dtypes=_DTYPES,
        package="transformers",
    )


MODELS: tuple[SpeedBenchmark, ...] = (
    _image_benchmark("resnet50", weights=2.6e7, activations=2.3e7),
    _image_benchmark("vit_b_16", weights=8.7e7, activations=4.0e7),
    _language_benchmark("bert-base", _bert_workload),
    _language_benchmark("gpt2", _gpt2_workload),
)


class EncoderBlock(torch.nn.Module):
    """A transformer's encoder block: attention and a feed-forward layer, without dropout.

    Each part has a normalization before it. The block doesn't use
    `torch.nn.TransformerEncoderLayer`, which computes inference by one fused operator that few
    backends have.
    """

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = torch.nn.LayerNorm(_WIDTH)
        self.before_feeding = torch.nn.LayerNorm(_WIDTH)
        self.inputs = torch.nn.Linear(_WIDTH, 3 * _WIDTH)
        self.output = torch.nn.Linear(_WIDTH, _WIDTH)
        self.wide = torch.nn.Linear(_WIDTH, 4 * _WIDTH)
        self.narrow = torch.nn.Linear(4 * _WIDTH, _WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the block's output. Input and output have the shape (batch, tokens, width)."""
        batch, length, _ = tokens.shape
        projections = self.inputs(self.before_attention(tokens))
        qkv = projections.view(batch, length, 3, _HEADS, _WIDTH // _HEADS).permute(2, 0, 3, 1, 4)
        attention = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2])
        tokens = tokens + self.output(attention.transpose(1, 2).reshape(batch, length, _WIDTH))
        return tokens + self.narrow(functional.gelu(self.wide(self.before_feeding(tokens))))


def _model_workload(model: Any, forward: Callable[[], Any], *, training: bool) -> Workload:
    """Return a call of a model: the call `forward`, and in training also the backward pass."""
    model.train(training)

    def infer() -> Any:
        with torch.no_grad():
            return forward()

    def train() -> Any:
        model.zero_grad(set_to_none=True)
        output = forward()
        loss = output.float().square().mean() if isinstance(output, torch.Tensor) else output.loss
        loss.backward()
        return loss

    return Workload(train if training else infer)


def _block_workload(setting: Setting) -> Workload:
    model = EncoderBlock().to(setting.device, setting.dtype)
    tokens = setting.random(*setting.shape, _WIDTH)
    return _model_workload(model, lambda: model(tokens), training=setting.training)


def _block_operations(shape: BenchmarkShape) -> float:
    """Return the number of floating-point operations in linear layers and attention of a block."""
    batch, tokens = shape
    return float(batch * tokens) * (24 * _WIDTH * _WIDTH + 4 * tokens * _WIDTH)


def _block_memory(shape: BenchmarkShape) -> float:
    batch, tokens = shape
    return 12.0 * _WIDTH * _WIDTH + batch * tokens * (20.0 * _WIDTH + 2.0 * _HEADS * tokens)


_BLOCK_SHAPES: tuple[BenchmarkShape, ...] = ((1, 512), (8, 2048))

BLOCKS: tuple[SpeedBenchmark, ...] = (
    SpeedBenchmark(
        "transformer-block",
        COMPUTING,
        _block_workload,
        _block_operations,
        _block_memory,
        {INFERENCE: _BLOCK_SHAPES, TRAINING: _BLOCK_SHAPES},
        pilot=(1, 64),
    ),
)

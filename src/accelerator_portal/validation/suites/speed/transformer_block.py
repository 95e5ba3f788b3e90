"""A block of a transformer: attention and a feed-forward layer, each behind a normalization.

It is made of plain modules and not of `torch.nn.TransformerEncoderLayer`, which computes inference
by one fused operator that few backends have.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from accelerator_portal.validation.suites.speed.benchmark import (
    COMPUTING,
    BenchmarkShape,
    Inference,
    Setting,
    SpeedBenchmark,
    Training,
    Workload,
)

WIDTH, HEADS = 1024, 16


class EncoderBlock(torch.nn.Module):
    """A pre-norm encoder block without dropout."""

    def __init__(self) -> None:
        """Make the layers with random weights."""
        super().__init__()
        self.before_attention = torch.nn.LayerNorm(WIDTH)
        self.before_feeding = torch.nn.LayerNorm(WIDTH)
        self.inputs = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.output = torch.nn.Linear(WIDTH, WIDTH)
        self.wide = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Compute the block on (batch, tokens, width)."""
        batch, length, _ = tokens.shape
        mixed = self.inputs(self.before_attention(tokens))
        parts = mixed.view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        tokens = tokens + self.output(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return tokens + self.narrow(functional.gelu(self.wide(self.before_feeding(tokens))))


def model_workload(model: Any, inputs: dict[str, Any], *, training: bool) -> Workload:
    """Return a call of a model: forward, or forward and backward to every gradient."""
    model.train(training)

    def infer() -> Any:
        with torch.no_grad():
            return model(**inputs)

    def train() -> Any:
        model.zero_grad(set_to_none=True)
        loss = scalar(model(**inputs))
        loss.backward()
        return loss

    return Workload(train if training else infer)


def scalar(output: Any) -> torch.Tensor:
    """Return a loss: an output's own, or the mean square of what it is."""
    if getattr(output, "loss", None) is not None:
        loss: torch.Tensor = output.loss
        return loss
    first = output if isinstance(output, torch.Tensor) else output[0]
    return first.float().square().mean()


def _block(setting: Setting) -> Workload:
    model = EncoderBlock().to(setting.device, setting.dtype)
    tokens = setting.random(*setting.shape, WIDTH)
    return model_workload(model, {"tokens": tokens}, training=setting.training)


def _operations(shape: BenchmarkShape) -> float:
    """Of four square products, two four times as wide, and the attention."""
    batch, tokens = shape
    return float(batch * tokens) * (24 * WIDTH * WIDTH + 4 * tokens * WIDTH)


def _memory(shape: BenchmarkShape) -> float:
    batch, tokens = shape
    return 12.0 * WIDTH * WIDTH + batch * tokens * (20.0 * WIDTH + 2.0 * HEADS * tokens)


_SHAPES: tuple[BenchmarkShape, ...] = ((1, 512), (8, 2048))

BLOCKS: tuple[SpeedBenchmark, ...] = (
    SpeedBenchmark(
        "transformer-block",
        COMPUTING,
        _block,
        _operations,
        _memory,
        {Inference: _SHAPES, Training: _SHAPES},
        pilot=(1, 64),
    ),
)

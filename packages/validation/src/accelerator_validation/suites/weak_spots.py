"""Runs the suite `weak-spots`: small models of constructs that backends are known to get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model


class SharedInput(nn.Module):
    """A model with linear layers that share an input.

    A backend may fold the quantization scale of the input into the weights of only one layer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(16, 16) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add the outputs of all layers, and the input."""
        return x + sum(part(x) for part in self.parts)


class DynamicQuantization(nn.Module):
    """A model with two linear layers that share a dynamically quantized input."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(16, 8), nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Round x to 255 steps per row, apply both layers to it, and return their gated product."""
        scale = x.detach().abs().amax(dim=-1, keepdim=True) / 127
        rounded = x + (torch.round(x / scale) * scale - x).detach()
        return self.one(rounded) * torch.sigmoid(self.other(rounded))


class TiedWeights(nn.Module):
    """A model whose embedding and last layer share one weight, which gets a gradient from both."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(32, 16)
        self.out = nn.Linear(16, 32, bias=False)
        self.out.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Look up tokens, and compute a score for every token."""
        return self.out(torch.tanh(self.words(x)))


class StridedViews(nn.Module):
    """A model with views of views: transposed, strided, expanded, and written to."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the transpose of the layer's output, times the output's mean, flipped.

        The output is changed through a view first.
        """
        base = self.layer(x).clone()
        base[:, ::2] = base[:, 1::2] * 2
        mean = base.mean(0, keepdim=True).expand_as(base)
        return base.t() @ mean.flip(0)


class CausalAttention(nn.Module):
    """A model with causal attention, in which the first position attends only to itself."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute causal attention with several heads."""
        heads = x.unflatten(-1, (4, -1)).transpose(1, 2)
        attended = nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
        return attended.transpose(1, 2).flatten(-2)


class BidirectionalLstm(nn.Module):
    """A model with a bidirectional LSTM of two layers, over a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(8, 16, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x: torch.Tensor) -> Any:
        """Return the outputs of all steps, and the last states."""
        return self.lstm(x)


class GroupedConvolutions(nn.Module):
    """A model with grouped, dilated and transposed convolutions, odd padding, and pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(4, 8, 3, groups=4, dilation=2, padding=(2, 1)),
            nn.GroupNorm(2, 8),
            nn.Hardswish(),
            nn.ConvTranspose2d(8, 4, 3, stride=2, output_padding=1),
            nn.AdaptiveAvgPool2d((3, 5)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the layers in order."""
        return self.layers(x)


class ExpertRouting(nn.Module):
    """A model that finds two experts for each row with `topk`, and sums rows with `index_add`."""

    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Linear(8, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add each weighted row to its two experts' sums; return the cumulative sum of all six."""
        weights, expert_indices = torch.topk(torch.softmax(self.score(x), -1), 2)
        total = torch.zeros(6, x.shape[-1], dtype=x.dtype, device=x.device)
        for rank in range(2):
            total = total.index_add(0, expert_indices[:, rank], x * weights[:, rank : rank + 1])
        return total.cumsum(0)


class EmptyTensors(nn.Module):
    """A model whose tensors are empty, without dimensions, or of one row."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Join the layer's outputs for no row and one row of `x`, and multiply them by a number."""
        joined = torch.cat([self.layer(x[:0]), self.layer(x[:1])])
        return joined * x.sum()


_MODELS: Mapping[str, tuple[Callable[[], nn.Module], Callable[[], torch.Tensor]]] = {
    "causal-mask": (
        lambda: nn.Sequential(nn.Linear(16, 16), CausalAttention()),
        partial(torch.randn, 2, 5, 16),
    ),
    "dynamic-quantization-shared": (DynamicQuantization, partial(torch.randn, 4, 16)),
    "empty-tensors": (EmptyTensors, partial(torch.randn, 3, 8)),
    "expert-routing": (ExpertRouting, partial(torch.randn, 12, 8)),
    "grouped-convolutions": (GroupedConvolutions, partial(torch.randn, 2, 4, 9, 11)),
    "lstm": (BidirectionalLstm, partial(torch.randn, 2, 5, 8)),
    "shared-input": (SharedInput, partial(torch.randn, 4, 16)),
    "strided-views": (StridedViews, partial(torch.randn, 6, 8)),
    "tied-weights": (TiedWeights, lambda: torch.arange(12).reshape(3, 4)),
}


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield a test for each model."""
    return (Offer(name) for name in _MODELS)


def run(case: Case, context: Context) -> Result:
    """Run a model on the device and on the CPU, and compare the results; see `run_model`."""
    return run_model(case, context, lambda: example(case.name))


def example(name: str) -> Example:
    """Return the model of the test `name`, with its input."""
    model, make_input = _MODELS[name]
    return Example(model(), args=(make_input(),))

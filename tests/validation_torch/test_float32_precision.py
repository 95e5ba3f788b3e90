"""Devices compute float32 as float32 while their results are compared, and as before afterwards."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch
from torch import nn

from accelerator_validation.case import Case
from accelerator_validation.suites import model_comparison, operator_inputs, operators, weak_spots
from accelerator_validation.suites.model_comparison import Example, full_float32


def test_tf32_and_hf32_are_off_in_a_block_and_back_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugin = SimpleNamespace(
        conv=SimpleNamespace(allow_hf32=True), matmul=SimpleNamespace(allow_hf32=False)
    )
    monkeypatch.setattr(torch, "npu", plugin, raising=False)
    assert torch.backends.cudnn.allow_tf32, "the default, for which all this is done"
    with full_float32():
        assert not torch.backends.cudnn.allow_tf32
        assert torch.backends.cudnn.enabled
        assert not plugin.conv.allow_hf32
    assert torch.backends.cudnn.allow_tf32
    assert (plugin.conv.allow_hf32, plugin.matmul.allow_hf32) == (True, False)


@pytest.mark.parametrize(
    ("suite", "run", "name"),
    [
        ("operators", operators.run, "exp"),
        ("operator-inputs", operator_inputs.run, "exp"),
        ("weak-spots", weak_spots.run, "lstm"),
    ],
)
def test_suites_that_compare_numbers_compute_full_float32(
    suite: str, run: Callable[[Case, Any], object], name: str
) -> None:
    class Observer:
        seen: ClassVar[list[bool]] = []

        def __getattr__(self, attribute: str) -> object:
            self.seen.append(torch.backends.cudnn.allow_tf32)
            raise LookupError(attribute)

    parameters = {"dtype": "float32", "inputs": "drawn", "mode": "forward", "compiler": "eager"}
    with pytest.raises(LookupError):
        run(Case(suite, name, tuple(sorted(parameters.items()))), Observer())
    assert Observer.seen == [False]


def test_recurrent_layers_are_trained_in_training_mode_without_dropout() -> None:
    example = weak_spots.example("lstm")
    lstm = example.model.lstm
    lstm.dropout = 0.5
    example.model.eval()
    model_comparison._train(example, model_comparison._unwrapped_model)
    assert (lstm.training, lstm.dropout) == (True, 0.0)


class CachesInEvaluation(nn.Module):  # type: ignore[misc]
    """Keeps what it computed in evaluation, as timm's LeViT does, until it is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.ones(4))
        self.norm = nn.BatchNorm1d(4)
        self.cache: list[torch.Tensor] = []

    def train(self, mode: bool = True) -> CachesInEvaluation:  # noqa: FBT001, FBT002 - torch's
        """Change the mode, and forget what was computed in evaluation."""
        super().train(mode)
        if mode:
            self.cache.clear()
        return self

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add the bias, or what is kept of it."""
        if self.training:
            return self.norm(x) + self.bias
        if not self.cache:
            self.cache.append(self.bias * 2)
        return self.norm(x) + self.cache[0]


def test_a_model_has_no_cache_without_gradients_before_it_is_copied() -> None:
    model = CachesInEvaluation().eval()
    example = Example(model, {"x": torch.randn(3, 4)})
    model_comparison._perturb_weights(example)
    assert not model.training
    gradients = model_comparison._train(example, model_comparison._unwrapped_model)
    assert "the gradient of bias" in gradients

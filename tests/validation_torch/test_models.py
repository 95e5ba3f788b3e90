"""What a model's test states, when it is not run, and when its numbers cannot show an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from accelerator_reports.report_file import read_report
from accelerator_validation.case import Case, MismatchError, Result, SkippedError, UncheckedError
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import huggingface_models, model_comparison
from accelerator_validation.suites.model_comparison import Example, require_memory, run_model
from accelerator_validation.suites.transformers_models import load_transformers
from tests.validation_torch.conftest import validate


def compared(forward: Callable[[Any], Any], value: torch.Tensor) -> Result:
    """Compare a made-up model on the CPU with float64."""

    class Model(torch.nn.Module):  # type: ignore[misc] # torch is not installed beside mypy
        def forward(self, value: torch.Tensor) -> Any:  # noqa: ANN401 - as a model
            return forward(value)

    parameters = (("compiler", "eager"), ("dtype", "float32"), ("mode", "inference"))
    context = Context("cpu", read_matrix("timm"))
    return run_model(
        Case("timm", "x", parameters), context, lambda: Example(Model(), args=(value,))
    )


def test_a_result_that_rounding_alone_changes_is_not_wrong() -> None:
    large = 10_000.3 + torch.arange(8) * 100.7
    with pytest.raises(UncheckedError, match="Rounding in float32 alone"):
        compared(lambda x: x * x - (x - 1) * (x + 1), large)
    with pytest.raises(MismatchError):  # float32 gives another number, which is no rounding
        compared(lambda x: x + (x.dtype is torch.float32), torch.ones(8))


def test_a_model_that_draws_random_numbers_is_not_compared() -> None:
    with pytest.raises(UncheckedError, match="draws random numbers"):
        compared(lambda x: x + torch.rand(8), torch.ones(8))


def test_a_model_that_does_not_fit_into_memory_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_comparison, "available_memory", lambda: 5_000_000_000)
    require_memory(200_000_000, "inference")
    with pytest.raises(SkippedError, match=r"needs about 10 GB of memory, and 5 GB are available"):
        require_memory(200_000_000, "training")
    monkeypatch.setattr(model_comparison, "available_memory", lambda: None)
    require_memory(10**12, "training")


def test_each_name_of_the_suite_is_a_class_of_transformers() -> None:
    library = load_transformers()
    names = read_matrix("huggingface").tests
    assert set(huggingface_models._CLASSES) <= set(names)
    for name in names:
        class_name, settings = huggingface_models._CLASSES.get(name, (name, {}))
        getattr(library, class_name).config_class(**settings)


@pytest.mark.parametrize("mode", ["inference", "training"])
def test_a_large_model_is_refused_before_it_takes_memory(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_comparison, "available_memory", lambda: 5_000_000_000)
    with pytest.raises(SkippedError, match="6,051 million parameters"):
        huggingface_models.example("GPTJForCausalLM", 1, mode)


def test_a_report_states_what_repeats_a_test(tmp_path: Path) -> None:
    url = "https://ci.example/1"
    words = ["--suite=operators", "--suite=weak-spots", "-k", "operators/tanh or mlp or lstm"]
    done = validate(tmp_path, "--device=cpu", f"--run-url={url}", *words)
    assert done.status == 0, done.said
    assert str(read_report(done.report).run_url) == url
    for test in done.report_tests:
        assert test.inputs, test
        assert test.tolerance, test
        assert 0 <= test.metrics["max-relative-error"].value < 1e-3, test
    assert "samples, up to float32[" in str(done.tests["tanh"].inputs)
    assert " parameters; " in str(done.tests["lstm"].inputs)

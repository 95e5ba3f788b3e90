"""What counts as equal: within the tolerance, in the range of the type that was asked for."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from accelerator_reports.report import Tolerance
from accelerator_validation.case import MismatchError
from accelerator_validation.suites.result_comparison import Comparison
from tests.validation_torch.conftest import validate

ROOM = Tolerance(rtol=1e-2, atol=1e-2)


def test_what_is_too_large_for_a_type_is_infinite_on_both_sides() -> None:
    found = torch.tensor([float("inf"), 1.0], dtype=torch.float16)
    exact = torch.tensor([1e6, 1.0], dtype=torch.float64)
    Comparison(ROOM, same_dtype=False).check(found, exact, "the result")
    with pytest.raises(MismatchError, match="not close"):
        Comparison(ROOM, same_dtype=False).check(-found, exact, "the result")
    with pytest.raises(
        MismatchError, match=r"has torch\.float16, the reference has torch\.float64"
    ):
        Comparison(ROOM).check(found, exact, "the result")


def test_equal_numbers_are_counted_if_they_are_finite() -> None:
    comparison = Comparison(ROOM)
    numbers = torch.tensor([1.0, -math.inf, 0.0])
    comparison.check(numbers, numbers.clone(), "the result")
    assert (comparison.numbers, comparison.total, comparison.largest) == (2, 0, 0)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_numbers_that_the_cpu_cannot_compare_itself_are_compared() -> None:
    numbers = torch.tensor([1 + 2j], dtype=torch.complex64).to(torch.complex32)
    Comparison(ROOM).check(numbers, numbers.clone(), "the result")
    with pytest.raises(MismatchError, match="not close"):
        Comparison(ROOM).check(numbers, (2 * numbers.to(torch.complex64)).to(numbers.dtype), "it")


def test_integers_are_exact() -> None:
    with pytest.raises(MismatchError, match="not equal"):
        Comparison(ROOM).check(torch.tensor([1000]), torch.tensor([1001]), "the result")


@pytest.mark.parametrize(
    ("found", "wanted", "equal"),
    [
        (1.005, 1.0, True),
        (1.1, 1.0, False),
        (math.inf, math.inf, True),
        (math.nan, complex(math.nan, 1), True),
        (math.nan, 1.0, False),
        (5.0, math.inf, False),
        (-math.inf, math.inf, False),
        (math.inf, 5.0, False),
        (True, 1, True),
        ("a", "a", True),
        ("a", 1, False),
    ],
)
def test_plain_values_are_equal_within_the_tolerance(
    found: object,
    wanted: object,
    equal: bool,  # noqa: FBT001 - a parameter
) -> None:
    with nullcontext() if equal else pytest.raises(MismatchError, match="the reference is"):
        Comparison(ROOM).check(found, wanted, "the result")


@pytest.mark.slow
def test_where_rounding_alone_loses_a_models_numbers_nothing_is_said(tmp_path: Path) -> None:
    suites = "--suite=small-timm", "--suite=small-transformers"
    words = "-k", "(llama or dla46) and inference", "--dtype=bfloat16,float32"
    done = validate(tmp_path, "--device=cpu", *suites, *words)
    found = {(t.name, t.parameters["dtype"]): t for t in done.report_tests}
    assert {key: test.outcome for key, test in found.items()} == {
        ("dla46_c", "bfloat16"): "executed",
        ("dla46_c", "float32"): "passed",
        ("LlamaForCausalLM", "bfloat16"): "passed",
        ("LlamaForCausalLM", "float32"): "passed",
    }
    assert (found["dla46_c", "bfloat16"].reason or "").startswith(
        "Rounding in bfloat16 alone changes the results of the CPU by more than the tolerance: the output"
    )
    assert done.status == 0

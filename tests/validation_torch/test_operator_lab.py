"""When an operator's results are compared, and when the reference itself is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_reports.report import Tolerance
from accelerator_validation.case import MismatchError
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import operator_lab
from accelerator_validation.suites.operator_lab import OperatorLab
from accelerator_validation.suites.operator_variants import check_arguments
from accelerator_validation.suites.operators import opinfo_by_name
from accelerator_validation.suites.result_comparison import Comparison

SAMPLE = SampleInput(torch.ones(2))
CONTEXT = Context("cpu", read_matrix("operators"))


class MadeUpOperator:
    """An operator whose results have one shape on the reference, the device and the meta device."""

    full_name = "made-up"

    def __init__(self, reference: int, device: int, meta: int) -> None:
        self.lengths = {"reference": reference, "cpu": device, "meta": meta}

    def __call__(self, value: torch.Tensor) -> torch.Tensor:
        """Return ones, as many as the place has."""
        place = "reference" if CONTEXT.reference else value.device.type
        return torch.ones(self.lengths[place], device=value.device)


def laboratory(info: Any, *, same_dtype: bool = True) -> OperatorLab:  # noqa: ANN401 - as OpInfo
    comparison = Comparison(Tolerance(rtol=0, atol=0), same_dtype=same_dtype)
    return OperatorLab(info, [SAMPLE], CONTEXT, comparison, torch.float32, 0, 1)


def test_shapes_of_the_cpu_that_pytorch_contradicts_are_not_compared() -> None:
    assert laboratory(MadeUpOperator(2, 2, 2)).compare_derived(SAMPLE, "a sample")
    assert not laboratory(MadeUpOperator(3, 2, 2)).compare_derived(SAMPLE, "a sample")
    with pytest.raises(MismatchError, match="shape"):
        laboratory(MadeUpOperator(2, 3, 2)).compare_derived(SAMPLE, "a sample")


def test_rounding_is_looked_at_only_after_a_comparison_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the CPU, the reference has a wider type: that is no failed comparison."""
    asked: list[object] = []

    def settled(found: object, *_: object) -> object:
        asked.append(found)
        return found

    monkeypatch.setattr(operator_lab, "settled", settled)
    monkeypatch.setattr(operator_lab, "is_elementwise", lambda _: True)
    lab = laboratory(MadeUpOperator(2, 2, 2), same_dtype=False)
    one, wide = torch.ones(2), torch.ones(2, dtype=torch.float64)
    lab.compare_settled([one], [wide], SAMPLE, lambda _: None, "the result")
    assert asked == []
    with pytest.raises(MismatchError):
        lab.compare_settled([one], [wide + 1], SAMPLE, lambda _: None, "the result")
    assert asked == [[one]]


NUMBERS = torch.tensor([[3.0, 1, 3, 2], [0, 5, 5, 5]])
SORTED, PLACES = NUMBERS.sort()


@pytest.mark.parametrize(
    ("name", "found", "wanted", "is_right"),
    [
        ("sort", (SORTED, torch.tensor([[1, 3, 2, 0], [0, 3, 1, 2]])), (SORTED, PLACES), True),
        ("sort", (SORTED, torch.tensor([[1, 3, 2, 2], [0, 3, 1, 2]])), (SORTED, PLACES), False),
        ("sort", (SORTED, torch.tensor([[1, 3, 2, 0], [1, 0, 3, 2]])), (SORTED, PLACES), False),
        ("argsort", (torch.tensor([[1, 3, 2, 0], [0, 3, 1, 2]]),), (PLACES,), True),
        ("argsort", (torch.tensor([[3, 1, 2, 0], [0, 3, 1, 2]]),), (PLACES,), False),
        ("median.dim", (torch.tensor([2.0, 5]), torch.tensor([3, 3])), NUMBERS.median(1), True),
        ("median.dim", (torch.tensor([2.0, 5]), torch.tensor([3, 0])), NUMBERS.median(1), False),
        ("max.reduction", (torch.tensor([3.0, 5]), torch.tensor([2, 1])), NUMBERS.max(1), False),
    ],
)
def test_of_equal_numbers_any_index_is_right_unless_pytorch_defines_which(
    name: str, found: tuple[torch.Tensor, ...], wanted: tuple[torch.Tensor, ...], *, is_right: bool
) -> None:
    operator = MadeUpOperator(1, 1, 1)
    operator.full_name = name
    lab = laboratory(operator)
    own, expected = lab.without_ties(SampleInput(NUMBERS), list(found), list(wanted))
    assert lab.agrees(own, expected) == is_right


def test_a_stable_order_has_one_right_index() -> None:
    operator = MadeUpOperator(1, 1, 1)
    operator.full_name = "sort"
    sample = SampleInput(NUMBERS, kwargs={"stable": True})
    found = [SORTED, torch.tensor([[1, 3, 2, 0], [0, 3, 1, 2]])]
    own, expected = laboratory(operator).without_ties(sample, found, [SORTED, PLACES])
    assert not laboratory(operator).agrees(own, expected)


def with_device(name: str, on_device: Callable[..., Any]) -> OperatorLab:
    """Return the laboratory of an operator that is another function on the device."""
    info = copy(opinfo_by_name()[name])
    on_reference = info.op

    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the operator
        return (on_reference if CONTEXT.reference else on_device)(*args, **kwargs)

    info.op = call
    return laboratory(info)


def test_a_device_may_use_pytorchs_kernel_for_all_devices_and_no_other() -> None:
    """That of `addr` multiplies the small integers by -1 in their own type."""
    small, vector = torch.ones(2, 2, dtype=torch.uint8), torch.ones(2)
    sample = SampleInput(small, args=(vector, vector), kwargs={"beta": -1})
    (composite,) = laboratory(opinfo_by_name()["addr"]).composite(sample)
    lab = with_device("addr", lambda *_, **__: composite)
    assert not lab.agrees([composite], lab.reference(sample))
    assert lab.compare_derived(sample, "a sample")
    with pytest.raises(MismatchError):
        with_device("addr", lambda *_, **__: torch.ones(2, 2)).compare_derived(sample, "a sample")
    square = torch.ones(2, 2)
    assert laboratory(opinfo_by_name()["mm"]).composite(SampleInput(square, args=(square,))) == []


def test_the_reference_of_several_complex_matrices_is_right() -> None:
    """PyTorch's `linalg.pinv` is wrong while a mode watches it, as the one for random numbers."""
    torch.manual_seed(0)
    matrices = torch.randn(2, 5, 5, dtype=torch.complex64)
    found = laboratory(opinfo_by_name()["linalg.pinv"]).reference(SampleInput(matrices))
    assert found
    torch.testing.assert_close(found[0], torch.linalg.pinv(matrices))


def test_results_for_other_arguments_share_no_memory_that_they_should_not() -> None:
    def without_copy(value: torch.Tensor, dtype: torch.dtype, *, copy: bool) -> torch.Tensor:
        found = value.to(dtype, copy=copy)
        return value.view_as(value) if found.dtype is value.dtype else found

    lab = with_device("to", without_copy)
    sample = SampleInput(torch.ones(2, 3), args=(torch.float64,), kwargs={"copy": True})
    with pytest.raises(MismatchError, match="of the type of the input shares memory"):
        list(check_arguments(replace(lab, samples=[sample])))

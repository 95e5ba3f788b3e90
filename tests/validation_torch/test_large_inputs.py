"""Which inputs are left out: too many or too large results, unwritten memory, long computations."""

from __future__ import annotations

import pytest
import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.case import Case
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.large_inputs import is_affordable
from accelerator_validation.suites.operator_variants import check_combined, check_noncontiguous
from accelerator_validation.suites.operators import run
from tests.validation_torch.test_combined_calls import laboratory


@pytest.mark.parametrize(("sections", "is_small"), [(5, True), (70_015, False)])
def test_a_long_axis_is_not_split_into_thousands_of_results(
    sections: int, *, is_small: bool
) -> None:
    lab = laboratory("hsplit", torch.float32)
    sample = SampleInput(torch.zeros(2, 70_015), args=(sections,))
    assert is_affordable(lab, sample) == is_small


@pytest.mark.parametrize(("width", "is_fast"), [(3, True), (20, False)])
def test_a_convolution_takes_a_bounded_number_of_operations(width: int, *, is_fast: bool) -> None:
    lab = laboratory("nn.functional.conv3d", torch.float32)
    kernel = torch.zeros(1, 1, width, width, width)
    sample = SampleInput(torch.zeros(1, 1, 60, 60, 60), args=(kernel, None), kwargs={})
    assert is_affordable(lab, sample) == is_fast


@pytest.mark.filterwarnings("ignore:Sparse CSR")
@pytest.mark.parametrize("name", ["all", "isin", "to_sparse", "sparse.mm.reduce"])
def test_results_without_strided_numbers_have_no_squares_that_overflow(name: str) -> None:
    assert next(check_combined(laboratory(name, torch.float16)), None) is None


def test_a_resized_tensor_is_not_read_beyond_its_memory(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert list(check_noncontiguous(laboratory("resize_", torch.float32)))
    announced = capfd.readouterr().err
    assert "stepped input" in announced
    assert "expanded" not in announced


def test_the_largest_samples_are_left_out_if_there_are_smaller_ones() -> None:
    matrix = read_matrix("operators")
    case = Case("operators", "mul", (("dtype", "float32"), ("mode", "forward")))
    inputs = []
    for most in (matrix.settings["elements"], 30):
        settings = {**matrix.settings, "elements": most}
        context = Context("cpu", matrix.model_copy(update={"settings": settings}))
        run(case, context)
        inputs.append(context.inputs)
    assert inputs[0] != inputs[1]
    assert "[5, 5, 5]" not in str(inputs[1])

"""Calls with several unusual things at once: drawn from a seed, and valid where it matters."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_reports.report import Tolerance
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.combined_calls import CallDraw
from accelerator_validation.suites.operator_lab import OperatorLab
from accelerator_validation.suites.operator_variants import check_arguments
from accelerator_validation.suites.operators import opinfo_by_name
from accelerator_validation.suites.result_comparison import Comparison, tensors
from accelerator_validation.suites.rounding import RoundingLimits, settled
from accelerator_validation.suites.sample_placement import (
    mark_all,
    on_device,
    sample_text,
    sample_values,
)
from accelerator_validation.suites.sample_plan import choose_samples


def laboratory(name: str, dtype: torch.dtype) -> OperatorLab:
    torch.manual_seed(0)
    info = opinfo_by_name()[name]
    samples = list(info.sample_inputs("cpu", dtype))
    comparison = Comparison(Tolerance(rtol=1e-3, atol=1e-3))
    return OperatorLab(
        info, samples, Context("cpu", read_matrix("operators")), comparison, dtype, 0, 3
    )


def calls(name: str, dtype: torch.dtype, seed: int = 0) -> list[tuple[str, SampleInput]]:
    draw = CallDraw(laboratory(name, dtype), random.Random(seed))  # noqa: S311 - tests, no secrets
    return list(filter(None, (draw.call() for _ in range(60))))


def test_the_same_seed_draws_the_same_calls() -> None:
    first, again, other = (calls("lerp", torch.float32, seed) for seed in (1, 1, 2))
    texts = [
        [(what, sample_text(sample)) for what, sample in found] for found in (first, again, other)
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_indices_stay_in_range(dtype: torch.dtype) -> None:
    for what, sample in calls("gather", dtype):
        index = tensors(sample_values(sample))[1]
        assert not index.numel() or 0 <= int(index.min()) <= int(index.max()) < 10, what


def test_calls_have_special_numbers_more_axes_and_other_arguments() -> None:
    found = [sample for _, sample in calls("sum", torch.float32)]
    assert any(sample.input.isnan().any() for sample in found if sample.input.is_floating_point())
    assert any(sample.input.dim() > 3 for sample in found)
    assert len({repr(sample.kwargs) for sample in found}) > 10


def test_each_operator_gets_one_tensor_twice_and_a_number_on_the_cpu() -> None:
    lab = laboratory("copysign", torch.float32)
    for sample in lab.samples:
        mark_all(sample)
    found = list(CallDraw(lab, random.Random(0)).fixed())  # noqa: S311 - tests, no secrets
    twice = [on_device(sample, "meta") for what, sample in found if what == "a tensor twice"]
    assert twice
    assert all(sample.input is sample.args[0] for sample in twice)
    alone = [on_device(sample, "meta") for what, sample in found if what.endswith("on the CPU")]
    assert {v.dim() for s in alone for v in tensors(sample_values(s)) if v.is_cpu} == {0}
    assert any(sample.input.is_meta for sample in alone)


def test_keywords_that_no_sample_has_together_are_tried_with_indices_that_they_name() -> None:
    lab = laboratory("nn.functional.nll_loss", torch.float32)
    found = [s for what, s in CallDraw(lab, random.Random(0)).fixed() if "keywords" in what]  # noqa: S311 - tests, no secrets
    own = {tuple(sorted(sample.kwargs)) for sample in lab.samples}
    assert {tuple(sorted(sample.kwargs)) for sample in found} - own
    partly_ignored = [
        sample.args[0] == sample.kwargs["ignore_index"]
        for sample in found
        if {"ignore_index", "weight"} <= sample.kwargs.keys()
    ]
    assert any(ignored.any() and not ignored.all() for ignored in partly_ignored)
    assert all(0 <= int(s.args[0].max()) < 3 for s in found)


def test_polynomials_get_no_nan_for_which_pytorch_writes_nothing() -> None:
    name = "special.legendre_polynomial_p"
    draw = CallDraw(laboratory(name, torch.float32), random.Random(0))  # noqa: S311 - no secrets
    found = [*calls(name, torch.float32), *draw.fixed()]
    assert not any(v.isnan().any() for _, s in found for v in tensors(sample_values(s)))


def test_a_long_list_is_changed_in_few_pairs() -> None:
    lab = laboratory("cat", torch.float32)
    sample = SampleInput([torch.ones(2) for _ in range(200)])
    found = list(CallDraw(replace(lab, samples=[sample]), random.Random(0)).fixed())  # noqa: S311 - tests
    assert 0 < len(found) < 50


def test_a_flag_is_tried_with_shapes_for_which_it_matters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lab = laboratory("nn.functional.scaled_dot_product_attention", torch.float32)
    list(check_arguments(lab))
    assert "float32[4, 2, 6, 8], float32[4, 2, 6, 8]" in capsys.readouterr().err


@pytest.mark.parametrize(("certain", "is_explained"), [(True, True), (False, False)])
def test_numbers_that_wider_types_contradict_do_not_count(
    *, certain: bool, is_explained: bool
) -> None:
    """The square of 1e30 overflows in float32 alone; a device may saturate instead."""
    sample, device = SampleInput(torch.tensor([1e30, 2])), torch.tensor([7.0, 4])
    limits = RoundingLimits(Tolerance(rtol=1e-3, atol=1e-3), elementwise=True, certain=certain)

    def compute(changed: SampleInput) -> list[object]:
        return [(changed.input.square().sqrt() / 1e30).float()]

    wanted = compute(sample)
    found = settled([device], wanted, sample, compute, limits)
    assert torch.equal(tensors(found)[0][:1], tensors(wanted)[0][:1]) == is_explained
    assert float(tensors(found)[0][1]) == 4


def test_a_plan_has_odd_and_even_lengths() -> None:
    samples = [SampleInput(torch.ones(4), args=(length,)) for length in (4, 6, 8, 10, 12, 7)]
    assert {sample.args[0] % 2 for sample in choose_samples(samples, 2)} == {0, 1}

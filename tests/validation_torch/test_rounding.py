"""Rounding explains a difference only where the reference depends on the last bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_reports.report import Tolerance
from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.rounding import RoundingLimits, settled
from accelerator_validation.suites.sample_placement import widen_sample

LIMITS = RoundingLimits(Tolerance(rtol=1e-3, atol=1e-3), elementwise=True)


def is_explained(
    operator: Callable[..., torch.Tensor],
    sample: SampleInput,
    found: object,
    limits: RoundingLimits = LIMITS,
) -> bool:
    def compute(changed: SampleInput) -> list[torch.Tensor]:
        return [operator(changed.input, *changed.args, **changed.kwargs)]

    wanted = [value.to(sample.input.dtype) for value in compute(widen_sample(sample))]
    kept = settled([torch.tensor(found, dtype=wanted[0].dtype)], wanted, sample, compute, limits)
    return all(torch.equal(*pair) for pair in zip(tensors(kept), wanted, strict=True))


def test_a_quotient_beside_a_whole_number_may_be_rounded_to_either_side() -> None:
    """0.9 / 0.3 is at an edge of `trunc`; 0.7 / 0.2 is not."""
    parts = torch.tensor([0.9, 0.7]), torch.tensor([0.3, 0.2])
    sample = SampleInput(parts[0], args=(parts[1],), kwargs={"rounding_mode": "trunc"})
    assert is_explained(torch.div, sample, [2.0, 3.0])
    assert is_explained(torch.div, sample, [3.0, 3.0])
    assert not is_explained(torch.div, sample, [3.0, 2.0])


def test_whole_numbers_and_halves_are_not_rounded() -> None:
    sample = SampleInput(torch.tensor([0.5, 1.5, 2.5, -0.5]))
    assert is_explained(torch.round, sample, [0.0, 2, 2, 0])
    assert not is_explained(torch.round, sample, [1.0, 2, 3, -1])
    assert is_explained(torch.exp, sample, sample.input.exp().tolist())


def test_integers_beyond_float64_are_not_rounded() -> None:
    sample = SampleInput(torch.tensor([7]), args=(torch.tensor([21]),))
    assert is_explained(torch.pow, sample, [7**21])
    assert not is_explained(torch.pow, sample, [int(float(7**21))])


def test_a_sum_may_lose_the_last_bits_of_its_greatest_number() -> None:
    sample = SampleInput(torch.tensor([1e8, -1e8, 1.0]))
    many = RoundingLimits(LIMITS.tolerance, elementwise=False)
    assert is_explained(torch.sum, sample, 8.0, many)
    assert not is_explained(torch.sum, sample, 9e6, many)


def test_a_device_may_be_as_inexact_as_the_cpu_is_elsewhere_in_the_tensor() -> None:
    def coarse(value: torch.Tensor) -> torch.Tensor:
        return value * 0 + (torch.tensor([0.7, 0]) if value.dtype is torch.float32 else 0)

    sample = SampleInput(torch.tensor([1.0, 2.0]))
    limits = RoundingLimits(LIMITS.tolerance, elementwise=False, certain=True)
    assert is_explained(coarse, sample, [0.2, 0.3], limits)
    assert not is_explained(coarse, sample, [0.2, 0.8], limits)
    assert not is_explained(coarse, sample, [0.2, 0.3], replace(limits, elementwise=True))


def test_an_index_is_not_changed_instead_of_a_number() -> None:
    """Each changed tensor is its own, whatever the order of the arguments."""
    table = torch.tensor([[1.0, 5.0]])
    sample = SampleInput(table, args=(1, torch.tensor([[1]])))
    assert not is_explained(torch.gather, sample, [[1.0]])


def test_a_device_may_be_as_inexact_as_the_cpu() -> None:
    """In float16, exp(12) is infinite. The loss is 12, and only the CPU itself need not know it."""
    loss = torch.nn.functional.soft_margin_loss
    sample = SampleInput(torch.tensor([-12.0], dtype=torch.float16), args=(torch.ones(1).half(),))
    assert loss(sample.input, *sample.args).isinf()
    assert is_explained(loss, sample, torch.inf)
    assert not is_explained(loss, sample, 11.0)
    assert not is_explained(loss, sample, torch.inf, replace(LIMITS, on_cpu=True))


def test_a_limit_that_an_operator_sets_in_a_narrow_type_is_no_rounding() -> None:
    sample = SampleInput(torch.tensor([torch.inf, 1.0], dtype=torch.float16))
    wanted = [torch.nan_to_num(sample.input)]

    def compute(changed: SampleInput) -> list[torch.Tensor]:
        return [torch.nan_to_num(changed.input)]

    found = [sample.input]
    (kept,) = settled(found, wanted, sample, compute, LIMITS)
    assert torch.equal(kept, found[0])
    (as_sum,) = settled(found, wanted, sample, compute, replace(LIMITS, elementwise=False))
    assert torch.equal(as_sum, wanted[0])

"""Inputs of every form are what they are called, the same each time, and find what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import read_matrix
from accelerator_validation.suites.operator_inputs import (
    FORMS,
    OPERATORS,
    InputGenerator,
    broadcastable_shape,
)
from accelerator_validation.worker import Job, run_case

SUITE = "operator-inputs"
TYPES = {name: getattr(torch, name) for name in read_matrix(SUITE).axes["dtype"]}
SEEDS = st.integers(0, 2**31 - 1)


def drawn(form: str, dtype: str, seed: int, *, ends: bool = True) -> tuple[Any, tuple[int, ...]]:
    """One input as an operator gets it on the CPU, and its shape."""
    draw = InputGenerator(form, TYPES[dtype], seed, ends=ends)
    shape = draw.shape()
    return draw.input(shape).on("cpu", TYPES[dtype]), shape


@given(st.sampled_from(FORMS), st.sampled_from(sorted(TYPES)), SEEDS)
def test_an_input_is_of_its_form_and_the_same_each_time(form: str, dtype: str, seed: int) -> None:
    found, shape = drawn(form, dtype, seed)
    again, _ = drawn(form, dtype, seed)
    assert found.shape == shape
    assert found.dtype == TYPES[dtype]
    assert found.stride() == again.stride()
    assert torch.equal(found.view_as(found).nan_to_num(), again.nan_to_num())
    numbers = found.double()
    assert (form == "empty") == (not found.numel())
    assert (form == "zero-dim") == (not shape)
    assert bool((~torch.isfinite(numbers)).any()) <= (form == "extreme")
    if form == "denormal":
        assert numbers.abs().max() < torch.finfo(TYPES[dtype]).smallest_normal


@given(SEEDS)
def test_extremes_leave_out_what_hangs_on_the_order(seed: int) -> None:
    found, _ = drawn("extreme", "float32", seed, ends=False)
    finite = found[torch.isfinite(found)]
    assert not finite.numel() or finite.abs().max() < 100


def test_views_are_none_that_lie_in_one_piece() -> None:
    found = [drawn("strided", "float32", seed)[0] for seed in range(60)]
    assert sum(not tensor.is_contiguous() for tensor in found) > 30
    assert any(0 in tensor.stride() for tensor in found)
    assert any(tensor.storage_offset() for tensor in found)


@given(SEEDS)
def test_shapes_can_be_broadcast(seed: int) -> None:
    draw = InputGenerator("broadcast", torch.float32, seed, ends=True)
    shape = draw.shape()
    assert torch.broadcast_shapes(shape, broadcastable_shape(draw, shape)) == shape


def result(name: str, inputs: str, dtype: str = "float32") -> Result:
    job = Job("cpu", {SUITE: read_matrix(SUITE)}, {SUITE: 60}, 1)
    return run_case(Case(SUITE, name, (("dtype", dtype), ("inputs", inputs))), job)


@pytest.mark.filterwarnings(r"ignore:.*degrees of freedom")
@pytest.mark.parametrize("form", FORMS)
def test_every_operator_can_be_called_with_every_form_that_it_takes(form: str) -> None:
    for name, operator in OPERATORS.items():
        if form in operator.forms:
            found = result(name, form)
            assert found.outcome in {"passed", "wrong-result"}, (name, found)

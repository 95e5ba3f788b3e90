"""What the suite `speed` measures on the CPU is what other tools measure, side by side."""

from __future__ import annotations

import shutil

import pytest

from benchmarks.speed import WITHIN, Agreement, bandwidth, product

pytestmark = pytest.mark.slow


def test_a_product_is_as_fast_as_numpy_finds_it() -> None:
    found = product(turns=7)
    assert found.agrees, found


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["copy", "triad"])
def test_bandwidth_is_what_a_loop_in_c_finds(name: str) -> None:
    found = bandwidth(name, turns=7)
    assert found.agrees, found


def test_what_is_far_apart_does_not_agree() -> None:
    assert Agreement("matmul", "TFLOP/s", 1.0, 1.0).agrees
    assert not Agreement("matmul", "TFLOP/s", 1.0, 1.1 * WITHIN).agrees
    assert not Agreement("matmul", "TFLOP/s", 1.1 * WITHIN, 1.0).agrees

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_validation.matrix import parse_matrix
from accelerator_validation.plan import Offer, RunError
from accelerator_validation.request import (
    Request,
    plan_from_offers,
    read_matrices,
    with_torchbench_checkout,
)


def test_torchbench_without_a_checkout_says_where_to_get_one(tmp_path: Path) -> None:
    matrices = read_matrices(["torchbench", "operators"])
    with pytest.raises(RunError, match=r"not on PyPI; clone .*, and name the folder with --torchb"):
        with_torchbench_checkout(matrices, None)
    with pytest.raises(
        RunError, match=r"is not a checkout of TorchBench; it has no torchbenchmark/m"
    ):
        with_torchbench_checkout(matrices, tmp_path)
    assert with_torchbench_checkout({"operators": matrices["operators"]}, None) == {
        "operators": matrices["operators"]
    }


SHORT_MATRIX = """\
kind: operator
module: tests.validation.fake_suite
description: Made up.
axes: {dtype: [float32, float16]}
default: {dtype: [float32]}
"""


def selected(*tests: str) -> list[str]:
    matrices = {"made-up": parse_matrix("made-up.yaml", SHORT_MATRIX)}
    offers = {"made-up": [Offer("linalg.qr"), Offer("add")]}
    request = Request("foo", Path("report.json"), "foo", tests=frozenset(tests))
    return [c.id for c in plan_from_offers(request, matrices, offers, dt.date(2026, 1, 1)).cases]


def test_a_name_without_parameters_selects_the_tests_that_run_by_default() -> None:
    assert selected("linalg.qr") == ["made-up/linalg.qr?dtype=float32"]
    assert selected("made-up/add") == ["made-up/add?dtype=float32"]
    assert selected("made-up/add?dtype=float16") == ["made-up/add?dtype=float16"]


@pytest.mark.parametrize(
    ("test", "nearest"),
    [
        ("linalg.qrr", 'did you mean "linalg.qr"?'),
        ("made-up/add?dtype=float61", 'did you mean "made-up/add?dtype=float16"?'),
        ("zork", "list the tests with --plan"),
    ],
)
def test_a_test_that_does_not_exist_is_refused_with_the_nearest_one(
    test: str, nearest: str
) -> None:
    with pytest.raises(RunError) as raised:
        selected(test)
    assert f'there is no test "{test}"; {nearest}' in str(raised.value)

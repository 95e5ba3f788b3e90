"""What an operator's test notes: the ATen operators whose numbers it found right, no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.matrix import read_matrix
from accelerator_portal.validation.worker import Job, attempt_observed
from tests.validation_torch.conftest import validate


def result(name: str, mode: str) -> Result:
    job = Job("cpu", {"operators": read_matrix("operators")}, {"operators": 60}, 1)
    return attempt_observed(Case("operators", name, (("dtype", "float32"), ("mode", mode))), job)


def test_what_reaches_a_device_is_noted_forward_and_backward() -> None:
    assert {"t", "addmm"} <= set(result("nn.functional.linear", "forward").operators)
    assert "linear" not in result("nn.functional.linear", "forward").operators
    assert {"sum", "threshold_backward"} & set(result("nn.functional.relu", "backward").operators)


def test_what_cannot_be_compared_covers_nothing() -> None:
    assert result("randn", "forward").operators == ()
    assert result("empty", "forward").outcome == "executed"
    assert result("empty", "forward").operators == ()


def test_operators_are_names_that_reach_a_device() -> None:
    from accelerator_portal.validation.suites.aten import census, core, operators

    assert {"add", "mm", "convolution", "__lshift__"} <= operators()
    assert not {"add_", "linear", "matmul", "add.Tensor"} & operators()
    assert core() < operators()
    assert census() == {"registered": len(operators()), "core": sorted(core())}


@pytest.mark.slow
def test_a_report_of_a_device_counts_only_right_numbers(site: str, tmp_path: Path) -> None:
    tests = [f"--test=operators/{name}?dtype=float32&mode=forward" for name in ("tanh", "sinh")]
    done = validate(tmp_path, "--device=paper", *tests, site=site, PAPER_FAULTS="sinh=wrong")
    (suite,) = done.suites
    assert suite.operators is not None
    assert "tanh" in suite.operators.covered
    assert "sinh" not in suite.operators.covered
    assert 100 < suite.operators.core < suite.operators.registered

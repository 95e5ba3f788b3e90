"""Models of a checkout: that a step ran and that numbers are right are two things."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from accelerator_validation.case import Case, Result
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import read_matrix
from accelerator_validation.request import with_torchbench_checkout
from accelerator_validation.worker import Job, run_case
from tests.validation_torch.conftest import Done, validate
from tests.validation_torch.torchbench_checkout import MODELS, make_checkout

SAID = {
    "plain": ("passed", ""),
    "named": ("passed", ""),
    "nested": ("passed", ""),
    "only_eval": ("passed", ""),
    "fixed_batch": ("passed", ""),
    "trained": ("passed", ""),
    "random": ("executed", "The model draws random numbers"),
    "secret": (
        "executed",
        "The model ran but doesn't expose its module: NotImplementedError: no module",
    ),
    "unready": ("skipped", "needs what TorchBench's install.py gets: ModuleNotFoundError"),
    "broken": ("failed", "RuntimeError: the step stops"),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkout(tmp_path_factory.mktemp("checkout"))


def result(checkout: Path, name: str, mode: str = "inference") -> Result:
    (matrix,) = with_torchbench_checkout(
        {"torchbench": read_matrix("torchbench")}, checkout
    ).values()
    job = Job("cpu", {"torchbench": matrix}, {"torchbench": 60}, 1)
    return run_case(Case("torchbench", name, (("compiler", "eager"), ("mode", mode))), job)


def test_the_models_are_the_folders_of_the_checkout(checkout: Path) -> None:
    matrices = with_torchbench_checkout({"torchbench": read_matrix("torchbench")}, checkout)
    assert [offer.name for offer in list_tests(matrices)["torchbench"]] == sorted(MODELS)


@pytest.mark.parametrize("name", SAID)
def test_a_model_says_what_came_of_it(name: str, checkout: Path) -> None:
    found = result(checkout, name)
    outcome, words = SAID[name]
    assert (found.outcome, words in (found.reason or "")) == (outcome, True), found


def test_a_test_that_a_model_has_not_is_skipped(checkout: Path) -> None:
    found = result(checkout, "only_eval", "training")
    assert (found.outcome, "doesn't support this test" in (found.reason or "")) == ("skipped", True)


def test_weights_are_trained_again_after_a_test(checkout: Path) -> None:
    assert result(checkout, "trained").outcome == "passed"
    linear = torch.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="Missing key"):
        linear.load_state_dict({})


def test_what_a_model_changes_in_the_process_is_put_back(checkout: Path) -> None:
    before = torch.manual_seed
    assert result(checkout, "plain", "training").outcome == "passed"
    assert torch.manual_seed is before
    assert not torch.are_deterministic_algorithms_enabled()


def run(folder: Path, checkout: Path, site: str, faults: str) -> Done:
    words = ["--device=paper", f"--torchbench={checkout}", "-k", "plain or secret"]
    return validate(folder, *words, site=site, PAPER_FAULTS=faults)


@pytest.mark.slow
def test_a_step_that_runs_with_wrong_numbers_has_not_passed(
    checkout: Path, site: str, tmp_path: Path
) -> None:
    done = run(tmp_path, checkout, site, "tanh=wrong")
    assert done.tests["plain"].outcome == "wrong-result"
    assert done.tests["secret"].outcome == "executed"
    assert "--torchbench CHECKOUT --test" in done.said
    assert "made by CHECKOUT/torchbenchmark" in (done.tests["secret"].log_tail or "")
    assert str(checkout) not in done.report.read_text("utf-8")


@pytest.mark.slow
def test_an_operator_that_the_device_lacks_is_named(
    checkout: Path, site: str, tmp_path: Path
) -> None:
    done = run(tmp_path, checkout, site, "tanh=missing")
    assert {test.outcome for test in done.tests.values()} == {"unsupported-operator"}

"""PyTorch's tests from a checkout: one name on every device, and every ending told apart."""

from __future__ import annotations

import unittest
from pathlib import Path

import pytest
import torch

from accelerator_reports.report_file import read_report
from accelerator_validation.pytorch_tests.suite import run_test
from tests.made_once import made_once
from tests.validation_torch.conftest import Done, validate, validate_once
from tests.validation_torch.pytorch_checkout import FILES, make_checkout

# Each run starts processes that import torch; the job `validation` has the time.
pytestmark = pytest.mark.slow

ALL = f"--pytorch-files={','.join(FILES)}"
SMALL = "pytorch-tests/test_small.TestSmall::"

SAID = {
    f"{SMALL}test_add?dtype=float32": ("passed", ""),
    f"{SMALL}test_add?dtype=int64": ("passed", ""),
    f"{SMALL}test_device": ("passed", ""),
    f"{SMALL}test_wrong?dtype=float32": ("wrong-result", "Tensor-likes are not close"),
    f"{SMALL}test_raises": ("failed", "RuntimeError: the driver says no"),
    f"{SMALL}test_lacks": ("test-broken", "no_such_package_at_all, which is not installed"),
    f"{SMALL}test_left_out": ("skipped", "PyTorch skips this test: nobody wants it"),
    f"{SMALL}test_only_cuda": ("skipped", "PyTorch skips this test: Only runs on"),
    f"{SMALL}test_expected": ("skipped", "PyTorch expects it to fail: AssertionError"),
    f"{SMALL}test_unexpected": ("failed", "unexpected pass"),
    f"{SMALL}test_device_unexpected": ("failed", "unexpected pass"),
    f"{SMALL}test_device_expected": ("skipped", "PyTorch expects it to fail: AssertionError"),
    f"{SMALL}test_elsewhere": ("passed", ""),
    f"{SMALL}test_marked_one": ("failed", "unexpected pass"),
    "pytorch-tests/test_small.TestFailing::test_passes": ("failed", "unexpected pass"),
    f"{SMALL}test_crash": ("crashed", "SIGSEGV"),
    f"{SMALL}test_subtests": ("failed", "AssertionError"),
    "pytorch-tests/nn.test_other.TestOther::test_alone": ("passed", ""),
    # The files themselves, and a class that PyTorch cannot make.
    "pytorch-tests/nn.test_other": ("passed", ""),
    "pytorch-tests/test_small": (
        "failed",
        "cannot be instantiated on the device: TestUnmakeable. Test",
    ),
    "pytorch-tests/test_small.TestUnmakeable": ("failed", "@dtypes is mandatory"),
    "pytorch-tests/test_unready": ("test-broken", "no_such_package_at_all"),
    "pytorch-tests/test_skipped": ("skipped", "PyTorch skips this test: no compiler"),
    "pytorch-tests/test_dying": ("crashed", "status 7"),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    version = torch.__version__.partition("+")[0]
    return made_once(tmp_path_factory, "pytorch", lambda folder: make_checkout(folder, version))


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Done:
    words = "--device=cpu", f"--pytorch={checkout}", ALL
    return validate_once(tmp_path_factory, "pytorch-on-cpu", *words)


@pytest.fixture(scope="module")
def on_paper(tmp_path_factory: pytest.TempPathFactory, checkout: Path, site: str) -> Done:
    words = "--device=paper", f"--pytorch={checkout}", ALL
    return validate_once(tmp_path_factory, "pytorch-on-paper", *words, site=site)


@pytest.mark.parametrize("key", SAID)
def test_each_ending_is_told_apart(on_cpu: Done, key: str) -> None:
    outcome, words = SAID[key]
    found = on_cpu.outcomes[key]
    assert (found[0], words in found[1]) == (outcome, True), found


def test_no_other_test_is_listed(on_cpu: Done) -> None:
    assert set(on_cpu.outcomes) == set(SAID)
    assert "test_small: 17 tests" in on_cpu.said


def test_a_failure_has_its_traceback_and_nothing_of_this_machine(
    on_cpu: Done, checkout: Path
) -> None:
    text = on_cpu.report.read_text("utf-8")
    assert "CHECKOUT/test/test_small.py" in text
    assert str(checkout) not in text
    command = on_cpu.command(on_cpu.tests["test_small.TestSmall::test_raises"])
    assert "--pytorch CHECKOUT --test pytorch-tests/test_small.TestSmall::test_raises" in command


def test_the_command_of_the_suite_names_the_files_that_were_run(on_cpu: Done) -> None:
    (suite,) = on_cpu.suites
    assert (suite.command or "").endswith(f"--pytorch CHECKOUT --pytorch-files {','.join(FILES)}")


def test_the_hardware_that_pytorch_wrote_a_class_for_is_told(on_cpu: Done) -> None:
    told = {test.name: test.hw_classification for test in on_cpu.report_tests}
    assert {name for name in told if told[name]} == {"nn.test_other.TestOther::test_alone"}
    assert told["nn.test_other.TestOther::test_alone"] == "ACCELERATOR"
    assert "  ACCELERATOR: 1 of 1 tests passed (100%)\n" in on_cpu.said


def test_a_plugins_device_has_the_same_tests_with_the_same_names(
    on_cpu: Done, on_paper: Done
) -> None:
    cpu, paper = on_cpu.outcomes, on_paper.outcomes
    assert set(cpu) == set(paper)
    assert {key for key in cpu if cpu[key][0] != paper[key][0]} == set()


def test_a_checkout_of_this_torch_is_not_warned_of(on_cpu: Done) -> None:
    assert "Warning" not in on_cpu.said + (read_report(on_cpu.report).note or "")


def test_a_checkout_of_another_torch_is_a_warning_and_no_refusal(tmp_path: Path) -> None:
    old = make_checkout(tmp_path / "old", "1.0.0a0")
    words = ["--device=cpu", f"--pytorch={old}", "--pytorch-files=nn/test_other"]
    done = validate(tmp_path, *words)
    note = read_report(done.report).note or ""
    for said in (done.said, note):
        assert "PyTorch's tests don't match this torch version" in said
        assert "the checkout is of version 1.0.0a0" in said
    assert done.tests["nn.test_other.TestOther::test_alone"].outcome == "passed"


def test_tests_are_chosen_by_type_and_by_name(checkout: Path, tmp_path: Path) -> None:
    words = ["--device=cpu", f"--pytorch={checkout}", "--pytorch-files=test_small", "--plan"]
    done = validate(tmp_path, *words, "--dtype=int64", "-k", "test_add")
    listed = [line for line in done.said.splitlines() if line.startswith("pytorch-tests/")]
    assert listed == [f"{SMALL}test_add?dtype=int64"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pytorch=empty"], "has no folder test; clone github.com/pytorch/pytorch"),
        (["--suite=pytorch-tests"], "name the folder with --pytorch"),
        (["--pytorch={checkout}"], "Pass files with --pytorch-files"),
        (["--pytorch={checkout}", "--pytorch-files=test_smal"], 'no file "test_smal.py"'),
    ],
)
def test_a_mistake_is_one_message(
    words: list[str], said: str, checkout: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    done = validate(tmp_path, "--device=cpu", *(word.format(checkout=checkout) for word in words))
    assert done.status == 2
    assert said in done.said
    assert "Traceback" not in done.said
    assert not done.report.exists()


def test_an_error_after_an_expected_failure_counts() -> None:
    class DeviceLost(unittest.TestCase):
        @classmethod
        def tearDownClass(cls) -> None:
            raise RuntimeError("device lost")

        @unittest.expectedFailure
        def test_expected(self) -> None:
            raise AssertionError

    result = run_test(DeviceLost, "test_expected", "checkout")
    assert (result.outcome, result.reason) == ("failed", "RuntimeError: device lost")

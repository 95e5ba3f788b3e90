from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_reports.report import TestEntry
from accelerator_reports.report_views import repeat_command
from accelerator_validation import pool
from tests.validation.processes import is_gone
from tests.validation.runs import TORCH, request, run

# What each test does, and what must be said of it: outcome, stage, words of the reason.
SAID = {
    "passed-1": ("passed", "compare", ""),
    "crash-1": ("crashed", "run", "SIGSEGV"),
    "passed-2": ("passed", "compare", ""),
    "exit-1": ("crashed", "run", "status 3"),
    "leave-1": ("failed", "run", "ended the Python interpreter"),
    "hang-1": ("timed-out", "run", "Timed out after 3 s"),
    "memory-1": ("out-of-memory", "run", "2.00 GiB"),
    "missing-1": ("unsupported-operator", "run", "aten::silu is missing"),
    "model-1": ("failed", "run", "cannot generate"),
    "wrong-1": ("wrong-result", "compare", "not close"),
    "unchecked-1": ("executed", "run", "random"),
    "broken-1": ("test-broken", "run", "timm"),
    "reference-1": ("test-broken", "run", "The reference computation failed"),
    "skip-1": ("skipped", "run", "streams"),
    "error-1": ("failed", "run", "ACL_ERROR"),
    "surrogate-1": ("failed", "run", "no file \\udcff"),
    "passed-3": ("passed", "compare", ""),
}


def by_name(tests: tuple[TestEntry, ...]) -> dict[str, TestEntry]:
    return {test.name: test for test in tests}


def test_whatever_a_case_does_is_told_of_that_case_and_the_run_goes_on(tmp_path: Path) -> None:
    done = run(request(tmp_path, workers=2), list(SAID), timeout_s=3)
    tests = by_name(done.report.tests)
    assert list(tests) == list(SAID)
    for name, (outcome, stage, words) in SAID.items():
        test = tests[name]
        assert (name, test.outcome, test.stage) == (name, outcome, stage)
        assert words in (test.reason or ""), name
    assert "the driver waits" in (tests["hang-1"].log_tail or "")
    assert "at sample 1: hang-1" in (tests["hang-1"].reason or "")
    assert_evidence(tests["crash-1"])
    assert "The result was the same when the test ran in a separate process" in (
        tests["crash-1"].reason or ""
    )
    assert not done.is_successful
    assert done.stop_reason is None


def assert_evidence(crashed: TestEntry) -> None:
    """Of a process that died: what it was at, and the stack of Python beneath."""
    log = crashed.log_tail or ""
    assert "Segmentation fault" in log
    assert "sample 1: crash-1" in log
    assert "tests/validation/fake_suite.py" in log
    assert "in run" in log
    assert "Extension modules" not in log
    assert "validation/worker.py" not in log
    assert "crashed with SIGSEGV at sample 1: crash-1" in (crashed.reason or "")


def test_the_stack_is_kept_of_a_process_that_a_thread_of_c_ends(tmp_path: Path) -> None:
    (driver,) = run(request(tmp_path), ["driver-1"]).report.tests
    assert driver.outcome == "crashed"
    assert "SIGABRT at sample 1: driver-1" in (driver.reason or "")
    assert "in _abort_in_a_thread_of_c" in (driver.log_tail or "")


OBSERVED = {
    "observed-well": "",
    "observed-crash": "The operators of this test could not be recorded: The process crashed with SIGSEGV",
    "observed-exit": "with status 3",
    "observed-leave": "SystemExit",
    "observed-hang": "Timed out after 4 s",
    "observed-memory": "2.00 GiB",
    "passed-1": "",
}


def test_what_happens_while_operators_are_observed_changes_no_verdict(tmp_path: Path) -> None:
    done = run(request(tmp_path), list(OBSERVED), timeout_s=4)
    tests = by_name(done.report.tests)
    assert list(tests) == list(OBSERVED)
    for name, words in OBSERVED.items():
        assert (name, tests[name].outcome) == (name, "passed")
        assert words in (tests[name].reason or ""), name
    assert tests["observed-well"].reason is None
    assert done.is_successful


def test_a_process_that_dies_while_the_reference_is_computed_says_nothing_of_the_device(
    tmp_path: Path,
) -> None:
    (basis,) = run(request(tmp_path), ["basis-1"]).report.tests
    assert basis.outcome == "test-broken"
    assert "SIGSEGV at the reference of sample 2: float32[2]" in (basis.reason or "")


def test_a_suspect_is_tried_once_more_alone_and_that_attempt_counts(tmp_path: Path) -> None:
    done = run(request(tmp_path), ["passed-1", "passed-2", "leak-1", "passed-3"])
    tests = by_name(done.report.tests)
    assert {test.outcome for test in tests.values()} == {"passed"}
    assert "first attempt" in (tests["leak-1"].reason or "")
    assert tests["passed-1"].reason is None


def test_a_second_attempt_that_fails_in_another_way_is_not_called_the_same(tmp_path: Path) -> None:
    done = run(request(tmp_path), ["passed-1", "varied-1"], timeout_s=3)
    varied = by_name(done.report.tests)["varied-1"]
    assert varied.outcome == "timed-out"
    assert (varied.reason or "").endswith("in the same process, failed.")


def test_each_test_has_a_command_that_repeats_it(tmp_path: Path) -> None:
    done = run(request(tmp_path), ["wrong-1", "passed-1"])
    command = "accelerator-portal validate --device none --pytest PATH --suite-name made-up"
    for test in done.report.tests:
        repeat = repeat_command(test, done.report.suites[0].command)
        assert repeat == f"{command} --test made-up/{test.name}"  # a suite that is none of ours


def test_what_a_test_leaves_running_ends_with_its_worker(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    (test,) = run(replace(request(tmp_path), device=str(note)), ["daemon-1"]).report.tests
    assert test.outcome == "passed"
    assert is_gone(int(note.read_text()))


@pytest.mark.parametrize("forks", [False, True])
def test_workers_that_die_before_they_begin_end_the_run_with_what_they_said(
    tmp_path: Path, *, forks: bool
) -> None:
    asked = replace(request(tmp_path), imports="tests.validation.dying_plugin")
    done = run(asked, ["passed-1"], probed=replace(TORCH, forks=forks))
    assert "crash before the first test" in (done.stop_reason or "")
    assert "the driver is gone" in (done.stop_reason or "")
    assert [test.outcome for test in done.report.tests] == ["not-run"]
    assert not done.is_successful


def test_a_device_that_hangs_between_two_tests_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_START_TIMEOUT_S", 8)
    done = run(request(tmp_path), ["wedge-1", "passed-1"])
    assert [test.outcome for test in done.report.tests] == ["failed", "passed"]
    assert done.stop_reason is None

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports.junit_files import SUITE, case_fields, read


@pytest.mark.parametrize(
    ("inside", "outcome", "raw", "reason"),
    [
        ('<failure message="ValueError: 1"/>', "failed", "failure", "ValueError: 1"),
        ("<failure>ValueError: 1</failure>", "failed", "failure", "ValueError: 1"),
        ('<failure type="MemoryError"/>', "out-of-memory", "failure", "MemoryError"),
        ('<failure type="AssertionError" message="1 != 2"/>', "wrong-result", "failure", "1 != 2"),
        ('<failure message="Failed: Timeout &gt;1s"/>', "timed-out", "failure", None),
        (
            '<failure message="[XPASS(strict)] old"/>',
            "failed",
            "failure",
            "Unexpected pass: [XPASS(strict)] old",
        ),
        (
            '<error type="UnexpectedSuccess" message="Unexpected success: x"/>',
            "failed",
            "error",
            None,
        ),
        ('<skipped type="XFAIL" message="expected failure: x"/>', "skipped", "xfail", None),
        ('<error message="collection failure">x</error>', "test-broken", "error", None),
        ('<error message="failed on setup with x"/>', "infrastructure-error", "error", None),
        ('<error type="RuntimeError" message="x"/>', "failed", "error", "x"),
        (
            '<error type="RuntimeError" message="failed on setup with x"/>',
            "infrastructure-error",
            "error",
            "failed on setup with x",
        ),
        ('<error message="exited with error code 1"/>', "failed", "error", None),
        ('<error message="x">CUDA out of memory.</error>', "out-of-memory", "error", "x"),
        ("<error/>", "failed", "error", "absent"),
        ('<error type="Exception" message="x"/>', "failed", "error", "x"),
        ('<error type="BackendCompilerFailed" message="x"/>', "failed", "error", "x"),
        ('<error message="internal error">x</error>', "infrastructure-error", "error", None),
        ('<error message="Test timeout of 300ms exceeded."/>', "timed-out", "error", None),
        ('<failure type="test timeout"/>', "timed-out", "failure", None),
        ('<warning message="x">y</warning>', "executed", "warning", "x"),
        ("<inconclusive>y</inconclusive>", "executed", "inconclusive", "y"),
        ("<broken><a/>y</broken>", "failed", "broken", None),
        ('<skipped type="pytest.xfail" message="slow"/>', "skipped", "xfail", "slow"),
        ('<skipped type="pytest.xfail"/>', "skipped", "xfail", "It is expected to fail."),
        ("<skipped/>", "skipped", "skipped", "The file states no reason."),
        ("<skipped>on purpose</skipped>", "skipped", "skipped", "on purpose"),
        ('<skipped message="x"/><failure message="y"/>', "failed", "failure", "y"),
        # words that only this project's exports use as outcomes
        ('<failure type="passed" message="x"/>', "failed", "failure", "x"),
        ('<error type="executed" message="x"/>', "failed", "error", "x"),
        ('<skipped type="passed"/>', "skipped", "skipped", None),
        ('<failure type="failed" message="out of memory"/>', "out-of-memory", "failure", None),
        ('<failure type="timedout" message="x"/>', "timed-out", "failure", "x"),  # Ginkgo
        ('<x:failure xmlns:x="y" message="x"/>', "failed", "failure", "x"),
        ('<Failure message="x"/>', "failed", "failure", "x"),
    ],
)
def test_an_element_says_what_happened(
    tmp_path: Path, inside: str, outcome: str, raw: str, reason: str | None
) -> None:
    found = case_fields(tmp_path, inside)
    assert (found["outcome"], found["raw_status"]) == (outcome, raw)
    if reason:
        assert found.get("reason", "absent") == reason


def test_a_test_of_googletest_that_was_not_run_says_so(tmp_path: Path) -> None:
    assert case_fields(tmp_path, "", 'status="notrun"') == {
        "outcome": "not-run",
        "raw_status": "notrun",
        "reason": "The file states no reason.",
    }


@pytest.mark.parametrize(
    ("attributes", "inside", "outcome"),
    [
        ('status="disabled"', "", "skipped"),  # CTest
        ('status="notrun"', '<skipped message="Not Run"/>', "skipped"),
        ('status="fail"', '<failure message=""/>', "failed"),
        ('status="notrun" result="suppressed"', "", "skipped"),  # GoogleTest
        ('status="run" result="skipped"', "", "skipped"),
        ('status="run" result="completed"', "", "passed"),
        ('status="run" result="completed"', "<failure/>", "failed"),
        ('status="Inconclusive"', "", "executed"),  # NUnit's converters
        ('status="NotRunnable"', "", "test-broken"),
        ('status="NG"', "", "executed"),  # no word of any dialect
        ("", "<description>x</description>", "passed"),
        ('executed="False"', "", "not-run"),
        ('executed="True"', "", "passed"),
        ('success="False"', "", "failed"),
        ('passed="false"', "", "failed"),
        ('outcome="failed"', "", "failed"),
        ('skipped="true"', "", "skipped"),
        ('skipped="false" success="true"', "", "passed"),
        ('status="timedout"', "<failure/>", "timed-out"),
        ('status="Failed"', "", "failed"),
        ('status="timedOut"', "", "timed-out"),
        ('status="not_run"', "", "not-run"),
        ("", "<ignored/>", "skipped"),
        ("", "<skip/>", "skipped"),
        ("", "<disabled/>", "skipped"),
        ("", "<fail/>", "failed"),
    ],
)
def test_each_dialect_has_words_for_a_test_that_did_not_pass(
    tmp_path: Path, attributes: str, inside: str, outcome: str
) -> None:
    assert case_fields(tmp_path, inside, attributes)["outcome"] == outcome


@pytest.mark.parametrize(
    "name", ["setUpClass (a.B)", "tearDownModule (a)", "unittest.loader._FailedTest.a"]
)
def test_a_class_or_module_that_was_not_set_up_is_no_failure(tmp_path: Path, name: str) -> None:
    for attributes in (f'classname="" name="{name}"', f'classname="{name}" name="B)"'):
        case = f'<testcase {attributes}><error type="RuntimeError" message="x"/></testcase>'
        (test,) = read(tmp_path, SUITE.format(case)).tests
        assert test.outcome == "infrastructure-error"


def test_unknown_words_and_elements_are_noted(tmp_path: Path) -> None:
    cases = '<testcase name="a" status="NG"/><testcase name="b"><risky/></testcase><test name="c"/>'
    assert read(tmp_path, SUITE.format(cases)).note == (
        'Tests with an unknown status or element: status="NG" (1), <risky> (1), <test> (1).'
    )


@pytest.mark.parametrize(
    ("inside", "retries"),
    [
        ('<rerun message="x"/><rerun message="x"/>', 2),  # PyTorch's runner
        ("<flakyFailure>x</flakyFailure>", 1),  # Surefire
        ("<rerunFailure/><failure/>", 1),
    ],
)
def test_attempts_before_the_last_are_counted(tmp_path: Path, inside: str, retries: int) -> None:
    assert case_fields(tmp_path, inside)["metrics"] == {"retries": {"value": retries, "unit": "1"}}


def test_a_long_traceback_keeps_its_end_and_loses_its_colours(tmp_path: Path) -> None:
    text = "a line\n" * 20_000 + "#x1B[31mMemoryError#x1B[0m"
    found = case_fields(tmp_path, f'<failure message="x">{text}</failure>')
    assert found["outcome"] == "out-of-memory"
    assert found["log_tail"].endswith("\na line\nMemoryError")
    assert len(found["log_tail"]) <= 4000


def test_what_a_failed_test_printed_stands_where_no_traceback_does(tmp_path: Path) -> None:
    printed = "<system-out>printed</system-out>"
    assert case_fields(tmp_path, f'<failure message="x"/>{printed}')["log_tail"] == "printed"
    assert "log_tail" not in case_fields(tmp_path, printed)

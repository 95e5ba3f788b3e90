from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports.junit_files import case_fields


@pytest.mark.parametrize(
    ("inside", "outcome", "raw", "reason"),
    [
        ('<failure message="ValueError: 1"/>', "failed", "failure", "ValueError: 1"),
        ("<failure>ValueError: 1</failure>", "failed", "failure", "ValueError: 1"),
        ('<failure type="MemoryError"/>', "out-of-memory", "failure", "MemoryError"),
        ('<failure type="AssertionError" message="1 != 2"/>', "wrong-result", "failure", "1 != 2"),
        ('<failure message="Failed: Timeout &gt;1s"/>', "timed-out", "failure", None),
        ('<failure message="[XPASS(strict)] old"/>', "failed", "failure", "[XPASS(strict)] old"),
        ('<error message="collection failure">x</error>', "test-broken", "error", None),
        ('<error message="failed on setup with x"/>', "infrastructure-error", "error", None),
        ('<error type="RuntimeError" message="x"/>', "failed", "error", "x"),
        (
            '<error type="RuntimeError" message="failed on setup with x"/>',
            "infrastructure-error",
            "error",
            "failed on setup with x",
        ),
        ('<error message="x">CUDA out of memory.</error>', "out-of-memory", "error", "x"),
        ("<error/>", "infrastructure-error", "error", "absent"),
        ('<skipped type="pytest.xfail" message="slow"/>', "skipped", "xfail", "slow"),
        ('<skipped type="pytest.xfail"/>', "skipped", "xfail", "It is expected to fail."),
        ("<skipped/>", "skipped", "skipped", "The file states no reason."),
        ("<skipped>on purpose</skipped>", "skipped", "skipped", "on purpose"),
        ('<skipped message="x"/><failure message="y"/>', "failed", "failure", "y"),
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

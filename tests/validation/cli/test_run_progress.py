from __future__ import annotations

from pathlib import Path

from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import KnownIssue, Report, TestEntry
from accelerator_validation.cli.validate import run_summary
from accelerator_validation.run import FinishedRun


def entry(
    operator: str, outcome: Outcome = "unsupported-operator", *, known: bool = False
) -> TestEntry:
    issue = KnownIssue(url="https://example.org/issue/1") if known else None
    reason = f"Could not run '{operator}' with arguments from the 'PrivateUse1' backend."
    return TestEntry(
        suite="operators",
        name="x",
        outcome=outcome,
        reason=reason,
        command="repeat",
        known_issue=issue,
    )


def said(tests: list[TestEntry]) -> list[str]:
    record = {
        "schema_version": 1,
        "accelerator": "example",
        "kind": "self-reported",
        "trigger": {"kind": "manual"},
        "suites": [{"name": "operators", "kind": "operator"}],
        "tests": tests,
    }
    report = Report.model_validate(record)
    return run_summary(FinishedRun(report), Path("report.json")).splitlines()


def test_missing_operators_are_told_worst_first_at_the_end() -> None:
    tests = [entry("aten::b"), entry("aten::a"), entry("aten::a"), entry("aten::c", known=True)]
    assert said(tests)[-4:-1] == [
        "Missing operators, by number of affected tests:",
        "  2 tests wait for aten::a",
        "  1 test waits for aten::b",
    ]


def test_of_many_missing_operators_the_worst_are_told() -> None:
    lines = said([entry(f"aten::x{n:02}") for n in range(25)])
    assert lines[-2] == "  and 5 more"
    assert "  1 test waits for aten::x19" in lines
    assert "  1 test waits for aten::x20" not in lines


def test_where_no_operator_is_missing_nothing_is_said_of_them() -> None:
    assert not [line for line in said([entry("aten::a", "failed")]) if "operator" in line.lower()]


def test_a_run_that_skipped_everything_says_that_nothing_was_tested() -> None:
    words = "Nothing was tested: all tests were skipped. The report has the reasons."
    assert words in said([entry("aten::a", "skipped")])
    assert words not in said([entry("aten::a", "skipped"), entry("aten::a", "not-run")])


def test_pytorchs_own_tests_are_counted_by_the_hardware_that_they_are_for() -> None:
    test = entry("aten::a", "failed").model_copy(update={"hw_classification": "ACCELERATOR"})
    assert said([test])[-3:-1] == [
        "PyTorch's own tests, by the hardware that they are for:",
        "  ACCELERATOR: 0 of 1 tests passed (0%)",
    ]

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.outcomes import BAD, OUTCOMES, Outcome, OutcomeGroup, ReportKind
from accelerator_reports.report import Report
from accelerator_reports.report_views import relay_summary
from tests.reports.examples import TEST
from tests.reports.examples import report as example


def report(
    *outcomes: Outcome, planned: int | None = None, kind: ReportKind = "self-reported"
) -> Report:
    """Make up a report with one test for each outcome."""
    tests = [{**TEST, "name": f"m{n}", "outcome": outcome} for n, outcome in enumerate(outcomes)]
    suites = [{"name": "made-up", "kind": "model", "planned": planned}]
    return example(kind=kind, suites=suites, tests=tests)


def one_each(*groups: OutcomeGroup) -> dict[Outcome, int]:
    return {outcome: 1 for outcome, info in OUTCOMES.items() if info.group in groups}


def test_every_outcome_has_its_place() -> None:
    failed, skipped = one_each("failure"), one_each("unchecked", "error", "skip", "missing")
    assert relay_summary(report(*OUTCOMES, "passed")) == {
        "test_results": {"passed": 2, "failed": len(failed), "skipped": len(skipped)},
        "outcomes": {"passed": {"passed": 2}, "failed": failed, "skipped": skipped},
    }


def test_what_was_planned_and_is_not_there_counts_as_not_run() -> None:
    assert relay_summary(report("passed", "not-run", planned=5)) == {
        "test_results": {"passed": 1, "failed": 0, "skipped": 4},
        "outcomes": {"passed": {"passed": 1}, "failed": {}, "skipped": {"not-run": 4}},
    }


def test_more_tests_than_planned_are_none_too_few() -> None:
    counts = relay_summary(report("passed", "failed", planned=1))["test_results"]
    assert counts == {"passed": 1, "failed": 1, "skipped": 0}


def test_a_baseline_is_no_run() -> None:
    with pytest.raises(ProblemsError) as error:
        relay_summary(report("passed", kind="baseline"))
    assert str(error.value) == (
        "example:1: a baseline is not a test run; use the report of a test run"
    )


@given(st.lists(st.sampled_from(get_args(Outcome)), max_size=30))
def test_no_test_is_lost_and_none_is_counted_twice(outcomes: list[Outcome]) -> None:
    counts = relay_summary(report(*outcomes))["test_results"]
    assert sum(counts.values()) == len(outcomes)
    assert counts["failed"] == sum(outcome in BAD for outcome in outcomes)

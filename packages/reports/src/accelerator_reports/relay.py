"""Counts a report's tests as passed, failed or skipped, for PyTorch's cross-repository CI relay.

The relay has three outcomes, and a report has more. An outcome in the set `GOOD` of the module
`outcomes` counts as `passed`, an outcome in the set `BAD` counts as `failed`, and all others count
as `skipped`. Pass rates use the same sets.

- `passed`: the test ran, and the result was right.
- `failed`: the device or its software failed, whether this is a known issue or not.
- `skipped`: every outcome that says nothing about the product: not checked, skipped, not run, a
  broken test, a failed machine. Planned tests that the report does not contain count as not run.

The counts have the form of `test_results` in the relay's callback: see
aws/lambda/cross_repo_ci_relay in pytorch/test-infra.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypedDict, get_args

from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.report import Report

CountedOutcome = Literal["passed", "failed", "skipped"]


class RelaySummary(TypedDict):
    """The numbers of passed, failed and skipped tests of a run.

    `test_results` has the form that the relay accepts: `{"passed": 9, "failed": 1, "skipped": 2}`.
    `outcomes` splits each of these numbers by the report's outcomes:
    `{"failed": {"timed-out": 1}, ...}`.
    """

    test_results: dict[CountedOutcome, int]
    outcomes: dict[CountedOutcome, dict[Outcome, int]]


def relay_summary(report: Report) -> RelaySummary:
    """Return the numbers of passed, failed and skipped tests of a run, as the relay counts them.

    Raises ProblemsError for a baseline, because its tests were not run.
    """
    if report.kind == "baseline":
        what = "a baseline is not a test run"
        raise ProblemsError([Problem(report.accelerator, 1, what, "use the report of a test run")])
    counts = Counter(test.outcome for test in report.tests)
    counts["not-run"] += _missing_test_count(report)
    outcomes: dict[CountedOutcome, dict[Outcome, int]] = {
        relay_outcome: {} for relay_outcome in get_args(CountedOutcome)
    }
    for outcome in get_args(Outcome):
        if counts[outcome]:
            outcomes[_relay_outcome(outcome)][outcome] = counts[outcome]
    totals = {
        relay_outcome: sum(outcome_counts.values())
        for relay_outcome, outcome_counts in outcomes.items()
    }
    return {"test_results": totals, "outcomes": outcomes}


def _relay_outcome(outcome: Outcome) -> CountedOutcome:
    if outcome in GOOD:
        return "passed"
    return "failed" if outcome in BAD else "skipped"


def _missing_test_count(report: Report) -> int:
    test_counts = Counter(test.suite for test in report.tests)
    return sum(max(0, (suite.planned or 0) - test_counts[suite.name]) for suite in report.suites)

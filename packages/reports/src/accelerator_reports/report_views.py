"""What follows from a report: a test's command, missing operators, counts by class."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, TypedDict, get_args

from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.test_ids import identity_of

_HARNESS = ("accelerator-portal", "validate")
_CHOOSE_TESTS = ("--suite", "--pytorch-files")
"""The options of the harness that choose tests, each with one value."""


def repeat_command(test: TestEntry, suite_command: str | None) -> str | None:
    """Return the command that repeats a test alone; None if it is not known.

    If the report states no command for the test, it is the command of its suite, `suite_command`,
    with the test in place of the suite. Only commands of the harness can be changed so.
    """
    if test.command or not suite_command:
        return test.command
    words = _words(suite_command)
    if words[:2] != _HARNESS or _CHOOSE_TESTS[0] not in words:
        return None
    kept = [
        word
        for before, word in zip(("", *words), words, strict=False)
        if not {before, word} & set(_CHOOSE_TESTS)
    ]
    return shlex.join([*kept, "--test", identity_of(test).key])


@lru_cache(maxsize=256)  # a report has thousands of tests of a suite
def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quotation mark that is not closed
        return ()


def seed_of(key: str) -> int:
    """Return the seed of a test's random numbers from the test's key; the same in every run."""
    digest = blake2b(key.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") & 0x7FFF_FFFF


# Finds the operators that a backend lacks, and counts the tests that stop at each of them.

# How PyTorch names an operator that a backend does not have, at all or for a data type.
_MISSING_PATTERNS = (
    re.compile(r"Could not run '([\w.]+::[\w.]+)'"),
    re.compile(r"[Oo]perator '?([\w.]+::[\w.]+)'? is not (?:currently )?(?:implemented|supported)"),
    re.compile(r"\"(\w+)\" not implemented for '\w+'"),
    re.compile(r"NotImplementedError: .{0,40}?(\w+::[\w.]+)"),
    re.compile(r"Operator torch\._ops\.([\w.]+) is not in Core ATen opset"),  # ExecuTorch
)

# Operators that each backend has to register; these messages leave out the namespace `aten`.
_OVERRIDEABLE = re.compile(
    r"\b(\w+_overrideable(?:_backward)?)(?: not implemented\b|: You are likely triggering)"
)

# The first words of the harness's reason; the rest of the reason may be cut.
_HARNESS_REASON = re.compile(r"\A([\w.:]+) is missing\. ")


@dataclass(frozen=True, slots=True)
class MissingOperator:
    """A missing operator, and the number of tests that fail because of it."""

    operator: str
    tests: int


def missing_operator(text: str) -> str | None:
    """Return the operator that a message calls missing, or None."""
    if found := _OVERRIDEABLE.search(text):
        return f"aten::{found[1]}"
    for pattern in _MISSING_PATTERNS:
        if found := pattern.search(text):
            return found[1]
    return None


def missing_operators(tests: Iterable[TestEntry]) -> tuple[MissingOperator, ...]:
    """Return the operators at which tests stopped, sorted by number of tests (highest first).

    A test counts for one operator, even if it needs further missing operators. Only tests with the
    outcome `unsupported-operator` and a reason that names an operator count.
    """
    names = Counter(name for test in tests if (name := _operator_missing_in(test)))
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    return tuple(MissingOperator(name, number) for name, number in ordered)


def waiting_tests_text(missing: MissingOperator) -> str:
    """Return the number of tests in words: `2 tests wait for aten::add.out`."""
    verb = "waits" if missing.tests == 1 else "wait"
    return f"{count(missing.tests, 'test')} {verb} for {missing.operator}"


def _operator_missing_in(test: TestEntry) -> str | None:
    if test.outcome != "unsupported-operator" or not test.reason:
        return None
    match = _HARNESS_REASON.match(test.reason)
    return match[1] if match else missing_operator(test.reason)


# Counts how many of PyTorch's own tests passed, by the hardware classification of their class.


@dataclass(frozen=True, slots=True)
class ClassificationCount:
    """How many tests of one classification passed, and how many passed or failed."""

    name: str
    passed: int
    counted: int

    @property
    def text(self) -> str:
        """The pass rate in words: `ACCELERATOR: 9 of 10 tests passed (90%)`."""
        if not self.counted:
            return f"{self.name}: no test passed or failed"
        percent = 100 * self.passed // self.counted  # rounded down: 100% means all
        return f"{self.name}: {self.passed:,} of {self.counted:,} tests passed ({percent}%)"


def classification_counts(tests: Iterable[TestEntry]) -> tuple[ClassificationCount, ...]:
    """Return the counts of each classification, by name. Tests without one are not counted."""
    passed: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for test in tests:
        if name := test.hw_classification:
            passed[name] += test.outcome in GOOD
            counted[name] += test.outcome in GOOD | BAD
    return tuple(ClassificationCount(name, passed[name], counted[name]) for name in sorted(counted))


# Counts a report's tests as passed, failed or skipped, for PyTorch's cross-repository CI relay.
#
# The relay has three outcomes, and a report has more. An outcome in the set `GOOD` of the module
# `outcomes` counts as `passed`, an outcome in the set `BAD` counts as `failed`, and all others
# count as `skipped`. Pass rates use the same sets.
#
# - `passed`: the test ran, and the result was right.
# - `failed`: the device or its software failed, whether this is a known issue or not.
# - `skipped`: every outcome that says nothing about the product: not checked, skipped, not run, a
#   broken test, a failed machine. Planned tests that the report does not contain count as not run.
#
# The counts have the form of `test_results` in the relay's callback: see
# aws/lambda/cross_repo_ci_relay in pytorch/test-infra.

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

"""Combines the tests and parameters of suites into the plan of a run, and applies known issues."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from accelerator_reports.files.problem import UserError
from accelerator_reports.known_issues import KnownFailure, issue_matches_test
from accelerator_reports.report import Shard
from accelerator_validation.case import Case
from accelerator_validation.matrix import Matrix


class RunError(UserError):
    """Raised if the run cannot start or continue; the message says why, and usually what to do."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A test that a suite offers, before it is combined with the axes of the suite's matrix.

    `only` has the values that the test supports, by axis. If an axis is not in `only`, the test
    supports all values of the axis. `parameters` has the values of the test's parameters that are
    not axes, by name. If `usual` is false, the test runs only on request. `hw_classification` is
    the field of the same name in a report's tests.
    """

    name: str
    only: Mapping[str, frozenset[str]] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    usual: bool = True
    hw_classification: str | None = None

    def supports(self, combination: Mapping[str, str]) -> bool:
        """Return whether the test supports a combination of values, `{"dtype": "float32"}`."""
        return all(combination.get(name) in values for name, values in self.only.items())

    def is_selected(self, only: Mapping[str, Iterable[str]], *, everything: bool) -> bool:
        """Return whether a run includes the test.

        `only` has the values to run by parameter. If `only` has one of the test's `parameters`, the
        test's value must be one of the values to run. A test that is not `usual` is included only
        if `everything` is true.
        """
        shared_names = self.parameters.keys() & only.keys()
        return (self.usual or everything) and all(
            self.parameters[n] in set(only[n]) for n in shared_names
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The tests of a run in order, and the known issues that affect these tests.

    `skipped` has the known issue of each test that is skipped, by test id. `expected` has the known
    issue of each test that is expected to fail, by test id. If this plan is a part of a larger
    plan, `shard` describes the part. `hw_classifications` has the hardware classification of tests
    that have one, by `classified_name`.
    """

    cases: tuple[Case, ...]
    skipped: Mapping[str, KnownFailure] = field(default_factory=dict)
    expected: Mapping[str, KnownFailure] = field(default_factory=dict)
    shard: Shard | None = None
    hw_classifications: Mapping[str, str] = field(default_factory=dict)

    @property
    def cases_to_run(self) -> tuple[Case, ...]:
        """The tests in `cases` that are not in `skipped`."""
        return tuple(case for case in self.cases if case.id not in self.skipped)

    def counts(self) -> Counter[str]:
        """Return the number of tests in the plan by suite name."""
        return Counter(case.suite for case in self.cases)


def classified_name(suite: str, test: str) -> str:
    """Return the suite and the class of a test. PyTorch classifies whole classes of tests."""
    return f"{suite}/{test.partition('::')[0]}"


def hw_classifications(offers_by_suite: Mapping[str, Iterable[Offer]]) -> dict[str, str]:
    """Return the hardware classifications that the tests of suites have, by `classified_name`."""
    return {
        classified_name(suite, offer.name): offer.hw_classification
        for suite, offers in offers_by_suite.items()
        for offer in offers
        if offer.hw_classification
    }


def expand(
    suite: str,
    matrix: Matrix,
    offers: Iterable[Offer],
    only: Mapping[str, Iterable[str]],
    *,
    everything: bool = False,
) -> Iterator[Case]:
    """Yield each test of a suite with each combination of parameters to run.

    Combinations that the matrix excludes or the test does not support are omitted. `only` has the
    values to run by parameter. Of an axis that `only` lacks, the default values run. Tests that are
    not `usual` are included only if `everything` is true.
    """
    combinations = list(matrix.combinations(only))
    for offer in offers:
        if not offer.is_selected(only, everything=everything):
            continue
        for combination in combinations:
            parameters = {**combination, **offer.parameters}
            if offer.supports(combination) and not matrix.excludes(offer.name, parameters):
                yield Case(suite, offer.name, tuple(sorted(parameters.items())))


def apply_known_issues(
    cases: Iterable[Case], issues: Iterable[KnownFailure], today: dt.date
) -> Plan:
    """Return a plan of the tests `cases`, in which known issues skip tests or expect a failure.

    Issues that expire on or before `today` are ignored.
    """
    current_issues = [issue for issue in issues if issue.expires > today]
    skipped: dict[str, KnownFailure] = {}
    expected: dict[str, KnownFailure] = {}
    all_cases = tuple(cases)
    for case in all_cases:
        for issue in current_issues:
            if issue_matches_test(issue, case):
                (skipped if issue.action == "skip" else expected).setdefault(case.id, issue)
    return Plan(all_cases, skipped, expected)

"""Finds the newest run of each suite of an accelerator, or else the suite's newest baseline."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import TestEntry
from accelerator_reports.suite_file import SuiteKind


@dataclass(frozen=True, slots=True)
class SuiteEvidence:
    """The newest results of an accelerator's suite.

    `stored` is the report with the newest run of the suite. If there is no run, it is the report
    with the newest baseline. `tests` are the tests of the suite in this report.
    """

    suite: str
    stored: StoredReport
    tests: tuple[TestEntry, ...]

    @property
    def kind(self) -> SuiteKind | None:
        """The kind of the suite, or None if the report does not state it."""
        suites = self.stored.report.suites
        return next((suite.kind for suite in suites if suite.name == self.suite), None)

    @property
    def is_run(self) -> bool:
        """Whether the tests were run; a baseline only lists expected results."""
        return self.stored.report.kind != "baseline"

    @property
    def counts(self) -> dict[Outcome, int]:
        """The number of tests with each outcome, in the order of OUTCOMES."""
        counts = Counter(test.outcome for test in self.tests)
        return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}

    @property
    def samples(self) -> tuple[int, int] | None:
        """How many samples the tests ran, and how many are known; None if they do not state it."""
        return sample_counts(self.tests)

    @property
    def day(self) -> dt.date | None:
        """The day of the report; None if it has no date."""
        return self.stored.day


def sample_counts(tests: Iterable[TestEntry]) -> tuple[int, int] | None:
    """Return how many samples tests ran, and how many are known; None if no test states both."""
    pairs = [
        (test.metrics["samples"].value, test.metrics["known-samples"].value)
        for test in tests
        if {"samples", "known-samples"} <= test.metrics.keys()
    ]
    ran, known = (int(sum(numbers)) for numbers in zip(*pairs, strict=True)) if pairs else (0, 0)
    return (ran, known) if known else None


def newest_evidence(reports: Iterable[StoredReport]) -> tuple[SuiteEvidence, ...]:
    """Return the newest results of each suite in an accelerator's reports, sorted by suite.

    These are from the newest run of the suite. If it has no run, they are from its newest baseline.
    If two reports have the same time, the report whose id sorts last counts. The order of `reports`
    has no effect.
    """
    evidence_by_suite: dict[str, SuiteEvidence] = {}
    for stored in sorted(reports, key=lambda s: (s.report.kind != "baseline", s.order)):
        tests_by_suite = grouped((test.suite, test) for test in stored.report.tests)
        for suite, tests in tests_by_suite.items():
            evidence_by_suite[suite] = SuiteEvidence(suite, stored, tuple(tests))
    return tuple(evidence_by_suite[suite] for suite in sorted(evidence_by_suite))

"""Counts how many of PyTorch's own tests passed, by the hardware classification of their class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_reports.outcomes import BAD, GOOD
from accelerator_reports.report import TestEntry


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

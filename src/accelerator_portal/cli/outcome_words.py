"""Counts tests by outcome, in one line of text."""

from __future__ import annotations

from collections import Counter

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.outcomes import OUTCOMES


def outcome_counts(outcomes: Counter[str]) -> str:
    """Return the number of tests and the number of each outcome: `2 tests: 1 passed, 1 failed`."""
    words = [f"{outcomes[outcome]} {outcome}" for outcome in OUTCOMES if outcomes[outcome]]
    return f"{count(outcomes.total(), 'test')}: {', '.join(words)}" if words else "no tests"

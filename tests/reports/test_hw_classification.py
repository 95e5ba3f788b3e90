from __future__ import annotations

from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import TestEntry
from accelerator_reports.report_views import classification_counts


def entries(classification: str | None, *outcomes: Outcome) -> list[TestEntry]:
    facts = {"suite": "pytorch-tests", "name": "x", "hw_classification": classification}
    return [TestEntry.model_validate({**facts, "outcome": outcome}) for outcome in outcomes]


def test_only_what_passed_or_failed_counts_and_all_is_not_less() -> None:
    many: list[Outcome] = ["passed"] * 199
    tests = [
        *entries("ACCELERATOR", *many, "wrong-result", "skipped", "test-broken"),
        *entries("MPS", "skipped"),
        *entries(None, "failed"),
    ]
    assert [classification.text for classification in classification_counts(tests)] == [
        "ACCELERATOR: 199 of 200 tests passed (99%)",
        "MPS: no test passed or failed",
    ]

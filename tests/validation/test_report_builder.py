"""What a measurement says of itself comes from a case through the journal into the report."""

from __future__ import annotations

import json

import pytest

from accelerator_reports.report import TestEntry
from accelerator_validation.case import Case, Result, result_from_record
from accelerator_validation.journal import JournalContent, build_report

HEAD = {
    "accelerator": "cpu",
    "device": "cpu",
    "kind": "self-reported",
    "trigger": "manual",
    "started": "2026-11-22T00:00:00+00:00",
    "environment": {},
    "note": "A note.",
    "suites": [{"name": "speed", "kind": "speed"}],
    "skipped": {},
    "expected": {},
}


def entry(result: Result) -> TestEntry:
    """Return what the report has of a result that was written to the journal."""
    case = Case("speed", "matmul")
    line = json.loads(json.dumps(result.record()))
    kept = JournalContent(HEAD, (case,), {case.id: result_from_record(line)}, frozenset())
    (test,) = build_report(kept, None).tests
    return test


@pytest.mark.parametrize(("text", "length"), [("", 0), (" \n", 0), ("a" * 9000, 3999)])
def test_no_text_of_a_result_breaks_the_report(text: str, length: int) -> None:
    test = entry(Result("failed", "run", text, log_tail=text))
    assert (len(test.reason or ""), len(test.log_tail or "")) == (length, length)


def test_a_median_keeps_its_interval_and_its_repeats() -> None:
    metrics = {"speed": (2.5, "TFLOP/s"), "threads": (2.0, "1")}
    result = Result("passed", "compare", metrics=metrics, spreads={"speed": (2.4, 2.7, 11)})
    assert result_from_record(json.loads(json.dumps(result.record()))) == result
    test = entry(result)
    speed, threads = test.metrics["speed"], test.metrics["threads"]
    assert (speed.value, speed.unit, speed.interval, speed.repeats) == (
        2.5,
        "TFLOP/s",
        (2.4, 2.7),
        11,
    )
    assert (threads.value, threads.interval, threads.repeats) == (2, None, None)

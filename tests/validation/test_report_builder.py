"""What a measurement says of itself comes from a case through the journal into the report."""

from __future__ import annotations

import json

from accelerator_validation.case import Case, Result, result_from_record
from accelerator_validation.journal import JournalContent
from accelerator_validation.report_builder import build_report

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


def test_a_median_keeps_its_interval_and_its_repeats() -> None:
    metrics = {"speed": (2.5, "TFLOP/s"), "threads": (2.0, "1")}
    result = Result("passed", "compare", metrics=metrics, spreads={"speed": (2.4, 2.7, 11)})
    line = json.loads(json.dumps(result.record()))
    assert result_from_record(line) == result
    case = Case("speed", "matmul")
    kept = JournalContent(HEAD, (case,), {case.id: result_from_record(line)}, frozenset())
    (test,) = build_report(kept, None).tests
    speed, threads = test.metrics["speed"], test.metrics["threads"]
    assert (speed.value, speed.unit, speed.interval, speed.repeats) == (
        2.5,
        "TFLOP/s",
        (2.4, 2.7),
        11,
    )
    assert (threads.value, threads.interval, threads.repeats) == (2, None, None)

"""Reports for the tests; everything in them is made up."""

from __future__ import annotations

from typing import Any

from accelerator_reports.report import Report

TEST: dict[str, Any] = {"suite": "made-up", "name": "first", "outcome": "passed"}

REPORT: dict[str, Any] = {
    "schema_version": 1,
    "accelerator": "example",
    "kind": "self-reported",
    "trigger": {"kind": "nightly"},
    "started": "2026-01-02T03:04:05Z",
    "environment": {"torch": "1.10.0"},
    "suites": [{"name": "made-up", "kind": "unit"}],
    "tests": [TEST],
}


def report(*tests: dict[str, Any], **changes: Any) -> Report:  # noqa: ANN401 - any field
    """Return the example with other tests and fields; each test is the example's, changed."""
    data = {**REPORT, **changes}
    if tests:
        data["tests"] = [{**TEST, **test} for test in tests]
    return Report.model_validate(data)

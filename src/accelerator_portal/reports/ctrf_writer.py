"""Writes the Common Test Report Format (CTRF, ctrf.io), specVersion 1.0.0.

It has no place for stages, figures and the difference between a failure of the product and one of
the machine; what a report says beyond it stands under `extra`, in the key `accelerator-portal`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter

from accelerator_portal.reports import ctrf_model
from accelerator_portal.reports.ctrf import named, plain_fields, status_of
from accelerator_portal.reports.remainder import (
    NAMESPACE,
    Fields,
    difference,
    fields_of,
    run_fields,
)
from accelerator_portal.reports.report import Report, TestEntry

SPEC_VERSION = "1.0.0"

# No test takes 30 years; a figure that says so is kept beside, where it harms nobody's arithmetic.
_LONGEST_S = 10**9


def ctrf_text(report: Report) -> str:
    """Return a report as CTRF, one test a line."""
    tests = [_test(test) for test in report.tests]
    head = {
        "tool": {"name": NAMESPACE},
        "summary": _summary(report, tests),
        "environment": _environment(report),
        "extra": {NAMESPACE: {"run": run_fields(report), "suites": _suite_fields(report)}},
    }
    document = {"reportFormat": "CTRF", "specVersion": SPEC_VERSION, "generatedBy": NAMESPACE}
    lines = ",\n".join(map(_json, tests))
    return f'{_json(document)[:-1]}, "results": {_json(head)[:-1]}, "tests": [\n{lines}\n]}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _test(test: TestEntry) -> Fields:
    record: Fields = {
        "testId": _stable_id(test),
        "name": test.name,
        "status": status_of(test.outcome),
        "duration": round(min(test.duration_s or 0, _LONGEST_S) * 1000),
        "suite": [test.suite],
        "rawStatus": test.raw_status or (test.outcome if _is_told_apart(test) else None),
        "message": test.reason,
        "trace": test.log_tail,
        "parameters": dict(test.parameters) or None,
        "retries": _retries(test),
        "attachments": [
            {"name": one.label, "contentType": "application/octet-stream", "path": one.url}
            for one in test.evidence
        ]
        or None,
    }
    record = {name: value for name, value in record.items() if value is not None}
    if record.get("retries") and test.outcome == "passed":
        record["flaky"] = True
    written = ctrf_model.Test.model_validate(record)
    plain = plain_fields(written, named(written, None), None, test.suite)
    left = difference(fields_of(test), plain)
    return {**record, "extra": {NAMESPACE: left}} if left else record


def _stable_id(test: TestEntry) -> str:
    words = ",".join(f"{name}={value}" for name, value in sorted(test.parameters.items()))
    return f"{test.suite}::{test.name}[{words}]" if words else f"{test.suite}::{test.name}"


def _is_told_apart(test: TestEntry) -> bool:
    """Whether CTRF's status alone does not say the outcome."""
    return test.outcome not in {"passed", "failed", "skipped", "not-run"}


def _retries(test: TestEntry) -> int | None:
    metric = test.metrics.get("retries")
    if metric is None or metric.unit != "1" or not metric.value.is_integer():
        return None
    return int(metric.value) if 0 < metric.value <= 10**9 else None


def _summary(report: Report, tests: list[Fields]) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    start = _milliseconds(report.started)
    return {
        "tests": len(tests),
        **{word: counts[word] for word in ctrf_model.STATUSES},
        "flaky": sum("flaky" in test for test in tests),
        "suites": len(report.suites),
        "start": start,
        "stop": _milliseconds(report.finished) or start,
    }


def _milliseconds(moment: dt.datetime | None) -> int:
    return max(0, int(moment.timestamp() * 1000)) if moment else 0


def _environment(report: Report) -> dict[str, str]:
    environment, trigger = report.environment, report.trigger
    torch = {"appName": "torch", "appVersion": environment.torch} if environment.torch else {}
    said = {
        "osVersion": environment.os,
        "repositoryName": trigger.repository,
        "commit": trigger.commit,
    }
    return torch | {name: value for name, value in said.items() if value}


def _suite_fields(report: Report) -> list[Fields]:
    return [suite.model_dump(mode="json", exclude_none=True) for suite in report.suites]

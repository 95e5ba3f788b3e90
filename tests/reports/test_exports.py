from __future__ import annotations

import datetime as dt
import json
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.ctrf import ctrf_text, junit_text
from accelerator_reports.formats.format_list import READERS, WRITERS
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Report, TestEntry
from tests.reports.drawn import TESTS
from tests.reports.examples import report


def read_back(name: str, made: Report) -> tuple[TestEntry, ...]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results")
        file.write_bytes(WRITERS[name](made).encode())
        return READERS[name](file, ImportOptions()).tests


@pytest.mark.parametrize("name", ["ctrf", "junit"])
@given(tests=TESTS)
def test_any_report_becomes_a_file_that_can_be_read(name: str, tests: list[dict[str, Any]]) -> None:
    made = report(tests=tests)
    found = read_back(name, made)
    assert [(t.suite, t.outcome) for t in found] == [(t.suite, t.outcome) for t in made.tests]
    assert name != "ctrf" or found == made.tests


@pytest.mark.parametrize("name", ["ctrf", "junit"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_stays_the_same(name: str, outcome: str) -> None:
    made = report({"outcome": outcome, "raw_status": "xfail", "reason": "out of memory"})
    assert [test.outcome for test in read_back(name, made)] == [outcome]


RUN: dict[str, Any] = {
    "trigger": {"kind": "nightly", "repository": "example/example", "commit": "0123abc"},
    "started": "2026-03-01T10:00:00Z",
    "environment": {"torch": "2.10.0", "os": "an OS", "hardware": "Card"},
}
WRONG = {
    "name": "TestX::add",
    "parameters": {"dtype": "float32"},
    "outcome": "wrong-result",
    "raw_status": "fail_accuracy",
    "duration_s": 1.5,
    "reason": "not <close>",
    "log_tail": "line\n\x1bline",
    "evidence": [{"label": "log", "url": "https://example.org/log"}],
}


def test_what_ctrf_has_a_word_for_is_said_in_it() -> None:
    retried = {"name": "a\nb", "metrics": {"retries": {"value": 2, "unit": "1"}}}
    text = ctrf_text(report(WRONG, retried, **RUN))
    assert len(text.splitlines()) == 4  # each test stands on a line
    start = int(dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC).timestamp() * 1000)
    assert json.loads(text) == {
        "reportFormat": "CTRF",
        "specVersion": "1.0.0",
        "results": {
            "tool": {"name": "accelerator-portal"},
            "summary": {
                "tests": 2, "passed": 1, "failed": 1, "skipped": 0, "pending": 0, "other": 0,
                "flaky": 1, "suites": 1, "start": start, "stop": start,
            },
            "environment": {
                "appName": "torch", "appVersion": "2.10.0", "osVersion": "an OS",
                "repositoryName": "example/example", "commit": "0123abc",
                "extra": {"hardware": "Card"},
            },
            "tests": [
                {
                    "testId": "made-up::TestX::add[dtype=float32]",
                    "name": "TestX::add",
                    "status": "failed",
                    "duration": 1500,
                    "suite": ["made-up"],
                    "rawStatus": "wrong-result",
                    "message": "not <close>",
                    "trace": "line\n\x1bline",
                    "parameters": {"dtype": "float32"},
                    "attachments": [
                        {
                            "name": "log",
                            "contentType": "application/octet-stream",
                            "path": "https://example.org/log",
                        }
                    ],
                    "extra": {
                        "outcome": "wrong-result",
                        "raw_status": "fail_accuracy",
                        "duration_s": 1.5,
                    },
                },
                {
                    "testId": "made-up::a\nb",
                    "name": "a\nb",
                    "status": "passed",
                    "duration": 0,
                    "suite": ["made-up"],
                    "retries": 2,
                    "flaky": True,
                    "extra": {"outcome": "passed", "metrics": retried["metrics"]},
                },
            ],
        },
    }  # fmt: skip


def test_what_junit_has_a_word_for_is_said_in_it() -> None:
    others = (
        {"name": "TestX::b", "outcome": "test-broken"},
        {"name": "TestX::c", "outcome": "not-run", "reason": "later"},
        {"name": "d", "outcome": "executed"},
    )
    suite = ET.fromstring(junit_text(report(WRONG, *others, **RUN)))[0]  # noqa: S314 - written here
    assert suite.attrib == {
        "name": "made-up",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
        "time": "1.500",
        "timestamp": "2026-03-01T10:00:00+00:00",
    }
    assert [one.attrib for one in suite.iter("property")] == [
        {"name": "torch", "value": "2.10.0"},
        {"name": "os", "value": "an OS"},
        {"name": "hardware", "value": "Card"},
    ]
    cases = suite.findall("testcase")
    assert [case.attrib for case in cases] == [
        {"classname": "TestX", "name": "add[float32]", "time": "1.500000"},
        {"classname": "TestX", "name": "b"},
        {"classname": "TestX", "name": "c"},
        {"classname": "made-up", "name": "d", "status": "inconclusive"},
    ]
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.attrib == {"message": "not <close>", "type": "wrong-result"}
    assert failure.text == "line\n#x1Bline"

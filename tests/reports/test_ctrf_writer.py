from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.ctrf import ctrf_text, read_ctrf
from accelerator_reports.report import (
    Environment,
    Evidence,
    Metric,
    Report,
    Suite,
    TestEntry,
    Trigger,
)
from tests.reports import drawn
from tests.reports.ctrf_files import STATUSES, document

# CTRF's rules for what is written here, in words of this project: a key may stand where it is
# named, must where it has a star, and holds what its check says.


def text(value: object) -> bool:
    return isinstance(value, str)


def filled(value: object) -> bool:
    return isinstance(value, str) and value != ""


def whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def record(rules: Mapping[str, Callable[[object], bool]]) -> Callable[[object], bool]:
    named = {key.removesuffix("*"): check for key, check in rules.items()}
    needed = {key.removesuffix("*") for key in rules if key.endswith("*")}

    def check(value: object) -> bool:
        return (
            isinstance(value, dict)
            and needed <= set(value)
            and all(key in named and named[key](held) for key, held in value.items())
        )

    return check


def listed(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


def anything(value: object) -> bool:
    return isinstance(value, dict)


ATTACHMENT = record({"name*": text, "contentType*": text, "path*": text})
TEST = record(
    {
        "name*": filled,
        "status*": lambda value: value in STATUSES,
        "duration*": whole,
        "testId": filled,
        "suite": lambda value: listed(text)(value) and value != [],
        "rawStatus": text,
        "message": text,
        "trace": text,
        "parameters": anything,
        "retries": whole,
        "flaky": lambda value: isinstance(value, bool),
        "attachments": listed(ATTACHMENT),
        "extra": anything,
    }
)
SUMMARY = record(
    {f"{word}*": whole for word in ("tests", *STATUSES, "start", "stop")}
    | {"flaky": whole, "suites": whole}
)
ENVIRONMENT = record(
    dict.fromkeys(["appName", "appVersion", "osVersion", "repositoryName", "commit"], text)
)
RESULTS = record(
    {
        "tool*": record({"name*": filled}),
        "summary*": SUMMARY,
        "environment": ENVIRONMENT,
        "extra": anything,
        "tests*": listed(TEST),
    }
)
DOCUMENT = record(
    {
        "reportFormat*": lambda value: value == "CTRF",
        "specVersion*": lambda value: value == "1.0.0",
        "generatedBy": text,
        "results*": RESULTS,
    }
)


@pytest.mark.parametrize(
    "test",
    [
        {"status": "xfail"},
        {"status": "passed", "duration": 1.5},
        {"status": "passed", "device": 1},
        {"status": "passed", "suite": []},
    ],
)
def test_the_rules_above_refuse_what_ctrf_refuses(test: dict[str, Any]) -> None:
    assert DOCUMENT(document({"status": "passed", "duration": 1}))
    assert not DOCUMENT(document(test))


@given(drawn.reports())
def test_a_report_becomes_ctrf_and_comes_back_whole(report: Report) -> None:
    written = ctrf_text(report)
    assert DOCUMENT(json.loads(written))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        file.write_bytes(written.encode())
        assert read_ctrf(file, ImportOptions()) == drawn.of(report)


def test_what_ctrf_has_a_word_for_is_said_in_it() -> None:
    report = Report(
        schema_version=1,
        accelerator="made-up",
        kind="self-reported",
        trigger=Trigger(kind="nightly", repository="example/example", commit="0123abc"),
        started=dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC),
        environment=Environment(torch="2.10.0", os="an OS"),
        suites=(Suite(name="ops", kind="operator"),),
        tests=(
            TestEntry(
                suite="ops",
                name="add",
                parameters={"dtype": "float32"},
                outcome="wrong-result",
                duration_s=1.5,
                reason="not close",
                log_tail="line",
                evidence=(Evidence(label="log", url="https://example.org/log"),),
            ),
            TestEntry(
                suite="ops",
                name="mul",
                outcome="passed",
                stage="compare",
                metrics={"retries": Metric(value=2, unit="1")},
            ),
        ),
    )
    made = json.loads(ctrf_text(report))
    milliseconds = 1_772_359_200_000
    assert made["generatedBy"] == "accelerator-portal"
    assert made["results"]["summary"] == {
        "tests": 2,
        "passed": 1,
        "failed": 1,
        "skipped": 0,
        "pending": 0,
        "other": 0,
        "flaky": 1,
        "suites": 1,
        "start": milliseconds,
        "stop": milliseconds,
    }
    assert made["results"]["environment"] == {
        "appName": "torch",
        "appVersion": "2.10.0",
        "osVersion": "an OS",
        "repositoryName": "example/example",
        "commit": "0123abc",
    }
    assert made["results"]["tests"] == [
        {
            "testId": "ops::add[dtype=float32]",
            "name": "add",
            "status": "failed",
            "duration": 1500,
            "suite": ["ops"],
            "rawStatus": "wrong-result",
            "message": "not close",
            "trace": "line",
            "parameters": {"dtype": "float32"},
            "attachments": [
                {
                    "name": "log",
                    "contentType": "application/octet-stream",
                    "path": "https://example.org/log",
                }
            ],
        },
        {
            "testId": "ops::mul",
            "name": "mul",
            "status": "passed",
            "duration": 0,
            "suite": ["ops"],
            "retries": 2,
            "flaky": True,
            # What CTRF has no word for, and a time that nobody measured.
            "extra": {"accelerator-portal": {"stage": "compare", "duration_s": None}},
        },
    ]


def test_each_test_stands_on_a_line() -> None:
    test = TestEntry(suite="ops", name="a\nb", outcome="passed")
    report = Report(
        schema_version=1,
        accelerator="made-up",
        kind="made-here",
        trigger=Trigger(kind="manual"),
        suites=(Suite(name="ops", kind="unit"),),
        tests=(test, test.model_copy(update={"name": "c"})),
    )
    assert len(ctrf_text(report).splitlines()) == 4

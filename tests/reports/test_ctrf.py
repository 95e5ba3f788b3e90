from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.ctrf import ctrf_text, read_ctrf
from accelerator_portal.reports.ctrf_case import status_of
from accelerator_portal.reports.outcomes import OUTCOMES
from accelerator_portal.reports.reading import Found, Options
from accelerator_portal.reports.report import (
    Environment,
    Evidence,
    Metric,
    Report,
    Suite,
    TestEntry,
    Trigger,
)
from tests.reports import drawn

STATUSES = ("passed", "failed", "skipped", "pending", "other")


def document(*tests: dict[str, Any], **results: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A made-up file with some tests, whose summary counts them."""
    every = [{"name": f"test_{number}", "duration": 0, **test} for number, test in enumerate(tests)]
    counts = {word: sum(test["status"] == word for test in every) for word in STATUSES}
    summary = {"tests": len(every), **counts, "start": 0, "stop": 0}
    return {
        "reportFormat": "CTRF",
        "specVersion": "1.0.0",
        "results": {"tool": {"name": "Runner X"}, "summary": summary, "tests": every, **results},
    }


def read(tmp_path: Path, value: object, options: Options | None = None) -> Found:
    file = tmp_path / "results.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_ctrf(file, options or Options())


def said(tmp_path: Path, **test: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """What a test says, but for suite, name and duration."""
    (found,) = read(tmp_path, document(test)).tests
    left_out = {"suite", "name", "duration_s"}
    return found.model_dump(exclude_defaults=True, exclude=left_out, mode="json")


def problems(tmp_path: Path, value: object) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, value)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_of_another_tool_is_read(tmp_path: Path) -> None:
    """Made up, in the form of CTRF's examples."""
    made = document(
        {
            "name": "test_a[cuda-float32]",
            "status": "failed",
            "duration": 1500,
            "suite": ["Ops", "TestX"],
            "message": "Tensor-likes are not close!",
            "trace": "Traceback",
            "retries": 2,
            "attachments": [
                {"name": "log", "contentType": "text/plain", "path": "https://example.org/log"},
                {"name": "here", "contentType": "text/plain", "path": "/tmp/log"},  # noqa: S108
            ],
        },
        {
            "status": "passed",
            "parameters": {"Dtype": "fp16", "device": "cuda", "shapes": [1, 2], "n": 3, "no": None},
        },
        environment={"appName": "PyTorch", "appVersion": "2.10.0", "osPlatform": "linux"},
    )
    made["results"]["summary"] |= {"start": 1_772_359_200_000, "stop": 1_772_359_260_000}
    start = dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
    assert read(tmp_path, made) == Found(
        suites=(Suite(name="ops", kind="unit"), Suite(name="runner-x", kind="unit")),
        tests=(
            TestEntry(
                suite="ops",
                name="TestX::test_a",
                parameters={"dtype": "float32"},
                outcome="wrong-result",
                raw_status="failed",
                duration_s=1.5,
                reason="Tensor-likes are not close!",
                log_tail="Traceback",
                metrics={"retries": Metric(value=2, unit="1")},
                evidence=(Evidence(label="log", url="https://example.org/log"),),
            ),
            TestEntry(
                suite="runner-x",
                name="test_1",
                parameters={"dtype": "float16", "shapes": "[1, 2]", "n": 3},
                outcome="passed",
                duration_s=0,
            ),
        ),
        environment=Environment(torch="2.10.0", os="linux"),
        started=start,
        finished=start + dt.timedelta(minutes=1),
    )


@pytest.mark.parametrize(
    ("test", "outcome", "raw"),
    [
        ({"status": "passed"}, "passed", None),
        ({"status": "passed", "rawStatus": "flaky"}, "passed", "flaky"),
        ({"status": "failed", "message": "ValueError"}, "failed", None),
        ({"status": "failed", "trace": "MemoryError"}, "out-of-memory", "failed"),
        ({"status": "failed", "rawStatus": "timedOut"}, "timed-out", "timedOut"),
        ({"status": "failed", "rawStatus": "error"}, "infrastructure-error", "error"),
        ({"status": "failed", "rawStatus": "wrong-result"}, "wrong-result", None),
        ({"status": "passed", "rawStatus": "wrong-result"}, "passed", "wrong-result"),
        ({"status": "skipped"}, "skipped", None),
        ({"status": "pending"}, "not-run", "pending"),
        ({"status": "other", "rawStatus": "xfailed"}, "skipped", "xfailed"),
        ({"status": "other", "rawStatus": "xpassed"}, "passed", "xpassed"),
        (
            {"status": "other", "message": "No space left on device"},
            "infrastructure-error",
            "other",
        ),
        ({"status": "other"}, "executed", "other"),
    ],
)
def test_a_status_says_what_happened(
    tmp_path: Path, test: dict[str, Any], outcome: str, raw: str | None
) -> None:
    found = said(tmp_path, **test)
    assert (found["outcome"], found.get("raw_status")) == (outcome, raw)


def test_what_was_left_out_has_a_reason(tmp_path: Path) -> None:
    nothing = "The file gives no reason."
    assert said(tmp_path, status="skipped")["reason"] == nothing
    assert said(tmp_path, status="pending")["reason"] == nothing
    assert said(tmp_path, status="skipped", message="slow")["reason"] == "slow"
    assert "reason" not in said(tmp_path, status="passed")


def test_a_flaky_test_was_tried_again(tmp_path: Path) -> None:
    assert said(tmp_path, status="passed", flaky=True)["metrics"] == {
        "retries": {"value": 1, "unit": "1"}
    }


def test_a_suite_may_be_one_text_and_a_person_may_name_it(tmp_path: Path) -> None:
    made = document(
        {"name": "a", "status": "passed", "suite": "My Suite"},
        {"name": "b", "status": "passed", "suite": ["ops", "TestX"]},
    )
    names = [(test.suite, test.name) for test in read(tmp_path, made).tests]
    assert names == [("my-suite", "a"), ("ops", "TestX::b")]
    names = [(test.suite, test.name) for test in read(tmp_path, made, Options("ops")).tests]
    assert names == [("ops", "My Suite::a"), ("ops", "TestX::b")]


def test_parameters_of_all_tests_are_added_to_the_file_s_own(tmp_path: Path) -> None:
    made = document({"status": "passed", "parameters": {"dtype": "int8"}}, {"status": "passed"})
    found = read(tmp_path, made, Options(parameters={"dtype": "float32"}))
    assert [test.parameters["dtype"] for test in found.tests] == ["int8", "float32"]


def test_a_file_without_tests_names_its_tool(tmp_path: Path) -> None:
    assert read(tmp_path, document()) == Found((Suite(name="runner-x", kind="unit"),), ())


NO_JSON = "results.json:1: this is no JSON: {}; write the file again"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_JSON.format("expecting value")),
        ('{"reportFormat": "CT', NO_JSON.format("unterminated string starting at")),
        ("[1, NaN]", "results.json:1: NaN is no number in JSON; write the file again"),
        ("-Infinity", "results.json:1: -Infinity is no number in JSON; write the file again"),
        ("1e999", "results.json:1: 1e999 is too large for a number; write the file again"),
        ("1" * 5000, "results.json:1: a number has too many digits; write the file again"),
        (
            "[" * 100_000,
            "results.json:1: the values are nested too deeply; write the file again",
        ),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert problems(tmp_path, text) == [message]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(b"{\n\xff")
    with pytest.raises(ProblemsError) as caught:
        read_ctrf(file, Options())
    assert str(caught.value) == "results.json:2: byte 0xff is not UTF-8; save the file as UTF-8"


FORMAT = "see the page of the report format"
A_RECORD = "input should be a valid dictionary or instance of"
TOO_SHORT = f"string should have at least 1 character; {FORMAT}"
NO_ID = f"string should match pattern '^[a-z0-9]+(?:[-_.][a-z0-9]+)*$'; {FORMAT}"
KEPT = "results.extra.accelerator-portal"
NO_STAGE = (
    "input should be 'build', 'deploy', 'import', 'load', 'export', 'quantize', 'lower', 'eager',"
    f" 'compile', 'run' or 'compare'; {FORMAT}"
)
NO_STATUS = f"input should be 'passed', 'failed', 'skipped', 'pending' or 'other'; {FORMAT}"


def test_what_is_no_ctrf_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path, {"reportFormat": "JSON", "results": {"tool": 1, "tests": {}}}) == [
        f"results.json:1: reportFormat: input should be 'CTRF'; {FORMAT}",
        f"results.json:1: results.summary: field required; {FORMAT}",
        f"results.json:1: results.tests: input should be a valid list; {FORMAT}",
        f"results.json:1: results.tool: {A_RECORD} Tool; {FORMAT}",
        f"results.json:1: specVersion: field required; {FORMAT}",
    ]


def test_every_fault_is_named(tmp_path: Path) -> None:
    made = document(
        {"status": "passed", "name": ""},
        {"status": "passed", "duration": -1},
        {"status": "passed", "extra": {"accelerator-portal": 1}},
        {"status": "passed", "extra": {"accelerator-portal": {"stage": "later", "x": 1}}},
        extra={"accelerator-portal": {"run": {"note": ""}, "suites": [{"name": "X Y"}]}},
    )
    made["results"]["tests"] += [{"name": "a", "status": "xfail", "duration": 0}, 1]
    made["results"]["summary"] |= {"tests": 6, "passed": 2}
    assert [line.removeprefix("results.json:1: ") for line in problems(tmp_path, made)] == [
        f"{KEPT}.run.note: {TOO_SHORT}",
        f"{KEPT}.suites.kind: field required; {FORMAT}",
        f"{KEPT}.suites.name: {NO_ID}",
        f"results.tests[0].name: {TOO_SHORT}",
        f"results.tests[1].duration: input should be greater than or equal to 0; {FORMAT}",
        "results.tests[2].extra.accelerator-portal is no object; remove it",
        f"results.tests[3].stage: {NO_STAGE}",
        f"results.tests[3].x: extra inputs are not permitted; {FORMAT}",
        f"results.tests[4].status: {NO_STATUS}",
        f"results.tests[5]: {A_RECORD} Test; {FORMAT}",
    ]


def test_a_summary_that_contradicts_the_tests_is_refused(tmp_path: Path) -> None:
    made = document({"status": "passed"}, {"status": "failed"})
    made["results"]["summary"] |= {"tests": 1003, "passed": 1002}
    remedy = "write the file again: one of the two is not whole"
    assert problems(tmp_path, made) == [
        f"results.json:1: results.summary.passed is 1,002, and the tests are 1; {remedy}",
        f"results.json:1: results.summary.tests is 1,003, and the tests are 2; {remedy}",
    ]


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
        assert read_ctrf(file, Options()) == drawn.of(report)


def test_every_outcome_has_a_status() -> None:
    assert {status_of(outcome) for outcome in OUTCOMES} == set(STATUSES)


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

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.pytest_json import read_pytest_json
from accelerator_reports.report import Environment, Suite, TestEntry
from tests.reports.format_file import FormatFile

NODE = "tests/test_x.py::test_a"
OK = {"outcome": "passed", "duration": 0.5}


def document(*tests: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A made-up file with some tests."""
    return {
        "created": 1_772_359_260.0,
        "duration": 60.0,
        "exitcode": 1,
        "root": "/x",
        "environment": {},
        "summary": {"total": len(tests), "collected": len(tests)},
        "tests": list(tests),
        **more,
    }


FILE = FormatFile("results.json", read_pytest_json)
read, problems = FILE.read, FILE.problems


def said(tmp_path: Path, **test: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """What a test says, but for suite, name and duration."""
    (found,) = read(tmp_path, document({"nodeid": NODE, **test})).tests
    left_out = {"suite", "name", "duration_s"}
    return found.model_dump(exclude_defaults=True, exclude=left_out, mode="json")


def test_a_file_is_read(tmp_path: Path) -> None:
    """Made up, in the form of pytest-json-report."""
    made = document(
        {
            "nodeid": "tests/test_x.py::TestX::test_a[npu-float32]",
            "outcome": "passed",
            "setup": OK,
            "call": {"outcome": "passed", "duration": 1.25, "stdout": "noise"},
            "teardown": OK,
        },
        {
            "nodeid": NODE,
            "outcome": "failed",
            "setup": OK,
            "call": {
                "outcome": "failed",
                "duration": 1,
                "crash": {"path": "/x", "lineno": 3, "message": "RuntimeError: out of memory"},
                "longrepr": "a traceback",
            },
            "teardown": OK,
        },
        summary={"passed": 1, "failed": 1, "total": 2, "collected": 9, "deselected": 4},
        environment={
            "Python": "3.12.1",
            "Platform": "Linux-6.1-aarch64-with-glibc2.36",
            "Packages": {"pytest": "9.0", "torch": "2.10.0", "odd": {"a": 1}},
            "Plugins": {"xdist": "3"},
        },
    )
    end = dt.datetime(2026, 3, 1, 10, 1, tzinfo=dt.UTC)
    assert read(tmp_path, made) == ImportResult(
        suites=(Suite(name="pytest", kind="unit", planned=5),),
        tests=(
            TestEntry(
                suite="pytest",
                name="tests.test_x.TestX::test_a",
                parameters={"dtype": "float32"},
                outcome="passed",
                duration_s=2.25,
            ),
            TestEntry(
                suite="pytest",
                name="tests.test_x::test_a",
                outcome="out-of-memory",
                raw_status="failed",
                duration_s=2,
                reason="RuntimeError: out of memory",
                log_tail="a traceback",
            ),
        ),
        environment=Environment(
            torch="2.10.0",
            python="3.12.1",
            os="Linux-6.1-aarch64-with-glibc2.36",
            arch="aarch64",
            packages={"pytest": "9.0"},
        ),
        started=end - dt.timedelta(minutes=1),
        finished=end,
    )


def stage(message: str, outcome: str = "failed") -> dict[str, Any]:
    return {"outcome": outcome, "duration": 0, "longrepr": message}


SKIP = "('/x/test_a.py', 10, 'Skipped: needs two cards')"
QUOTED = """('/x/test_a.py', 10, "Skipped: it's slow")"""


@pytest.mark.parametrize(
    ("test", "outcome", "raw", "reason"),
    [
        ({"outcome": "passed", "call": OK}, "passed", None, None),
        ({"outcome": "xpassed", "call": OK}, "passed", "xpassed", None),
        ({"outcome": "failed", "call": stage("ValueError")}, "failed", "failed", "ValueError"),
        ({"outcome": "failed"}, "failed", "failed", None),
        (
            {"outcome": "failed", "call": stage("[XPASS(strict)] old")},
            "failed",
            "failed",
            "[XPASS(strict)] old",
        ),
        (
            {"outcome": "error", "setup": stage("ValueError")},
            "infrastructure-error",
            "error",
            "ValueError",
        ),
        (
            {"outcome": "error", "setup": OK, "call": OK, "teardown": stage("MemoryError")},
            "out-of-memory",
            "error",
            "MemoryError",
        ),
        (
            {"outcome": "error", "setup": stage("fixture 'nobody' not found")},
            "test-broken",
            "error",
            "fixture 'nobody' not found",
        ),
        (
            {"outcome": "failed", "???": stage("worker 'gw0' crashed while running 'x'")},
            "crashed",
            "failed",
            "worker 'gw0' crashed while running 'x'",
        ),
        (
            {"outcome": "skipped", "setup": stage("", "skipped"), "teardown": OK},
            "skipped",
            "skipped",
            "The file states no reason.",
        ),
        ({"outcome": "skipped", "setup": stage("odd")}, "skipped", "skipped", "odd"),
        ({"outcome": "skipped", "call": stage(SKIP)}, "skipped", "skipped", "needs two cards"),
        ({"outcome": "skipped", "setup": stage(QUOTED)}, "skipped", "skipped", "it's slow"),
        ({"outcome": "xfailed", "call": stage("slow")}, "skipped", "xfail", "slow"),
        ({"outcome": "xfailed"}, "skipped", "xfail", "It is expected to fail."),
    ],
)
def test_an_outcome_says_what_happened(
    tmp_path: Path, test: dict[str, Any], outcome: str, raw: str | None, reason: str | None
) -> None:
    found = said(tmp_path, **test)
    assert (found["outcome"], found.get("raw_status"), found.get("reason")) == (
        outcome,
        raw,
        reason,
    )


def test_a_test_that_was_run_again_says_so(tmp_path: Path) -> None:
    found = said(tmp_path, outcome="rerun", call=OK)
    assert found == {
        "outcome": "passed",
        "raw_status": "rerun",
        "metrics": {"retries": {"value": 1, "unit": "1"}},
    }
    assert said(tmp_path, outcome="rerun", call=stage("ValueError"))["outcome"] == "failed"


def test_what_a_failed_test_printed_stands_where_no_traceback_does(tmp_path: Path) -> None:
    call = {**stage("ValueError"), "stdout": "printed"}
    assert said(tmp_path, outcome="failed", call=call)["log_tail"] == "printed"


def test_a_long_reason_of_a_skip_takes_little_time(tmp_path: Path) -> None:
    """It took 20 seconds when each of the first numbers was tried as the line number."""
    reason = "(" + "x, 1, '" * 140 + "a'" * 2_500_000
    started = time.monotonic()
    assert said(tmp_path, outcome="skipped", setup=stage(reason, "skipped"))["outcome"] == "skipped"
    assert time.monotonic() - started < 10


def test_a_module_that_cannot_be_collected_is_a_broken_test(tmp_path: Path) -> None:
    collectors = [
        {"nodeid": "", "outcome": "passed", "result": []},
        {"nodeid": "tests/test_b.py", "outcome": "failed", "longrepr": "SyntaxError"},
    ]
    found = read(tmp_path, document(collectors=collectors), ImportOptions("ops", {"mode": "eager"}))
    assert found.suites == (Suite(name="ops", kind="unit", planned=1),)
    assert found.tests == (
        TestEntry(
            suite="ops",
            name="tests.test_b",
            parameters={"mode": "eager"},
            outcome="test-broken",
            raw_status="collection failed",
            reason="SyntaxError",
        ),
    )


@pytest.mark.parametrize(
    ("summary", "planned"),
    [
        ({"total": 1}, None),
        ({"total": 1, "collected": 1}, 1),
        ({"total": 1, "collected": 5}, 5),
        ({"total": 1, "collected": 0}, None),
    ],
)
def test_what_was_planned_is_seen(
    tmp_path: Path, summary: dict[str, int], planned: int | None
) -> None:
    found = read(tmp_path, document({"nodeid": NODE, "outcome": "passed"}, summary=summary))
    assert found.suites[0].planned == planned


FORMAT = "see the report format page"
NO_RECORD = f"input should be a valid dictionary or instance of Summary; {FORMAT}"
NO_TESTS = (
    'results.json:1: the file has no "tests", because it was created with --json-report-summary;'
    " create it without that option"
)
NO_OUTCOME = (
    '"sideways" is not a pytest outcome; use "passed", "failed", "error", "skipped" or "xfailed"'
)
NOT_WHOLE = "but the number of tests is 3; create the file again; one of the two is incomplete"


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path, {"created": "now", "duration": -1, "summary": []}) == [
        f"results.json:1: created: input should be a valid number; {FORMAT}",
        f"results.json:1: duration: input should be greater than or equal to 0; {FORMAT}",
        f"results.json:1: summary: {NO_RECORD}",
    ]


def test_a_summary_alone_is_refused(tmp_path: Path) -> None:
    made = document()
    del made["tests"]
    assert problems(tmp_path, made) == [NO_TESTS]


def test_every_fault_is_named(tmp_path: Path) -> None:
    made = document(
        {"nodeid": "", "outcome": "passed"},
        {"nodeid": NODE, "outcome": "sideways"},
        {"nodeid": NODE, "outcome": "failed", "call": {"duration": "long"}},
        summary={"total": 30},
    )
    assert [line.removeprefix("results.json:1: ") for line in problems(tmp_path, made)] == [
        f"summary.total is 30, {NOT_WHOLE}",
        f"tests[0].nodeid: string should have at least 1 character; {FORMAT}",
        f"tests[1].outcome: {NO_OUTCOME}",
        f"tests[2].call.duration: input should be a valid number; {FORMAT}",
    ]

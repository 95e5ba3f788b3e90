from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.ctrf import ctrf_status
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Environment, Evidence, Metric, Suite, TestEntry
from accelerator_reports.test_ids import parse_pytest_node_id
from tests.reports.ctrf_files import STATUSES, case_fields, document, problems, read


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
    assert read(tmp_path, made) == ImportResult(
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
    ("suite", "name", "expected"),
    [
        ([], "GET /v1/models", ("runner-x", "GET /v1/models")),
        ([], "loads[a.py::b]/conf.py", ("runner-x", "loads[a.py::b]/conf.py")),
        ([], "tests/test_a.py::test_b", ("runner-x", "tests.test_a::test_b")),
        ("Ops > TestX", "b", ("ops", "TestX::b")),
        ("Ops > TestX > b", "b", ("ops", "TestX::b")),
        ("Ops > a/b", "Ops > a/b", ("runner-x", "Ops > a/b")),  # a reporter of Vitest
    ],
)
def test_a_name_stays_as_it_is(
    tmp_path: Path, suite: object, name: str, expected: tuple[str, str]
) -> None:
    (test,) = read(tmp_path, document({"name": name, "status": "passed", "suite": suite})).tests
    assert (test.suite, test.name) == expected


def test_a_suite_may_be_one_text_and_a_person_may_name_it(tmp_path: Path) -> None:
    made = document(
        {"name": "a", "status": "passed", "suite": "My Suite"},
        {"name": "b", "status": "passed", "suite": ["ops", "TestX"]},
    )
    names = [(test.suite, test.name) for test in read(tmp_path, made).tests]
    assert names == [("my-suite", "a"), ("ops", "TestX::b")]
    names = [(test.suite, test.name) for test in read(tmp_path, made, ImportOptions("ops")).tests]
    assert names == [("ops", "My Suite::a"), ("ops", "TestX::b")]


@pytest.mark.parametrize("name", ["TestOpsCUDA::test_add_cuda_float16", "test_x[a-float16]"])
def test_a_node_id_of_pytest_is_the_whole_identity(tmp_path: Path, name: str) -> None:
    suites = ["tests/test_dev.py", *name.split("::")[:-1]]
    test = {"name": f"tests/test_dev.py::{name}", "status": "passed", "suite": suites}
    (found,) = read(tmp_path, document({**test, "parameters": {"a": 1}})).tests
    junit = parse_pytest_node_id(f"tests/test_dev.py::{name}")
    own = {} if "[" in name else {"a": 1}
    assert (found.suite, found.name) == ("runner-x", junit.name)
    assert found.parameters == {**junit.parameters, **own}


def test_an_export_of_this_project_is_read_as_it_is_unless_it_contradicts_itself(
    tmp_path: Path,
) -> None:
    test = {"name": "t[cpu]", "status": "failed", "suite": ["ops"], "extra": {"stage": "run"}}
    for outcome, expected in (("crashed", ("t[cpu]", "crashed")), ("passed", ("t[cpu]", "failed"))):
        test["extra"] = {"outcome": outcome}
        made = document(test, tool={"name": "accelerator-portal"})
        (found,) = read(tmp_path, made).tests
        assert (found.name, found.outcome) == expected


def test_a_text_that_is_not_unicode_costs_no_test(tmp_path: Path) -> None:
    found = case_fields(tmp_path, status="failed", message="log: \udcff", trace="\udcfe")
    assert (found["reason"], found["log_tail"]) == (r"log: \udcff", r"\udcfe")


def test_a_file_without_tests_names_its_tool(tmp_path: Path) -> None:
    assert read(tmp_path, document()) == ImportResult((Suite(name="runner-x", kind="unit"),), ())


FORMAT = "see the specification at ctrf.io"
A_RECORD = "input should be a valid dictionary or instance of"
TOO_SHORT = f"string should have at least 1 character; {FORMAT}"
NO_STATUS = f"input should be 'passed', 'failed', 'skipped', 'pending' or 'other'; {FORMAT}"


def test_what_is_no_ctrf_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path, {"reportFormat": "JSON", "results": {"tool": 1, "tests": {}}}) == [
        f"results.json:1: reportFormat: input should be 'CTRF'; {FORMAT}",
        f"results.json:1: results.summary: field required; {FORMAT}",
        f"results.json:1: results.tests: input should be a valid list; {FORMAT}",
        f"results.json:1: results.tool: {A_RECORD} Tool; {FORMAT}",
        f"results.json:1: specVersion: field required; {FORMAT}",
    ]


def test_a_test_with_two_statuses_is_refused(tmp_path: Path) -> None:
    text = json.dumps(document({"status": "passed"}))
    assert problems(tmp_path, text.replace('"status"', '"status": "failed", "status"')) == [
        'results.json:1: an object has the key "status" twice; create the file again'
    ]


def test_every_fault_is_named(tmp_path: Path) -> None:
    made = document(
        {"status": "passed", "name": ""},
        {"status": "passed", "duration": 1, "name": 1},
    )
    made["results"]["tests"] += [{"name": "a", "status": "xfail", "duration": 0}, 1]
    made["results"]["summary"] |= {"tests": 4}
    assert [line.removeprefix("results.json:1: ") for line in problems(tmp_path, made)] == [
        f"results.tests[0].name: {TOO_SHORT}",
        f"results.tests[1].name: input should be a valid string; {FORMAT}",
        f"results.tests[2].status: {NO_STATUS}",
        f"results.tests[3]: {A_RECORD} Test; {FORMAT}",
    ]


def test_a_test_with_errors_leaves_the_others(tmp_path: Path) -> None:
    made = document({"status": "passed", "duration": -1}, {"status": "passed"})
    made["results"]["tests"][1]["status"] = "xfail"
    found = read(tmp_path, made)
    assert [(test.outcome, test.duration_s) for test in found.tests] == [("passed", None)]
    assert found.entries == {"taken": 1, "with errors": 1}
    assert list(map(str, found.warnings)) == [
        (
            "results.json:1: results.tests[0].duration is not a number of milliseconds, 0 or more; "
            "use a number"
        ),
        f"results.json:1: results.tests[1].status: {NO_STATUS}",
    ]


def test_a_summary_that_contradicts_the_tests_is_refused(tmp_path: Path) -> None:
    made = document({"status": "passed"}, {"status": "failed"})
    made["results"]["summary"] |= {"tests": 1003, "passed": 1002}
    remedy = "create the file again; one of the two is incomplete"
    assert problems(tmp_path, made) == [
        f"results.json:1: results.summary.passed is 1,002, but results.tests has 1; {remedy}",
        f"results.json:1: results.summary.tests is 1,003, but results.tests has 2; {remedy}",
    ]


@pytest.mark.parametrize(
    ("test", "outcome", "raw"),
    [
        ({"status": "passed"}, "passed", None),
        ({"status": "passed", "rawStatus": "flaky"}, "passed", "flaky"),
        ({"status": "failed", "message": "ValueError"}, "failed", None),
        ({"status": "failed", "trace": "MemoryError"}, "out-of-memory", "failed"),
        ({"status": "failed", "rawStatus": "timedOut"}, "timed-out", "timedOut"),
        ({"status": "failed", "rawStatus": "error"}, "failed", "error"),
        ({"status": "other", "rawStatus": "error"}, "infrastructure-error", "error"),
        ({"status": "failed", "rawStatus": "setup_failed"}, "infrastructure-error", "setup_failed"),
        ({"status": "failed", "rawStatus": "wrong-result"}, "wrong-result", None),
        ({"status": "passed", "rawStatus": "wrong-result"}, "passed", "wrong-result"),
        ({"status": "skipped"}, "skipped", None),
        ({"status": "pending"}, "not-run", "pending"),
        ({"status": "other", "rawStatus": "xfailed"}, "skipped", "xfailed"),
        ({"status": "other", "rawStatus": "xpassed"}, "passed", "xpassed"),
        ({"status": "failed", "rawStatus": "xpassed"}, "failed", "xpassed"),
        ({"status": "failed", "rawStatus": "xfailed"}, "failed", "xfailed"),
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
    found = case_fields(tmp_path, **test)
    assert (found["outcome"], found.get("raw_status")) == (outcome, raw)


def test_what_was_left_out_has_a_reason(tmp_path: Path) -> None:
    nothing = "The file states no reason."
    assert case_fields(tmp_path, status="skipped")["reason"] == nothing
    assert case_fields(tmp_path, status="pending")["reason"] == nothing
    assert case_fields(tmp_path, status="skipped", message="slow")["reason"] == "slow"
    assert "reason" not in case_fields(tmp_path, status="passed")


def test_a_flaky_test_was_tried_again(tmp_path: Path) -> None:
    assert case_fields(tmp_path, status="passed", flaky=True)["metrics"] == {
        "retries": {"value": 1, "unit": "1"}
    }


def test_every_outcome_has_a_status() -> None:
    assert {ctrf_status(outcome) for outcome in OUTCOMES} == set(STATUSES)

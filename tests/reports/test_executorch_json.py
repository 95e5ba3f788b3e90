from __future__ import annotations

import datetime as dt
import time
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.executorch import read_executorch_json
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.report import Environment, TestEntry
from tests.reports.format_file import FormatFile, only

# As ExecuTorch 1.5.1 wrote it on 2026-11-21, without its log; the other tests are made up.
REAL = {
    "nodeid": "test_add.py::test_add_dtype[xnnpack_static_int8_per_channel-float32]",
    "lineno": 27,
    "outcome": "passed",
    "setup": {"duration": 0.0015, "outcome": "passed"},
    "call": {"duration": 4.25, "outcome": "passed"},
    "teardown": {"duration": 0.0005, "outcome": "passed"},
    "metadata": {
        "subtests": [
            {
                "Test ID": "test_add_dtype[xnnpack_static_int8_per_channel-float32]",
                "Test Case": "test_add_dtype",
                "Subtest": 0,
                "Flow": "xnnpack_static_int8_per_channel",
                "Result": "Pass",
                "Result Detail": "",
                "Error": "",
                "Delegated": "True",
                "Quantize Time (s)": "2.885",
                "Lower Time (s)": "1.282",
                "Output 0 Error Max": "0.000",
                "Output 0 Error MAE": "0.000",
                "Output 0 SNR": "inf",
                "Delegated Nodes": 7,
                "Undelegated Nodes": 0,
                "Delegated Ops": {"aten::add.Tensor": 1},
                "PTE Size (Kb)": "2.000",
            }
        ]
    },
}
ROW = {"Test Case": "test_a", "Flow": "xnnpack", "Result": "Pass", "Delegated": "True"}
SKIPPED = {**ROW, "Result": "Skip", "Subtest": "1"}
UNKNOWN = {**ROW, "Result": "Boom", "Subtest": "1"}
REMEDY = "use an unmodified file from ExecuTorch's suite"


def case(nodeid: str, outcome: str, *rows: object, **call: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "nodeid": nodeid,
        "outcome": outcome,
        "call": {"duration": 1.0, "outcome": outcome, **call},
        "metadata": {"subtests": list(rows)},
    }


FILE = FormatFile("report.json", read_executorch_json)


def document(*tests: object) -> dict[str, object]:
    return {
        "created": 1_772_359_260.0,
        "duration": 60.0,
        "exitcode": 1,
        "environment": {},
        "summary": {"total": len(tests)},
        "collectors": [{"nodeid": "x" * 70_000, "outcome": "passed"}],
        "tests": tests,
    }


def read(folder: Path, *tests: object, options: ImportOptions | None = None) -> ImportResult:
    return FILE.read(folder, document(*tests), options)


def test_a_test_that_executorch_wrote_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, REAL)
    assert only(found) == TestEntry.model_validate(
        {
            "suite": "executorch-operators",
            "name": "test_add_dtype",
            "parameters": {"recipe": "static_int8_per_channel", "dtype": "float32"},
            "outcome": "passed",
            "stage": "compare",
            "raw_status": "SUCCESS",
            "duration_s": 4.252,
            "metrics": {
                "quantize_time": {"value": 2.885, "unit": "s"},
                "lower_time": {"value": 1.282, "unit": "s"},
                "output_0_error_max": {"value": 0, "unit": "1"},
                "output_0_error_mae": {"value": 0, "unit": "1"},
                "delegated_nodes": {"value": 7, "unit": "1"},
                "undelegated_nodes": {"value": 0, "unit": "1"},
                "pte_size": {"value": 2, "unit": "kB"},
            },
        }
    )
    assert found.note == "Flows of ExecuTorch: xnnpack_static_int8_per_channel."
    assert found.started == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)


def test_the_format_is_known_by_what_stands_far_from_the_beginning(tmp_path: Path) -> None:
    read(tmp_path, REAL)
    assert detect_format(tmp_path / "report.json") == "executorch-json"


def test_a_pass_of_pytest_is_none_of_a_backend_that_took_nothing(tmp_path: Path) -> None:
    test = only(
        read(tmp_path, case("a.py::test_a[xnnpack]", "passed", {**ROW, "Delegated": "False"}))
    )
    assert (test.outcome, test.raw_status) == ("executed", "SUCCESS_UNDELEGATED")


def test_each_row_of_a_test_is_a_test(tmp_path: Path) -> None:
    rows = [{**ROW, "Subtest": n} for n in range(2)]
    found = read(tmp_path, case("a.py::test_a[xnnpack]", "passed", *rows))
    assert [dict(test.parameters) for test in found.tests] == [
        {"recipe": "plain"},
        {"recipe": "plain", "subtest": "1"},
    ]
    assert [test.duration_s for test in found.tests] == [None, None]


@pytest.mark.parametrize("rows", [[ROW], [ROW, SKIPPED], [ROW, UNKNOWN], [UNKNOWN]])
def test_a_test_over_its_limit_did_not_pass_although_no_row_failed(
    tmp_path: Path, rows: list[dict[str, str]]
) -> None:
    crash = {"path": "x", "lineno": 1, "message": "Failed: Timeout (>120.0s) from pytest-timeout."}
    found = read(tmp_path, case("a.py::test_a[xnnpack]", "failed", *rows, crash=crash))
    assert (found.tests[-1].outcome, found.tests[-1].stage) == ("timed-out", None)


def test_what_was_left_out_before_it_began_keeps_its_name_and_parameters(tmp_path: Path) -> None:
    skipped = case(
        "m/test_v.py::test_vit[xnnpack_static_int8-float32-dynamic_shapes]", "skipped",
        longrepr="('/x/test_v.py', 10, 'Skipped: made up')",
    )  # fmt: skip
    found = read(
        tmp_path, skipped, options=ImportOptions("executorch-models", {"mode": "inference"})
    )
    test = only(found)
    assert (test.suite, test.name, test.outcome, test.reason) == (
        "executorch-models", "test_vit", "skipped", "made up",
    )  # fmt: skip
    assert dict(test.parameters) == {
        "recipe": "static_int8", "dtype": "float32", "dynamic": True, "mode": "inference",
    }  # fmt: skip
    assert found.note == "Flows of ExecuTorch: xnnpack_static_int8."
    assert found.suites[0].kind == "model"


def test_a_module_that_cannot_be_collected_is_a_broken_test(tmp_path: Path) -> None:
    collectors = [{"nodeid": "ops/test_b.py", "outcome": "failed", "longrepr": "ImportError"}]
    found = FILE.read(tmp_path, {**document(REAL), "collectors": collectors})
    assert [(test.name, test.outcome) for test in found.tests] == [
        ("test_add_dtype", "passed"),
        ("ops.test_b", "test-broken"),
    ]


def stage(message: str, outcome: str = "failed") -> dict[str, Any]:
    return {"outcome": outcome, "duration": 0, "longrepr": message}


NO_ROWS = "The file does not state whether the backend executed the model."
OK = {"outcome": "passed", "duration": 0.5}
SKIP = "('/x/test_a.py', 10, 'Skipped: needs two cards')"
QUOTED = """('/x/test_a.py', 10, "Skipped: it's slow")"""


@pytest.mark.parametrize(
    ("test", "outcome", "raw", "reason"),
    [
        ({"outcome": "passed", "call": OK}, "executed", None, NO_ROWS),
        ({"outcome": "xpassed", "call": OK}, "executed", "xpassed", NO_ROWS),
        ({"outcome": "failed", "call": stage("ValueError")}, "failed", "failed", "ValueError"),
        ({"outcome": "failed"}, "failed", "failed", None),
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
        ({"outcome": "rerun", "call": OK}, "executed", "rerun", NO_ROWS),
        ({"outcome": "rerun", "call": stage("ValueError")}, "failed", "rerun", "ValueError"),
    ],
)
def test_an_outcome_says_what_happened(
    tmp_path: Path, test: dict[str, Any], outcome: str, raw: str | None, reason: str | None
) -> None:
    found = only(read(tmp_path, {"nodeid": "a.py::test_a[xnnpack]", **test}))
    assert (found.outcome, found.raw_status, found.reason) == (outcome, raw, reason)
    assert ("retries" in found.metrics) == (raw == "rerun")


def test_what_a_failed_test_printed_stands_where_no_traceback_does(tmp_path: Path) -> None:
    failed = case("a.py::test_a[xnnpack]", "failed", longrepr="ValueError", stdout="printed")
    assert only(read(tmp_path, failed)).log_tail == "printed"


def test_a_long_reason_of_a_skip_takes_little_time(tmp_path: Path) -> None:
    """It took 20 seconds when each of the first numbers was tried as the line number."""
    reason = "(" + "x, 1, '" * 140 + "a'" * 2_500_000
    started = time.monotonic()
    found = only(read(tmp_path, case("a.py::test_a[xnnpack]", "skipped", longrepr=reason)))
    assert found.outcome == "skipped"
    assert time.monotonic() - started < 10


def test_the_environment_is_what_pytest_states(tmp_path: Path) -> None:
    stated = {
        "Python": "3.12.1",
        "Platform": "Linux-6.1-aarch64-with-glibc2.36",
        "Packages": {"pytest": "9.0", "torch": "2.10.0", "odd": {"a": 1}},
        "Plugins": {"xdist": "3"},
    }
    assert FILE.read(
        tmp_path, {**document(REAL), "environment": stated}
    ).environment == Environment(
        torch="2.10.0",
        python="3.12.1",
        os="Linux-6.1-aarch64-with-glibc2.36",
        arch="aarch64",
        packages={"pytest": "9.0"},
    )


NOT_WHOLE = "but the number of tests is 1; create the file again; one of the two is incomplete"
NO_TESTS = (
    'report.json:1: the file has no "tests", because it was created with --json-report-summary;'
    " create it without that option"
)


def test_a_summary_that_contradicts_the_tests_is_refused(tmp_path: Path) -> None:
    assert FILE.problems(tmp_path, {**document(REAL), "summary": {"total": 30}}) == [
        f"report.json:1: summary.total is 30, {NOT_WHOLE}"
    ]


def test_a_summary_alone_is_refused(tmp_path: Path) -> None:
    assert FILE.problems(tmp_path, {**document(), "tests": None}) == [NO_TESTS]


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ({"nodeid": ""}, "tests[0] is not a test in pytest-json-report format"),
        (7, "tests[0] is not a test in pytest-json-report format"),
        (case("a", "passed", 7), "tests[0].metadata.subtests are not results in ExecuTorch format"),
        (
            case("a", "passed", {"Flow": "x"}),
            "tests[0].metadata.subtests are not results in ExecuTorch format",
        ),
        (
            case("a", "passed", {**ROW, "Flow": []}),
            "tests[0].metadata.subtests are not results in ExecuTorch format",
        ),
        (
            {**case("a", "passed"), "metadata": []},
            "tests[0].metadata.subtests are not results in ExecuTorch format",
        ),
        (case("a", "perhaps"), '"a": "perhaps" is not a pytest outcome'),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, test: object, message: str) -> None:
    assert FILE.problems(tmp_path, document(test)) == [f"report.json:1: {message}; {REMEDY}"]

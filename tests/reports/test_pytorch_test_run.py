from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.junit import read_junit
from accelerator_reports.formats.pytorch_test_run import read_pytorch_test_run
from tests.reports.format_file import FormatFile

# The structure is that of the uploaded files; tests and numbers are made up.
RUN = {"workflow_id": 11, "workflow_run_attempt": 1, "job_id": 22, "invoking_file": "test_torch"}
CASE = {"classname": "TestTorch", "name": "test_copy", "time": 0.25, "file": "test_torch.py", **RUN}
FAILURE = {"message": "AssertionError: no", "text": "Traceback\nAssertionError: no"}

XML = """\
<testsuites><testsuite name="pytest" tests="2" time="0.5">
<testcase classname="TestTorch" name="test_copy" time="0.25" file="test_torch.py"/>
<testcase classname="TestOpsCUDA" name="test_add_cuda_float32" time="0.25" file="nn/test_ops.py">
<rerun message="once">Traceback</rerun><failure message="AssertionError: no">Traceback</failure>
</testcase></testsuite></testsuites>
"""


FILE = FormatFile("run.json", read_pytorch_test_run)


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def read(tmp_path: Path, *records: object) -> ImportResult:
    return FILE.read(tmp_path, lines(*records))


@pytest.mark.parametrize("as_list", [False, True])
def test_cases_come_a_line_each_or_as_a_list(as_list: bool, tmp_path: Path) -> None:  # noqa: FBT001
    skipped = {**CASE, "name": "test_b", "skipped": {"type": "pytest.skip", "message": "Not here."}}
    found = FILE.read(tmp_path, [CASE, skipped] if as_list else lines(CASE, skipped))
    assert detect_format(tmp_path / FILE.name) == "pytorch-test-run"
    assert [(t.suite, t.name, t.outcome, t.reason) for t in found.tests] == [
        ("pytorch-tests", "test_torch.TestTorch::test_copy", "passed", None),
        ("pytorch-tests", "test_torch.TestTorch::test_b", "skipped", "Not here."),
    ]
    assert found.tests[0].duration_s == 0.25


@pytest.mark.parametrize("failure", [FAILURE, [FAILURE, FAILURE]])
def test_a_failure_has_its_message_traceback_and_retries(failure: object, tmp_path: Path) -> None:
    case = {**CASE, "failure": failure, "rerun": [{"message": "one"}, {"message": "two"}]}
    (test,) = read(tmp_path, case).tests
    assert (test.outcome, test.reason, test.log_tail) == (
        "failed", "AssertionError: no", "Traceback\nAssertionError: no"
    )  # fmt: skip
    assert test.metrics["retries"].value == 2


def test_the_name_of_a_device_is_no_part_of_a_test(tmp_path: Path) -> None:
    case = {**CASE, "classname": "TestOpsCUDA", "name": "test_add_cuda_float32"}
    on_cpu = {**CASE, "classname": "TestOpsCPU", "name": "test_add_cpu_float32",
              "failure": FAILURE}  # fmt: skip
    (test,) = read(tmp_path, on_cpu, case).tests
    assert (test.name, dict(test.parameters)) == (
        "test_torch.TestOps::test_add",
        {"dtype": "float32"},
    )
    assert test.outcome == "passed"


def test_several_jobs_are_told(tmp_path: Path) -> None:
    other = {**CASE, "name": "test_b", "job_id": 23}
    assert read(tmp_path, CASE, other).note == "Results of 2 jobs of PyTorch's CI."
    assert read(tmp_path, CASE).note is None


def test_the_same_tests_come_from_the_xml_of_the_same_ci(tmp_path: Path) -> None:
    file = tmp_path / "test_torch-0123.xml"
    file.write_text(XML, "utf-8")
    assert detect_format(file) == "junit"
    found = read_junit(file, ImportOptions("pytorch-tests"))
    assert [(t.name, dict(t.parameters), t.outcome) for t in found.tests] == [
        ("test_torch.TestTorch::test_copy", {}, "passed"),
        ("nn.test_ops.TestOps::test_add", {"dtype": "float32"}, "failed"),
    ]
    as_json = read(tmp_path, CASE).tests[0]
    assert (as_json.suite, as_json.name) == (found.tests[0].suite, found.tests[0].name)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({**RUN, "classname": "TestTorch", "tests": 5, "failures": 0},
         "the file has test counts but no test names; use a file of the collection test_run"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(record: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert FILE.problems(tmp_path, lines(CASE, record)) == [f"run.json:2: {words}"]


@pytest.mark.parametrize(
    ("record", "words", "count"),
    [
        ({**CASE, "name": "b", "time": "soon"}, 'time: "soon" is not a number of seconds', 2),
        ({**CASE, "name": "b", "time": float("nan")}, 'time: "nan" is not a number of seconds', 2),
        ({**CASE, "name": "", "classname": "", "file": ""}, "the test has no name; name it", 1),
        (3, "this is not a test case object", 1),
    ],
)
def test_what_is_wrong_with_one_test_leaves_the_others(
    record: object, words: str, count: int, tmp_path: Path
) -> None:
    found = read(tmp_path, CASE, record)
    (warning,) = map(str, found.warnings)
    assert warning.startswith(f"run.json:2: {words}")
    assert len(found.tests) == count


def test_invalid_json_is_named(tmp_path: Path) -> None:
    assert FILE.problems(tmp_path, lines(CASE) + "{")[0].startswith("run.json:2: invalid JSON")

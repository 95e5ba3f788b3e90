from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.onnx_scoreboard import read_onnx_scoreboard
from tests.reports.format_file import FormatFile

# The structure is that of the scoreboard's files; the tests are made up.
BOARD: dict[str, Any] = {
    "date": "07/02/2026 01:13:10",
    "failed": ["OnnxBackendNodeModelTest::test_a_cpu"],
    "passed": ["OnnxBackendNodeModelTest::test_b_cuda", "OnnxBackendNodeModelTest::test_cpu_c"],
    "skipped": ["OnnxBackendSimpleModelTest::test_d_cpu"],
}


FILE = FormatFile("report.json", read_onnx_scoreboard)


def test_each_name_has_its_outcome_and_no_device(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, BOARD)
    assert detect_format(tmp_path / FILE.name) == "onnx-scoreboard"
    assert [(t.suite, t.name, t.outcome, t.reason) for t in found.tests] == [
        ("onnx-backend", "OnnxBackendNodeModelTest::test_a", "failed", None),
        ("onnx-backend", "OnnxBackendNodeModelTest::test_b", "passed", None),
        ("onnx-backend", "OnnxBackendNodeModelTest::test_cpu_c", "passed", None),
        ("onnx-backend", "OnnxBackendSimpleModelTest::test_d", "skipped",
         "The file states no reason."),
    ]  # fmt: skip
    assert [(suite.name, suite.kind) for suite in found.suites] == [("onnx-backend", "operator")]


def test_its_date_is_read_as_utc_and_that_is_said(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, BOARD)
    assert found.started == dt.datetime(2026, 7, 2, 1, 13, 10, tzinfo=dt.timezone.utc)
    assert found.note == "The date in the file has no time zone. It is read as UTC."
    undated = FILE.read(tmp_path, {key: value for key, value in BOARD.items() if key != "date"})
    assert (undated.started, undated.note) == (None, None)


def test_a_person_names_the_suite(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, BOARD, ImportOptions("acme/onnx"))
    assert {test.suite for test in found.tests} == {"acme/onnx"}


def test_a_test_of_two_outcomes_failed_and_is_counted(tmp_path: Path) -> None:
    name = "OnnxBackendNodeModelTest::test_a_cpu"
    found = FILE.read(tmp_path, {**BOARD, "failed": [name], "passed": [name], "skipped": []})
    assert [test.outcome for test in found.tests] == ["failed"]
    assert found.entries == {"taken": 1, "listed more than once": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"date": "2026-07-02"},
         'report.json:1: date: "2026-07-02" is not a date and time; use a format like 07/02/2026 01:13:10'),
        ({"failed": "none"}, "report.json:1: failed: input should be a valid"),
        ({"passed": [1]}, "report.json:1: passed[0]: input should be a valid string"),
        ({"more": 1}, "report.json:1: more: extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_fault_is_named(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert FILE.problems(tmp_path, {**BOARD, **changes})[0].startswith(words)

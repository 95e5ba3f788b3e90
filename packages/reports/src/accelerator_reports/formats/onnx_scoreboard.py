"""Reads the results of ONNX's backend tests from the `report.json` of onnx/backend-scoreboard.

    {"date": "07/02/2026 01:13:10",
     "failed": ["OnnxBackendNodeModelTest::test_adam_cpu"],
     "passed": ["OnnxBackendNodeModelTest::test_abs_cpu"],
     "skipped": []}

The file is about one backend. It lists test names by outcome, without messages and software
versions. ONNX's runner appends its own word for the device to each name; this word is not part of a
test's identity. The date has no time zone; the scoreboard's CI runs in UTC.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    load_json,
)
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Suite
from accelerator_reports.test_ids import parse_pytest_node_id

_SUITE = "onnx-backend"
_DATE_FORMAT = "%m/%d/%Y %H:%M:%S"
_DEVICE_SUFFIX = re.compile(r"_(?:cpu|cuda)\Z")
_NOTE = "The date in the file has no time zone. It is read as UTC."

_TestNames = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1)], ...], Field(fail_fast=True)
]


class _Scoreboard(StrictModel):
    """The content of the file; `date` and `skipped` are optional."""

    date: str | None = None
    failed: _TestNames
    passed: _TestNames
    skipped: _TestNames = ()


def read_onnx_scoreboard(path: Path, options: ImportOptions) -> ImportResult:
    """Read a scoreboard's `report.json`. `options.suite` names the suite.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    suite = chosen_suite(path, options) or _SUITE
    board = parse_document(path, _Scoreboard, load_json(path, strict=False))
    started = _start_time(path, board.date)
    outcomes: Mapping[Outcome, tuple[str, ...]] = {
        "failed": board.failed,
        "passed": board.passed,
        "skipped": board.skipped,
    }
    imported = ImportedTests(path, options)
    for outcome, names in outcomes.items():
        for number, name in enumerate(names):
            _add_test(imported, suite, outcome, name, f"{outcome}[{number}]")
    suites = (Suite(name=suite, kind="operator"),)
    return imported.result(suites, started=started, note=_NOTE if started else None)


def _add_test(
    imported: ImportedTests, suite: str, outcome: Outcome, name: str, json_path: str
) -> None:
    parsed_id = parse_pytest_node_id(_DEVICE_SUFFIX.sub("", name))
    fields = {
        "suite": suite,
        "name": parsed_id.name,
        "parameters": dict(parsed_id.parameters),
        "outcome": outcome,
        "raw_status": outcome,
        "reason": failure_outcomes.NO_REASON if outcome == "skipped" else None,
    }
    imported.add(1, fields, place=json_path)


def _start_time(path: Path, date: str | None) -> dt.datetime | None:
    if date is None:
        return None
    try:
        return dt.datetime.strptime(date, _DATE_FORMAT).replace(tzinfo=dt.timezone.utc)
    except ValueError:
        what = f'date: "{date[:40]}" is not a date and time'
        raise file_error(path, 1, what, "use a format like 07/02/2026 01:13:10") from None

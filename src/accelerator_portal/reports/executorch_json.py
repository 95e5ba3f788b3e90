"""Reader for what ExecuTorch's backend test suite writes under pytest, with --json-report.

Its conftest.py puts into `metadata.subtests` of a test what its CSV has in a row, under the names
of the columns. A test without them never came so far: it was left out, or failed around the model.
A test may fail although all of its rows passed, by its limit in time: then it did not pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_portal.reports import pytest_json, pytest_json_model
from accelerator_portal.reports.executorch_csv import (
    BACKENDS,
    CsvRow,
    bracketed,
    note_of,
    recipe_of,
    row_fields,
    split_flow,
    suite_of,
)
from accelerator_portal.reports.imported_tests import ImportedTests
from accelerator_portal.reports.reading import ImportResult, Options

_NEEDED = ("Test Case", "Flow", "Result")
_EMPTY = {"Params": "", "Result Detail": "", "Delegated": "False"}
_REMEDY = "use an unmodified file from ExecuTorch's suite"


def read_executorch_json(path: Path, options: Options) -> ImportResult:
    """Read a result file; `options.suite` names the suite. Raises ProblemsError."""
    document, records = pytest_json.document_of(path)
    tests = ImportedTests(path, options)
    suite = suite_of(tests, options)
    flows: set[str] = set()
    for number, record in enumerate(records):
        try:
            test = pytest_json_model.Test.model_validate(record)
        except ValidationError:
            tests.fault(1, f"tests[{number}] is not a test in pytest-json-report format", _REMEDY)
            continue
        rows = _rows(record)
        if rows is None:
            what = f"tests[{number}].metadata.subtests are not results in ExecuTorch format"
            tests.fault(1, what, _REMEDY)
            continue
        flows |= {row["Flow"] for row in rows} or {_flow(test.nodeid)}
        for fields in _fields(test, rows, tests):
            tests.add(1, {"suite": suite.name, **fields})
    note = note_of(flows - {""}, tests)
    return pytest_json.found(document, suite, tests, note)


def _rows(record: Mapping[str, Any]) -> list[CsvRow] | None:
    """The rows of a test; None where they are not of the right form."""
    metadata = record.get("metadata", {})
    subtests = metadata.get("subtests", []) if isinstance(metadata, Mapping) else None
    if not isinstance(subtests, list):
        return None
    rows = []
    for subtest in subtests:
        if not isinstance(subtest, Mapping) or not all(name in subtest for name in _NEEDED):
            return None
        said = {k: v for k, v in subtest.items() if isinstance(v, str | int | float)}
        rows.append({**_EMPTY, **{name: str(value) for name, value in said.items()}})
    return rows if all(row.keys() >= {*_NEEDED} for row in rows) else None


def _fields(
    test: pytest_json_model.Test, rows: list[CsvRow], tests: ImportedTests
) -> list[dict[str, Any]]:
    verdict = pytest_json.verdict_of(test)
    if verdict is None:
        what = f'"{test.nodeid[:60]}": "{test.outcome[:40]}" is not a pytest outcome'
        tests.fault(1, what, _REMEDY)
        return []
    if not rows:
        return [{**_identity(test.nodeid), **verdict}]
    found = [fields for row in rows if (fields := row_fields(1, row, tests))]
    if len(rows) == 1 and found:
        found[0]["duration_s"] = verdict.get("duration_s")
    if (
        found
        and test.outcome in {"failed", "error"}
        and all(row["Result"] == "Pass" for row in rows)
    ):
        found[-1] |= verdict | {"stage": None}
    return found


def _identity(nodeid: str) -> dict[str, Any]:
    address, bracket, inside = nodeid.partition("[")
    test_id = f"{address.rpartition('::')[2]}{bracket}{inside}"
    flow = _flow(nodeid)
    parameters = {"recipe": recipe_of(flow)} if flow else {}
    return {
        "name": test_id.partition("[")[0],
        "parameters": parameters | bracketed(test_id, flow),
    }


def _flow(nodeid: str) -> str:
    """The part in brackets that begins with a backend; empty where none does."""
    parts = nodeid.partition("[")[2].removesuffix("]").split("-")
    return next((part for part in parts if split_flow(part)[0] in BACKENDS), "")

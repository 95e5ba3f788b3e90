"""Reading and writing the common test report format: JSON, one test a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports import bounds
from accelerator_portal.reports.reading import MAX_TESTS, read_bytes, refuse
from accelerator_portal.reports.report import SCHEMA_VERSION, Report

_MOST_SHOWN = 100
_JSON_PLACE = re.compile(r"(.*) at line (\d+) column (\d+)")


def report_text(report: Report) -> str:
    """Return the report as JSON; each test stands on a line of its own, so that diffs read well."""
    data = report.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    tests = data.pop("tests", [])
    head = json.dumps({**data, "schema_version": SCHEMA_VERSION}, indent=1, ensure_ascii=False)
    lines = ",\n".join(f"  {json.dumps(test, ensure_ascii=False)}" for test in tests)
    body = f"[\n{lines}\n ]" if lines else "[]"
    return f'{head.removesuffix("}").rstrip()},\n "tests": {body}\n}}\n'


def read_report(path: Path) -> Report:
    """Read a report of this version of the format.

    Raises ProblemsError with every fault of the file, by line where tests stand on lines.
    """
    data = read_bytes(path)
    try:
        report = Report.model_validate_json(data)
    except ValidationError as error:
        raise ProblemsError(_problems(path, data, error, _version(error))) from None
    if len(report.tests) > MAX_TESTS:
        what = f"the report has {len(report.tests):,} tests, more than {MAX_TESTS:,}"
        raise refuse(path, 1, what, "split it by suite")
    if found := list(bounds.faults(report)):
        raise ProblemsError(Problem(path.name, 1, *fault) for fault in found)
    return report


def _version(error: ValidationError) -> int | None:
    """The version that the report says, where it is not this one."""
    for detail in error.errors(include_url=False):
        if detail["loc"] == ("schema_version",) and isinstance(detail.get("input"), int):
            return int(detail["input"])
    return None


def _problems(
    path: Path, data: bytes, error: ValidationError, version: int | None
) -> Iterator[Problem]:
    if version is not None and version > SCHEMA_VERSION:
        what = f"the report has schema_version {version}, newer than {SCHEMA_VERSION}"
        yield Problem(path.name, 1, what, "use a newer portal, or write the older version")
        return
    first_test = _first_test(data)
    details = error.errors(include_url=False)
    for detail in details[:_MOST_SHOWN]:
        yield _problem(path, first_test, detail)
    if len(details) > _MOST_SHOWN:
        what = f"{len(details) - _MOST_SHOWN:,} more faults of this kind"
        yield Problem(path.name, 1, what, "mend those above first")


def _first_test(data: bytes) -> int | None:
    """The line of the first test, where each stands on a line of its own."""
    head, found, _ = data.partition(b'"tests": [\n')
    return head.count(b"\n") + 2 if found else None


def _problem(path: Path, first_test: int | None, detail: ErrorDetails) -> Problem:
    place = detail["loc"]
    if detail["type"] == "json_invalid":
        said = str(detail["ctx"]["error"])
        found = _JSON_PLACE.fullmatch(said)
        what = f"this is no JSON: {found[1] if found else said}"
        return Problem(path.name, int(found[2]) if found else 1, what, "write the file again")
    named = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    line = 1
    if first_test and len(place) > 1 and place[0] == "tests" and isinstance(place[1], int):
        line = first_test + place[1]
    words = detail["msg"][:1].lower() + detail["msg"][1:]
    what = f"{named.removeprefix('.') or 'the report'}: {words}"
    return Problem(path.name, line, what, "see the page of the report format")


def line_of_tests(path: Path) -> int | None:
    """Return the line of a report's first test, where each stands on a line of its own."""
    return _first_test(read_bytes(path))

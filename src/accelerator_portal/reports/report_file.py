"""Reading and writing the common test report format: JSON, one test a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports import bounds
from accelerator_portal.reports.reading import (
    MAX_REPORT_BYTES,
    MAX_TESTS,
    read_bytes,
    read_text,
    refuse,
)
from accelerator_portal.reports.report import SCHEMA_VERSION, Report, TestEntry
from accelerator_portal.reports.report_json import ReportJsonError, read_members

_MOST_SHOWN = 100


def report_text(report: Report) -> str:
    """Return the report as JSON; each test stands on a line of its own, so that diffs read well."""
    data = report.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    tests = data.pop("tests", [])
    head = json.dumps({**data, "schema_version": SCHEMA_VERSION}, indent=1, ensure_ascii=False)
    lines = ",\n".join(f"  {json.dumps(test, ensure_ascii=False)}" for test in tests)
    body = f"[\n{lines}\n ]" if lines else "[]"
    return f'{head.removesuffix("}").rstrip()},\n "tests": {body}\n}}\n'


def read_report(path: Path) -> Report:
    """Read a report.

    Raises ProblemsError with the first hundred faults of the file, each test's by its line.
    """
    found = _Faults(path)
    tests: list[TestEntry] = []

    def take(test: object, line: int) -> None:
        place = found.tests = found.tests + 1
        if place > MAX_TESTS:
            what = f"the report has more than {MAX_TESTS:,} tests"
            raise refuse(path, line, what, "split it by suite")
        try:
            tests.append(TestEntry.model_validate(test))
        except ValidationError as error:
            found.add(error, line, f"tests[{place - 1}]")

    try:
        head = read_members(read_text(path, MAX_REPORT_BYTES), take)
    except ReportJsonError as error:
        raise refuse(path, error.line, str(error), error.remedy) from None
    except _TooManyFaultsError:
        raise ProblemsError(found.problems) from None
    if not isinstance(head, dict):
        raise refuse(path, 1, "the report is not a JSON object", "use one JSON object")
    if newer := _newer_version(path, head):
        raise ProblemsError([newer])
    report = _head(found, head)
    if report is None or found.problems:
        raise ProblemsError(found.problems)
    report = report.model_copy(update={"tests": tuple(tests)})
    if wrong := list(bounds.faults(report)):
        raise ProblemsError(Problem(path.name, 1, *fault) for fault in wrong)
    return report


def _head(found: _Faults, head: Mapping[str, object]) -> Report | None:
    """The report without its tests."""
    suites = head.get("suites")
    if isinstance(suites, list) and len(suites) > bounds.MAX_SUITES:  # each may have many faults
        raise refuse(found.path, 1, *bounds.too_many_suites(len(suites)))
    try:
        return Report.model_validate(head)
    except ValidationError as error:
        with suppress(_TooManyFaultsError):
            found.add(error, 1)
        return None


def _newer_version(path: Path, head: Mapping[str, object]) -> Problem | None:
    version = head.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version <= SCHEMA_VERSION:
        return None
    what = f"the report has schema_version {str(version)[:20]}, newer than {SCHEMA_VERSION}"
    return Problem(path.name, 1, what, "update accelerator-portal, or use the older version")


class _TooManyFaultsError(Exception):
    """Enough faults are known; what follows is not read."""


class _Faults:
    """The faults of one file, up to the number that anybody reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.tests = 0

    def add(self, error: ValidationError, line: int, inside: str = "") -> None:
        """Add what pydantic says; raises _TooManyFaultsError."""
        for detail in error.errors(include_url=False):
            if len(self.problems) == _MOST_SHOWN:
                what = f"more than {_MOST_SHOWN} problems"
                self.problems.append(
                    Problem(self.path.name, line, what, "fix the problems above first")
                )
                raise _TooManyFaultsError
            self.problems.append(_problem(self.path, line, inside, detail))


def _first_test(data: bytes) -> int | None:
    """The line of the first test, where each stands on a line of its own."""
    head, found, _ = data.partition(b'"tests": [\n')
    return head.count(b"\n") + 2 if found else None


def _problem(path: Path, line: int, inside: str, detail: ErrorDetails) -> Problem:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    place = (inside + "".join(parts)).removeprefix(".")
    words = detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "model_type":
        words = "expected an object"
    what = f"{place or 'the report'}: {words}"
    return Problem(path.name, line, what, "see the report format page")


def line_of_tests(path: Path) -> int | None:
    """Return the line of a report's first test, where each stands on a line of its own."""
    return _first_test(read_bytes(path))

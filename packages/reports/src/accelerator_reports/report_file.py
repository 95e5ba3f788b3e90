"""Reads and writes files in the common test report format: JSON with one test per line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict

from pydantic import ValidationError

from accelerator_reports import report_check
from accelerator_reports.file_reading import (
    MAX_REPORT_BYTES,
    MAX_TESTS,
    file_error,
    finite_number,
    json_error_text,
    paused_garbage_collection,
    place_and_text,
    read_bytes,
    read_text,
    reject_nan_and_infinity,
)
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.report import SCHEMA_VERSION, Report, TestEntry, compact_test

MAX_MEMBERS = 2_000
"""The maximum number of keys of a JSON object in a report file. A valid report needs fewer: its
largest object, `packages`, has at most 1,000."""
MAX_ENTRY = 1024 * 1024
"""The maximum number of characters of the JSON of one test. Each text of a valid test has at most
4,000 characters."""
MAX_VALUE = 8 * 1024 * 1024
"""The maximum number of characters of a value outside `tests`. The longest valid value lists the
operators of 100 suites."""

_SPACES = " \t\n\r"
_SPACE = re.compile(rf"[{_SPACES}]*")

_MOST_SHOWN = 100


class _Shown(TypedDict):
    mode: Literal["json"]
    exclude_none: bool
    exclude_defaults: bool


def report_text(report: Report) -> str:
    """Return a report as JSON, with one test per line for readable diffs."""
    return b"".join(report_lines(report)).decode()


def report_lines(report: Report) -> Iterator[bytes]:
    """Yield the lines of `report_text` one by one: all tests together would need much memory."""
    shown: _Shown = {"mode": "json", "exclude_none": True, "exclude_defaults": True}
    data = report.model_dump(exclude={"tests"}, **shown)
    head = json.dumps({**data, "schema_version": SCHEMA_VERSION}, indent=1, ensure_ascii=False)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    yield f'{head.removesuffix("}").rstrip()},\n "tests": ['.encode()
    for number, test in enumerate(report.tests):
        yield f"{',' if number else ''}\n  {encode(test.model_dump(**shown))}".encode()
    yield b"\n ]\n}\n" if report.tests else b"]\n}\n"


@paused_garbage_collection()
def read_report(path: Path) -> Report:
    """Read a report file.

    Raises ProblemsError with up to a hundred problems if the file is invalid. Each problem of a
    test names the line of the test.
    """
    problems: list[Problem] = []
    tests: list[TestEntry] = []

    def add_test(index: int, line: int, test: object) -> None:
        if index == MAX_TESTS:
            what = f"the report has more than {MAX_TESTS:,} tests"
            raise file_error(path, line, what, "split it by suite")
        try:
            tests.append(compact_test(test))
        except ValidationError as error:
            _add_schema_problems(problems, path, line, f"tests[{index}]", error)

    head = _JsonReader(path, read_text(path, MAX_REPORT_BYTES), add_test).value()
    if not isinstance(head, dict):
        raise file_error(path, 1, "the report is not a JSON object", "use one JSON object")
    version = head.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        what = f"the report has schema_version {str(version)[:20]}, newer than {SCHEMA_VERSION}"
        raise file_error(path, 1, what, "update accelerator-portal, or use the older version")
    suites = head.get("suites")  # each may have many faults
    if isinstance(suites, list) and len(suites) > report_check.MAX_SUITES:
        raise file_error(path, 1, *report_check.too_many_suites_fault(len(suites)))
    try:
        report = Report.model_validate(head).model_copy(update={"tests": tuple(tests)})
    except ValidationError as error:
        _add_schema_problems(problems, path, 1, "", error)
        raise ProblemsError(problems) from None
    if problems:
        raise ProblemsError(problems)
    if limit_faults := list(report_check.site_limit_faults(report)):
        raise ProblemsError(Problem(path.name, 1, *fault) for fault in limit_faults)
    return report


def _add_schema_problems(
    problems: list[Problem], path: Path, line: int, place: str, error: ValidationError
) -> None:
    """Add pydantic's errors to `problems`; `place` names the invalid part, such as `tests[3]`.

    Raises ProblemsError with the problems if there are more than `_MOST_SHOWN`.
    """
    for detail in error.errors(include_url=False):
        if len(problems) == _MOST_SHOWN:
            what = f"more than {_MOST_SHOWN} problems"
            last_problem = Problem(path.name, line, what, "fix the problems above first")
            raise ProblemsError([*problems, last_problem]) from None
        field_path, error_text = place_and_text(place, detail)
        if detail["type"] == "model_type":
            error_text = "expected an object"
        what = f"{field_path or 'the report'}: {error_text}"
        problems.append(Problem(path.name, line, what, "see the report format page"))


def first_test_line(path: Path) -> int | None:
    """Return the line number of a report's first test.

    None if the file does not have one line per test.
    """
    head, separator, _ = read_bytes(path).partition(b'"tests": [\n')
    return head.count(b"\n") + 2 if separator else None


class _JsonReader:
    """Reads a report's JSON piece by piece, so that no file takes much memory or time.

    The tests are passed to `take_test` one by one, each with its index and its line. The function
    can raise an error to stop the reader.
    """

    def __init__(
        self, path: Path, text: str, take_test: Callable[[int, int, object], None]
    ) -> None:
        self._path = path
        self._text = text
        self._take_test = take_test
        self._position = 0
        self._line, self._line_position = 1, 0
        self._repeated_keys: list[str] = []
        self._decoder = json.JSONDecoder(
            # A method of this object would keep all tests in memory until Python finds the cycle.
            object_pairs_hook=partial(_object_from_pairs, self._repeated_keys),
            parse_constant=reject_nan_and_infinity,
            parse_float=finite_number,
        )

    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the value of the JSON text, with an empty list `tests`.

        The tests are passed to `take_test` instead. Raises ProblemsError if the JSON is invalid or
        exceeds a limit.
        """
        json_value: Any = (
            self._read_members() if self._next_character() == "{" else self._decode_value(MAX_VALUE)
        )
        if self._next_character():
            raise self._error_here("invalid JSON: extra data")
        return json_value

    def _read_members(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for _ in self._iterate_items("}"):
            if self._next_character() != '"':
                raise self._error_here("invalid JSON: expecting property name in double quotes")
            key = self._decode_value(MAX_ENTRY)
            if self._next_character() != ":":
                raise self._error_here("invalid JSON: expecting :")
            self._position += 1
            if key in members:
                raise self._error_here(
                    f'the key "{key[:60]}" is listed twice', "remove one of the two"
                )
            if len(members) >= MAX_MEMBERS:
                raise self._error_here(f"more than {MAX_MEMBERS:,} keys in one object")
            if key == "tests" and self._next_character() == "[":
                for index, _ in enumerate(self._iterate_items("]")):
                    line = self._current_line()
                    self._take_test(index, line, self._decode_value(MAX_ENTRY))
                members[key] = ()
            else:
                members[key] = self._decode_value(MAX_VALUE)
        return members

    def _iterate_items(self, end: str) -> Iterator[None]:
        """Iterate over an object or list that ends with the character `end`.

        In each iteration, the current position is at an item, and the caller must read this item.
        Raises ProblemsError if neither a comma nor `end` follows the item.
        """
        self._position += 1
        character = self._next_character()
        while character != end:
            yield
            character = self._next_character()
            if character not in {",", end}:
                raise self._error_here(f"invalid JSON: expecting , or {end}")
            if character == ",":
                self._position += 1
                self._next_character()
        self._position += 1

    def _next_character(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        character = self._text[self._position : self._position + 1]
        if character not in _SPACES:
            return character
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        return self._text[self._position : self._position + 1]

    def _decode_value(self, limit: int) -> Any:  # noqa: ANN401 - any JSON
        start = self._position
        if self._next_character() == "":
            raise self._error_here("invalid JSON: the file ends too early")
        try:
            json_value, self._position = self._decoder.raw_decode(self._text, self._position)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                self._position = error.pos
            raise self._error_here(f"invalid JSON: {json_error_text(error)}") from None
        if self._position - start > limit:
            what = f"one value has {self._position - start:,} characters, more than {limit:,}"
            self._position = start
            raise self._error_here(what, "shorten its texts and lists")
        if self._repeated_keys:
            self._position = start
            raise self._error_here(
                f'the key "{self._repeated_keys[0][:60]}" is listed twice', "remove one"
            )
        return json_value

    def _current_line(self) -> int:
        self._line += self._text.count("\n", self._line_position, self._position)
        self._line_position = self._position
        return self._line

    def _error_here(self, what: str, remedy: str = "create the file again") -> ProblemsError:
        column = self._position - self._text.rfind("\n", 0, self._position)
        what = what.replace("invalid JSON:", f"invalid JSON in column {column}:", 1)
        return file_error(self._path, self._text.count("\n", 0, self._position) + 1, what, remedy)


def _object_from_pairs(repeated_keys: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, and add the keys that it has twice to `repeated_keys`."""
    if len(pairs) > MAX_MEMBERS:
        raise ValueError(f"an object has {len(pairs):,} keys, more than {MAX_MEMBERS:,}")
    members = dict(pairs)
    if len(members) < len(pairs):
        numbers = Counter(key for key, _ in pairs)
        repeated_keys += [key for key, number in numbers.items() if number > 1]
    return members

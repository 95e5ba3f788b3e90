"""Reads and parses text, JSON and Python files within limits, for the readers of all formats."""

from __future__ import annotations

import ast
import csv
import datetime as dt
import gc
import json
import math
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from pydantic_core import ErrorDetails

from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.report import Environment, Suite, TestEntry
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH, shortened_text

# Other formats need more bytes, and are read only on the machine of the person who imports them.
MAX_BYTES = 128 * 1024 * 1024

# A report of 100,000 tests has about 30 MB. Reading one takes up to 25 times its size in memory,
# and a folder may take 1 GB.
MAX_REPORT_BYTES = 36 * 1024 * 1024
MAX_TESTS = 100_000

# A line of results has some hundred characters, and messages beside it some thousand.
MAX_LINE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The test results and facts that a reader found in a file of another format.

    A fact that the file lacks is None or empty.
    """

    suites: tuple[Suite, ...]
    tests: tuple[TestEntry, ...]
    environment: Environment = field(default_factory=Environment)
    started: dt.datetime | None = None
    finished: dt.datetime | None = None
    note: str | None = None
    entries: Mapping[str, int] = field(default_factory=dict)
    """How many entries of the file became tests, with the key `READ_AS_TEST` ("taken"), and how
    many were left out, with the reason as key: `{"taken": 75, "without a board": 2}`."""
    warnings: tuple[Problem, ...] = ()
    """The problems because of which entries or values were left out."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user states about the tests of an imported file.

    These are the name of their suite, parameters that all of them have, and the accelerator.
    """

    suite: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    accelerator: str = ""
    full_suite_name: Callable[[str], str] = str
    """Returns the name that a suite of the file gets in the report."""


Reader = Callable[[Path, ImportOptions], ImportResult]

READ_AS_TEST = "taken"
_COUNTS_PREFIX = "Entries read: "


def with_entry_counts(note: str | None, entries: Mapping[str, int]) -> str | None:
    """Return a report's note with the counts in `entries` at its end.

    `entries` is `ImportResult.entries`. The end of the note is, for example:
    `Entries read: 77. Taken: 75. Left out: 2 without a board.` If the note already ends with such
    counts, they are replaced. If `entries` is empty, the note is returned unchanged.
    """
    if not entries:
        return note
    left_out = sorted((-number, why) for why, number in entries.items() if why != READ_AS_TEST)
    reasons = ", ".join(f"{-number:,} {why}" for number, why in left_out)
    counts = f"{_COUNTS_PREFIX}{sum(entries.values()):,}. Taken: {entries.get(READ_AS_TEST, 0):,}."
    if reasons:
        counts = f"{counts} Left out: {reasons}."
    text = (note or "").partition(_COUNTS_PREFIX)[0]
    return f"{shortened_text(text, MAX_TEXT_LENGTH - len(counts) - 1) or ''} {counts}".lstrip()


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pause Python's search for unreachable objects while a `with` block or a function runs.

    All objects that are read from a file are in use. To search 100,000 tests again and again takes
    a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def file_error(path: Path, line: int, what: str, remedy: str) -> ProblemsError:
    """Return the error with which a reader rejects a file.

    `what` is what is wrong, and `remedy` is the fix. The error names the file without its folder.
    """
    return ProblemsError([Problem(path.name, line, what, remedy)])


def parse_python(path: Path, remedy: str) -> ast.Module:
    """Return the syntax tree of a Python file, which is never run.

    Raises ProblemsError if the file cannot be read or is not valid Python. `remedy` is how to fix
    invalid Python.
    """
    try:
        return ast.parse(read_text(path))
    except SyntaxError as error:
        raise file_error(path, error.lineno or 1, f"invalid Python: {error.msg}", remedy) from None
    except (ValueError, RecursionError, MemoryError):
        raise file_error(path, 1, "invalid Python", remedy) from None


def dotted_name(node: ast.expr) -> str:
    """Return the dotted name that a Python expression consists of: `pytest.mark.skipif`.

    If it begins with another expression, only the names after it are returned: `a.b` for `x().a.b`.
    """
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.append(node.id)
    return ".".join(reversed(names))


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a file of at most `limit` bytes, by default `MAX_BYTES`.

    Raises ProblemsError if the file is larger or cannot be read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise file_error(path, 1, "this is not a regular file", "use a regular file")
        if status.st_size > limit:
            size = f"{status.st_size / 1024**2:,.0f} MiB"
            what = f"the file has {size}, more than {limit // 1024**2}"
            raise file_error(path, 1, what, "split it by suite")
        return path.read_bytes()
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        raise file_error(path, 1, what, "use a regular file that you can read") from None


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """Return the text of a UTF-8 file of at most `limit` bytes, by default `MAX_BYTES`.

    Raises ProblemsError if the file is larger, cannot be read or is not UTF-8.
    """
    data = read_bytes(path, limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise file_error(path, line, what, "save the file as UTF-8") from None


def lines_of(path: Path, text: str) -> Iterator[str]:
    """Yield each line of a text with its line end, without copying the text.

    Raises ProblemsError if a line has more than `MAX_LINE` characters.
    """
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        if end - start > MAX_LINE:
            what = f"the line has {end - start:,} characters, more than {MAX_LINE:,}"
            raise file_error(path, number, what, "create the file again with one result per line")
        yield text[start:end]
        start, number = end, number + 1


_CSV_VALUE = r'(?:"(?:[^"]|"")*"|[^",\r\n]*)'
_CSV_RECORD = re.compile(rf"{_CSV_VALUE}(?:,{_CSV_VALUE})*[\r\n]*")


def csv_records(
    path: Path, lines: Iterable[str], first_line: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record in lines of CSV: the number of its first line, and its cells.

    `first_line` is the number of the first line in the file. Raises ProblemsError if a quotation
    mark is missing or in the wrong place.
    """
    record_lines: list[str] = []

    def read_lines() -> Iterator[str]:
        for line in lines:
            record_lines.append(line)
            yield line

    try:
        for cells in csv.reader(read_lines(), strict=True):
            if not _CSV_RECORD.fullmatch("".join(record_lines)):  # Python accepts `a"b`
                what = "a value without quotes around it contains a quotation mark"
                raise csv.Error(what)  # noqa: TRY301 - the message below says where
            yield first_line, cells
            first_line += len(record_lines)
            record_lines.clear()
    except csv.Error as error:
        raise file_error(
            path, first_line, f"invalid CSV: {error}", "create the file again"
        ) from None


def place_and_text(place: str, detail: ErrorDetails) -> tuple[str, str]:
    """Return the place of an error that pydantic found, such as `tests[3].name`, and its message.

    `place` names the validated part of the file, such as `tests[3]`; it is empty for the whole
    file.
    """
    # pydantic adds "[key]" if the key itself is invalid.
    parts = (part for part in detail["loc"] if part != "[key]")
    inner_place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    text = detail["msg"][:1].lower() + detail["msg"][1:]
    return f"{place}{inner_place}".removeprefix("."), text


def load_json(path: Path, *, strict: bool = True) -> Any:  # noqa: ANN401 - any JSON
    """Return the value in a JSON file. Raises ProblemsError if it is invalid or unreadable.

    If `strict` is false, NaN and infinity are read: Python writes them, and one such value must not
    prevent reading the other results.
    """
    return parse_json_in_file(path, read_text(path), "create the file again", strict=strict)


def parse_json_in_file(
    path: Path, text: str, remedy: str, line: int | None = None, *, strict: bool = True
) -> Any:  # noqa: ANN401
    """Return the value of `text`, which is the JSON of the whole file or of one of its lines.

    `line` is the number of that line, or None for the whole file. Raises ProblemsError if the JSON
    is invalid; `remedy` is how to fix it. If `strict` is false, NaN and infinity are read.
    """
    try:
        return parse_json(text, strict=strict)
    except json.JSONDecodeError as error:
        what = f"invalid JSON in column {error.colno}: {json_error_text(error)}"
        raise file_error(path, line or error.lineno, what, remedy) from None
    except ValueError as error:
        raise file_error(path, line or 1, str(error), remedy) from None


def json_error_text(error: ValueError | RecursionError) -> str:
    """Return a short text for an error of Python's JSON decoder: `a number has too many digits`."""
    if isinstance(error, RecursionError):
        return "the values are nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return error.msg[:1].lower() + error.msg[1:]
    # Python reads no integer of more than 4,300 digits.
    return "a number has too many digits" if "digits" in str(error) else str(error)


def parse_json(text: str, *, strict: bool = True) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a JSON text.

    Raises JSONDecodeError, which states a position, for invalid JSON. Raises ValueError for values
    nested too deeply and, if `strict` is true, for NaN, infinity and numbers that are too large. If
    it is false, raises ValueError for a key that an object has twice.
    """
    try:
        if not strict:
            return json.loads(text, object_pairs_hook=_object_of_different_keys)
        return json.loads(text, parse_constant=reject_nan_and_infinity, parse_float=finite_number)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(json_error_text(error)) from None


def _object_of_different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated_key = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f'an object has the key "{repeated_key[:60]}" twice')
    return data


def reject_nan_and_infinity(word: str) -> NoReturn:
    """Raise ValueError for NaN and infinity, which JSON does not allow."""
    raise ValueError(f"{word} is not a valid JSON number")


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a JSON value is a number other than NaN and infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max  # an integer in JSON can be too large for a float


def finite_number(word: str) -> float:
    """Return the number in a JSON text. Raises ValueError if it is too large for a float."""
    value = float(word)
    if math.isinf(value):
        raise ValueError(f"{word[:30]} is too large for a number")
    return value

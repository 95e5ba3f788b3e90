"""Collects the tests and faults that a reader finds in a file of another report format."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from accelerator_reports.file_reading import (
    MAX_TESTS,
    ImportOptions,
    file_error,
    place_and_text,
    read_text,
)
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.text_file import HIDDEN_CHARACTER, escape_sequence
from accelerator_reports.files.yaml_file import YamlFile, parse_yaml
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Environment, TestEntry
from accelerator_reports.test_ids import valid_suite_name
from accelerator_reports.test_keys import Identity, identity_of

_MOST_SHOWN = 100
_MOST_COUNTED = 10_000
_REMEDY = "see the report format page"

# Devices that are not the accelerator: the host's CPU, and PyTorch's device without data.
_NOT_THE_ACCELERATOR = frozenset({"cpu", "meta"})

ModelT = TypeVar("ModelT", bound=BaseModel)


class _Entry(NamedTuple):
    line: int
    device_kind: str | None
    test: TestEntry


class ImportedTests:
    """Collects the tests and the faults of one file while a reader reads it.

    The first 100 faults are stored. Faults after them are only counted.

    If `may_repeat` is false, a second result of the same test is a fault. If it is true, only one
    of the results is kept. A result on the accelerator takes precedence over a result on the CPU or
    on the device `meta`. Otherwise, the result with the lower `merge_rank` is kept: for example,
    the failure if a test passes and its teardown fails.

    `entries` counts the entries of the file. The key is `READ_AS_TEST` for entries that the reader
    read as tests, and the reason for entries that it skipped.
    """

    def __init__(self, path: Path, options: ImportOptions, *, may_repeat: bool = False) -> None:
        self._path = path
        self._options = options
        self._may_repeat = may_repeat
        self._entries: dict[Identity, _Entry] = {}
        self._problems: list[Problem] = []
        self._unlisted_faults = 0
        self.entries: Counter[str] = Counter()

    def record_fault(self, line: int, what: str, remedy: str) -> None:
        """Record a fault of a line: `what` is wrong, and `remedy` says how to fix it.

        Raises ProblemsError after 10,100 faults: the file is probably not in this format.
        """
        if len(self._problems) < _MOST_SHOWN:
            self._problems.append(Problem(self._path.name, line, what, remedy))
            return
        self._unlisted_faults += 1
        if self._unlisted_faults == _MOST_COUNTED:
            raise self._faults_error()

    def parse_record(
        self, model: type[ModelT], record: object, place: str, line: int = 1
    ) -> ModelT | None:
        """Return `record`, a part of the file's data such as a JSON object, as a `model`.

        If it is invalid, return None and record each error as a fault. `place` and `line` say where
        the record is in the file; `place` is, for example, `results.tests[3]`.
        """
        try:
            return model.model_validate(record)
        except ValidationError as error:
            for what in _validation_faults(place, error):
                self.record_fault(line, what, _REMEDY)
            return None

    def environment(self, facts: Mapping[str, Any], place: str) -> Environment:
        """Return the environment of the tests; `facts` maps fields of `Environment` to values.

        If a value is invalid, return an empty environment and record faults that name `place`.
        """
        return self.parse_record(Environment, facts, place) or Environment()

    def cells_by_column(
        self, line: int, columns: Sequence[str], row: Sequence[str]
    ) -> dict[str, str] | None:
        """Return the cells of a row by column.

        If there are more or fewer cells than columns, return None and record a fault.
        """
        if len(row) == len(columns):
            return dict(zip(columns, row, strict=True))
        what = f"the row has {len(row)} values, the header has {len(columns)}"
        self.record_fault(line, what, "use one value per column")
        return None

    def parse_number(
        self, line: int, column: str, cell: str, *, may_be_infinite: bool = False
    ) -> float | None:
        """Return the number in a cell; None for infinity, NaN and any other text.

        Text that is not a number is recorded as a fault of the line, also an empty text. Infinity
        and NaN are recorded as faults unless `may_be_infinite` is true.
        """
        try:
            value = float(cell)
        except ValueError:
            value, may_be_infinite = math.nan, False
        if math.isfinite(value):
            return value
        if not may_be_infinite:
            self.record_fault(line, f'{column}: "{cell[:60]}" is not a number', "use a number")
        return None

    def add(
        self, line: int, fields: Mapping[str, Any], *, place: str = "", device: str | None = None
    ) -> None:
        """Add a test with these `TestEntry` fields, or record faults if they are invalid.

        The test also gets the parameters in `options.parameters`. If `fields` states the same
        parameter, the value in `fields` counts. Hidden characters in the name and the parameters
        are written as escape sequences, because test frameworks allow them. `place` names the test
        in a fault. `device` is the device that was part of the test's name in the file, or None.
        Raises ProblemsError if the file has more tests than a report may have.
        """
        parameters = fields.get("parameters", {})
        if isinstance(parameters, Mapping):  # otherwise a fault
            visible_parameters = {name: _visible(value) for name, value in parameters.items()}
            parameters = {**self._options.parameters, **visible_parameters}
        fields = {**fields, "parameters": parameters}
        if "name" in fields:
            fields["name"] = _visible(fields["name"])
        test = self.parse_record(TestEntry, fields, place, line)
        if test is None:
            return
        device_kind = device.partition(":")[0] if device else None  # without a number: `cpu:0`
        new_entry, identity = _Entry(line, device_kind, test), identity_of(test)
        old_entry = self._entries.get(identity)
        if old_entry and not self._may_repeat:
            what = f'"{test.name}" is listed twice with the same parameters'
            what = f"{what}, first in line {old_entry.line}"
            self.record_fault(line, what, "remove one of the two")
        elif old_entry is None or _is_preferred(new_entry, old_entry):
            self._entries[identity] = new_entry
        if len(self._entries) > MAX_TESTS:
            self.record_fault(
                line, f"the file has more than {MAX_TESTS:,} tests", "split it by suite"
            )
            raise self._faults_error()

    def checked_tests(self) -> tuple[TestEntry, ...]:
        """Return the tests. Raises ProblemsError with the recorded faults, if there are any."""
        if self._problems:
            raise self._faults_error()
        return tuple(entry.test for entry in self._entries.values())

    def _faults_error(self) -> ProblemsError:
        problems = list(self._problems)
        if self._unlisted_faults:
            unread_text = (
                ". The rest of the file was not read"
                if self._unlisted_faults == _MOST_COUNTED
                else ""
            )
            what = f"{self._unlisted_faults:,} more problems{unread_text}"
            problems.append(Problem(self._path.name, 1, what, "fix the problems above first"))
        return ProblemsError(problems)


def parse_document(path: Path, model: type[ModelT], data: object) -> ModelT:
    """Return `data`, the parsed content of a file, as a `model`.

    Raises ProblemsError if the content is invalid.

    A model should declare its tests as `list[Any]`. `ImportedTests` can then validate them one by
    one and record a fault for each invalid test.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = (Problem(path.name, 1, what, _REMEDY) for what in _validation_faults("", error))
        raise ProblemsError(faults) from None


def read_yaml(path: Path) -> YamlFile:
    """Return a parsed YAML file that knows its line numbers.

    Raises ProblemsError if the file cannot be read or is not valid YAML.
    """
    file, problems = parse_yaml(path.name, read_text(path))
    if file is None or problems:
        raise ProblemsError(problems)
    return file


def chosen_suite(path: Path, options: ImportOptions) -> str | None:
    """Return the suite that the user named, or None. Raises ProblemsError if it is invalid."""
    if options.suite and valid_suite_name(options.suite) != options.suite:
        what = f'"{options.suite[:60]}" is not a valid suite name'
        valid_name = valid_suite_name(options.suite)
        raise file_error(
            path, 1, what, f'write "{valid_name}"' if valid_name else "use lowercase letters"
        )
    return options.suite or None


def _visible(value: object) -> object:
    """Return a text with escape sequences instead of hidden characters; other values unchanged."""
    if not isinstance(value, str):
        return value
    return HIDDEN_CHARACTER.sub(lambda found: escape_sequence(found[0]), value)


def _is_preferred(new_entry: _Entry, old_entry: _Entry) -> bool:
    """Return whether `new_entry` replaces `old_entry`, an earlier result of the same test."""
    is_old_on_host = old_entry.device_kind in _NOT_THE_ACCELERATOR
    if is_old_on_host != (new_entry.device_kind in _NOT_THE_ACCELERATOR):
        return is_old_on_host
    return OUTCOMES[new_entry.test.outcome].merge_rank < OUTCOMES[old_entry.test.outcome].merge_rank


def _validation_faults(place: str, error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        field_path, error_text = place_and_text(place, detail)
        yield f"{field_path or 'the file'}: {error_text}"

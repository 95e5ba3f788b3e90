"""Reads a baseline from CSV files of PyTorch's dynamo benchmarks: which models CI expects to pass.

The files are in `benchmarks/dynamo/ci_expected_accuracy/` of PyTorch and in
`.github/ci_expected_accuracy/` of torch-xpu-ops. The folder's name states the hardware; the file's
name states how the models are run:

    [cpu_][dynamic_]…inductor[_freezing]…_{torchbench|huggingface|timm|timm_models}_{mode}.csv

The file has one row per model, in one of two forms. PyTorch's columns are `name`, `accuracy` (a
status such as `pass`) and counts, which differ from file to file (`graph_breaks`, `recompiles`, …)
and become metrics. This form does not state the data type, so the parameter `dtype` is absent.
torch-xpu-ops has one column with a status for each data type; an empty cell produces no test.
Blank lines have no meaning: they prevent merge conflicts between two changes.

The URLs in comment lines above a row are known issues of that row. The first URL becomes the known
issue of a test, the others become its evidence. If a test of the row does not pass, only the tests
that do not pass get the URLs. If all tests of the row pass, the known issues are out of date, and
all tests get the URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    csv_records,
    file_error,
    lines_of,
    read_text,
)
from accelerator_reports.files.problem import did_you_mean
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.formats.statuses import dynamo_meaning
from accelerator_reports.outcomes import GOOD
from accelerator_reports.report import Scalar, Suite

DTYPES = frozenset({"float32", "bfloat16", "float16", "amp", "amp_bf16", "amp_fp16", "float64"})

# Parameters by word of the file name. `cpu` is hardware, which is not a parameter.
_PARAMETERS_BY_WORD: dict[str, dict[str, Scalar]] = {
    "cpu": {},
    "dynamic": {"dynamic": True},
    "freezing": {"freezing": True},
    "amp": {"dtype": "amp"},
    "max_autotune": {"max_autotune": True},
    "inductor": {"compiler": "inductor"},
    "aot_inductor": {"compiler": "aot_inductor"},
    "aot_eager": {"compiler": "aot_eager"},
    "dynamo_eager": {"compiler": "dynamo_eager"},
}
_WORD_PATTERN = "|".join(sorted(_PARAMETERS_BY_WORD, key=len, reverse=True))
_FILE_NAME_PATTERN = re.compile(
    rf"(?P<words>(?:(?:{_WORD_PATTERN})_)+)(?P<suite>torchbench|huggingface|timm)(?:_models)?"
    r"_(?P<mode>inference|training)\.csv"
)
_FILE_NAME_REMEDY = 'use a name like "inductor_torchbench_inference.csv", or pass --suite'
_ADDRESS = re.compile(r"https://[\w.-]+(?:/[\w./?#=&%-]{0,400})?")
_MOST_ADDRESSES = 20
_MOST_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: list[str]
    addresses: tuple[str, ...]


def read_dynamo_csv(path: Path, options: ImportOptions) -> ImportResult:
    """Read an accuracy file, in the form of PyTorch or of torch-xpu-ops.

    `options.suite` overrides the suite in the file name, and then any file name is accepted.
    Parameters that the file states override `options.parameters`. Raises ProblemsError if the
    file name, the suite name or the content is invalid.
    """
    name, parameters = _suite_and_parameters(path, options)
    tests = ImportedTests(path, options)
    suite = Suite(name=name, kind="model")
    rows = _csv_rows(path)
    head = next(rows, None)
    if head is None:
        raise file_error(path, 1, "the file has no header", 'start it with "name,accuracy"')
    columns = _checked_columns(path, head)
    for row in rows:
        cells = tests.cells_by_column(row.line, columns, row.cells)
        for fields in _test_fields(row, cells, tests) if cells else ():
            fields["parameters"] = {**parameters, **fields["parameters"]}
            tests.add(row.line, {"suite": name, "name": row.cells[0], **fields})
    return ImportResult(suites=(suite,), tests=tests.checked_tests(), entries=tests.entries)


def _suite_and_parameters(path: Path, options: ImportOptions) -> tuple[str, dict[str, Scalar]]:
    """Return the suite and the parameters that all tests of the file have, from the file name.

    `options.suite` overrides the suite. Raises ProblemsError if the file name states no suite and
    `options` has no suite.
    """
    parameters: dict[str, Scalar] = {}
    user_suite = chosen_suite(path, options)
    match = _FILE_NAME_PATTERN.fullmatch(path.name)
    if match is None:
        if user_suite is None:
            raise file_error(
                path, 1, "the file name does not state how the models were run", _FILE_NAME_REMEDY
            )
        return user_suite, parameters
    for word in re.findall(rf"({_WORD_PATTERN})_", match["words"]):
        parameters |= _PARAMETERS_BY_WORD[word]
    return user_suite or match["suite"], parameters | {"mode": match["mode"]}


def _csv_rows(path: Path) -> Iterator[_Row]:
    """Yield the header and each row with its cells, and with the URLs in the comments above it.

    Comment lines and blank lines are not yielded.
    """
    addresses: list[str] = []
    for number, line in enumerate(lines_of(path, read_text(path)), start=1):
        if line.startswith("#"):
            addresses += [address.rstrip(".") for address in _ADDRESS.findall(line)]
            del addresses[_MOST_ADDRESSES:]
        elif line.strip():
            for _, cells in csv_records(path, [line], number):
                yield _Row(number, [cell.strip() for cell in cells], tuple(addresses))
            addresses = []


def _checked_columns(path: Path, head: _Row) -> list[str]:
    columns = head.cells
    if columns[0] != "name" or len(columns) == 1:
        what = f'the header starts with "{",".join(columns)[:60]}"'
        raise file_error(
            path, head.line, what, 'start it with "name,accuracy", or "name" and data types'
        )
    if len(columns) > _MOST_COLUMNS:
        what = f"the header has {len(columns):,} columns, more than {_MOST_COLUMNS}"
        raise file_error(path, head.line, what, "use an unmodified file from the benchmarks")
    if repeated_columns := {column for column in columns if columns.count(column) > 1}:
        what = f'the column "{min(repeated_columns)[:60]}" is listed twice'
        raise file_error(path, head.line, what, "remove one of the two")
    unknown = [column for column in columns[1:] if column not in DTYPES]
    if unknown and "accuracy" not in columns:
        what = f'the column "{unknown[0][:60]}" is not a data type'
        raise file_error(
            path, head.line, what, did_you_mean(unknown[0][:60], {*DTYPES, "accuracy"})
        )
    return columns


def _test_fields(
    row: _Row, cells: Mapping[str, str], tests: ImportedTests
) -> Iterator[dict[str, Any]]:
    """Yield the `TestEntry` fields of each test in a row, without suite and name.

    A row is one test in PyTorch's form, and one test per data type in torch-xpu-ops' form.
    `cells` are the row's texts by column.
    """
    if "accuracy" in cells:
        statuses: list[tuple[dict[str, str], str]] = [({}, cells["accuracy"])]
        counts = {key: cell for key, cell in cells.items() if key not in {"name", "accuracy"}}
        if not cells["accuracy"]:
            tests.record_fault(row.line, "the row has no status", 'add one, such as "pass"')
    else:
        statuses = [({"dtype": key}, cell) for key, cell in cells.items() if key != "name"]
        counts = {}
    for _, status in statuses:
        tests.entries[READ_AS_TEST if status else "empty cells"] += 1
    meanings = [(parameters, dynamo_meaning(status)) for parameters, status in statuses if status]
    metrics = _metrics(row, counts, tests)
    has_bad_outcome = any(meaning.outcome not in GOOD for _, meaning in meanings)
    for parameters, meaning in meanings:
        issue_fields = (
            _issue_fields(row) if meaning.outcome not in GOOD or not has_bad_outcome else {}
        )
        yield {"parameters": parameters, "metrics": metrics, **meaning.fields(), **issue_fields}


def _metrics(row: _Row, cells: Mapping[str, str], tests: ImportedTests) -> dict[str, Any]:
    metrics = {}
    for column, cell in cells.items():
        value = tests.parse_number(row.line, column, cell) if cell else None
        if value is not None:
            metrics[column] = {"value": value, "unit": "1"}
    return metrics


def _issue_fields(row: _Row) -> dict[str, Any]:
    """Return the fields `known_issue` (the first URL above the row) and `evidence` (the others).

    Empty if there is no URL.
    """
    if not row.addresses:
        return {}
    first_url, *other_urls = row.addresses
    evidence = [{"label": "further known issue", "url": url} for url in other_urls]
    return {"known_issue": {"url": first_url}, "evidence": evidence}

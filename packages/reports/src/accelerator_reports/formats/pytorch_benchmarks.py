"""Reads the results of PyTorch's benchmarks: TorchBench's JSON and dynamo's CSV files.

    {"name": "test_bench",
     "environ": {"pytorch_version": "…", "pytorch_git_version": "…", "device": "…"},
     "metrics": {"model=…, test=eval, device=…, bs=None, extra_args=['…'], metric=…": "pass"}}

Keys that differ only in `metric` belong to one test. The metric `accuracy` states its result; a
text in any other metric is an error message, which counts before a pass. A test that has only
numbers was executed, but not checked. `device` in `environ`, which newer versions write, is the
model of the card. `device` in the keys is stored only in the note, because it is not part of a
test's identity. Without a compiler in `extra_args`, the test ran in eager mode. Without an argument
for the data type, the parameter `dtype` is absent, because the model chooses its own. The file does
not state when the run took place.
"""

from __future__ import annotations

import re
from argparse import SUPPRESS, ArgumentError, ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    csv_records,
    file_error,
    is_finite,
    lines_of,
    load_json,
    read_text,
)
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.files.problem import did_you_mean
from accelerator_reports.formats.imported_tests import (
    MEASURED,
    ImportedTests,
    StatusMeaning,
    chosen_suite,
    dynamo_meaning,
    parse_document,
)
from accelerator_reports.outcomes import GOOD
from accelerator_reports.report import Scalar, Suite
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import DEVICES, dtype_or_none

_SUITE = "torchbench"
_LONGEST_KEY = 4000

_TEXT = r"'[^']*'|\"[^\"]*\""
_KEY_PATTERN = re.compile(
    r"model=(?P<model>[^,]+), test=(?P<test>train|eval), device=(?P<device>[^,]*), "
    rf"bs=(?P<batch>None|\d{{1,9}}), extra_args=\[(?P<args>(?:(?:{_TEXT})(?:, )?)*)\], "
    r"metric=(?P<metric>[\w.-]+)"
)
_KEY_REMEDY = (
    "use a format like \"model=…, test=eval, device=…, bs=None, extra_args=['…'], metric=accuracy\""
)
_MODES = {"train": "training", "eval": "inference"}

# Peak memory is in MB or in GB, depending on TorchBench's version, which the file does not say.
_TORCHBENCH_UNITS = {"latencies": "ms"}


_ARGUMENTS = ArgumentParser(
    add_help=False, allow_abbrev=False, exit_on_error=False, argument_default=SUPPRESS
)
_ARGUMENTS.add_argument("--torchdynamo", "--backend", dest="compiler")
_ARGUMENTS.add_argument(
    "--inductor", "--torchinductor", dest="compiler", action="store_const", const="inductor"
)
_ARGUMENTS.add_argument("--precision", dest="dtype", type=lambda word: dtype_or_none(word) or word)
_ARGUMENTS.add_argument("--amp", dest="dtype", action="store_const", const="amp")
_ARGUMENTS.add_argument(
    "--dynamic_shapes", dest="dynamic", nargs="?", const=True, type=lambda _: True
)
_ACCURACY = "--accuracy"  # states what is measured, not how the model ran


class _ResultFile(OpenModel):
    name: Any = None
    environ: dict[str, Any]
    metrics: dict[str, Any]


@dataclass(slots=True)
class _Test:
    key: str
    """The first key of the test in the file."""
    name: str
    parameters: dict[str, Scalar]
    texts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)


def read_torchbench(path: Path, options: ImportOptions) -> ImportResult:
    """Read a TorchBench result file. `options.suite` names the suite, by default `torchbench`.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="model")
    file = _parsed_file(path)
    imported = ImportedTests(path, options)
    tests: dict[str, _Test] = {}
    devices = set()
    for key, value in file.metrics.items():
        match = _KEY_PATTERN.fullmatch(key) if len(key) <= _LONGEST_KEY else None
        if match is None:
            imported.leave_out(1, f'"{key[:60]}" names no test', _KEY_REMEDY)
            continue
        devices.add(match["device"])
        identity = key[: match.start("device")] + key[match.end("device") : match.start("metric")]
        if identity not in tests:
            try:
                tests[identity] = _Test(key, match["model"], _key_parameters(match))
            except ArgumentError as error:
                imported.leave_out(1, f'"{key[:200]}": {error}', _KEY_REMEDY)
                continue
        test = tests[identity]
        if isinstance(value, str):
            test.texts[match["metric"]] = value
        elif is_finite(value):
            test.figures[match["metric"]] = value
        elif value is not None:
            what = f'"{key[:200]}" is neither a text nor a number'
            imported.leave_out_value(1, what, "use an unmodified file from TorchBench")
    if len(devices) > 1:
        what = f"the file contains results of several devices: {', '.join(sorted(devices))}"
        imported.record_fault(1, what, "split the file; a report covers one accelerator")
    for test in tests.values():
        fields = {"suite": suite.name, **_torchbench_fields(test)}
        imported.add(1, fields, place=f'"{test.key[:60]}"')
    environment = imported.environment(_environment_fields(file.environ), "environ")
    device = next(iter(devices), None)
    note = shortened_text(f"Device in the file: {device}.") if device else None
    return imported.result((suite,), environment, note=note)


def _parsed_file(path: Path) -> _ResultFile:
    file = parse_document(path, _ResultFile, load_json(path, strict=False))
    keys = [key for key in file.metrics if len(key) <= _LONGEST_KEY]
    is_other = isinstance(file.name, str) and file.name != "test_bench"
    if is_other and keys and not any(map(_KEY_PATTERN.fullmatch, keys)):
        what = f'the file has the results of TorchBench\'s user benchmark "{file.name[:60]}"'
        raise file_error(path, 1, what, "run the user benchmark test_bench, and import its file")
    return file


def _key_parameters(match: re.Match[str]) -> dict[str, Scalar]:
    """Return the test parameters that a key states.

    Words in `extra_args` that set no other parameter are joined to `recipe`. Raises ArgumentError
    if a word misses its value, or has a value but takes none.
    """
    parameters: dict[str, Scalar] = {"mode": _MODES[match["test"]], "compiler": "eager"}
    if match["batch"] != "None":
        parameters["batch_size"] = int(match["batch"])
    words = [word[1:-1] for word in re.findall(_TEXT, match["args"])]
    stated, recipe = _ARGUMENTS.parse_known_args(word for word in words if word != _ACCURACY)
    parameters |= {name: value for name, value in vars(stated).items() if value}
    return parameters | ({"recipe": " ".join(recipe)} if recipe else {})


def _torchbench_fields(test: _Test) -> dict[str, Any]:
    return {
        "name": test.name,
        "parameters": test.parameters,
        "metrics": {
            metric: {"value": value, "unit": _TORCHBENCH_UNITS.get(metric, "unstated")}
            for metric, value in test.figures.items()
        },
        **_test_meaning(test).fields(),
    }


def _test_meaning(test: _Test) -> StatusMeaning:
    texts = {metric: text for metric, text in test.texts.items() if metric != "accuracy"}
    if "accuracy" in test.texts:
        meaning = dynamo_meaning(test.texts["accuracy"])
        if not texts or meaning.outcome not in GOOD:
            return meaning
    if texts:
        return dynamo_meaning(next(iter(texts.values())))
    if test.figures:
        return MEASURED
    return StatusMeaning("not-run", reason="The file has no value for this test.")


def _environment_fields(environ: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the run's `Environment`, from the file's object `environ`."""
    environ_texts = {
        key: _text_or_none(value) for key, value in environ.items() if isinstance(value, str)
    }
    packages = {
        key.removesuffix("_version"): value
        for key, value in environ_texts.items()
        if re.fullmatch(r"(?!pytorch_|metrics_)\w{1,100}_version", key) and value
    }
    return {
        "torch": environ_texts.get("pytorch_version"),
        "torch_commit": environ_texts.get("pytorch_git_version"),
        "hardware": environ_texts.get("device"),
        "packages": packages,
    }


def _text_or_none(text: str) -> str | None:
    return " ".join(text.split())[:200] or None


# Reads CSV files of PyTorch's dynamo benchmarks: what CI expects of models, and results of a run.
#
# The files with the expectations are in `benchmarks/dynamo/ci_expected_accuracy/` of PyTorch and in
# `.github/ci_expected_accuracy/` of torch-xpu-ops. The folder's name states the hardware; the
# file's name states how the models are run:
#
#     [cpu_][dynamic_]…inductor[_freezing]…_{torchbench|huggingface|timm|timm_models}_{mode}.csv
#
# The file has one row per model, in one of two forms. PyTorch's columns are `name`, `accuracy` (a
# status such as `pass`) and counts, which differ from file to file (`graph_breaks`, `recompiles`,
# …) and become metrics. This form does not state the data type, so the parameter `dtype` is absent.
# torch-xpu-ops has one column with a status for each data type; an empty cell produces no test.
# Blank lines have no meaning: they prevent merge conflicts between two changes.
#
# A run of the benchmarks writes files of a third form. Their columns are `dev`, `name`,
# `batch_size`, `accuracy` or `speedup`, and figures (benchmarks/dynamo/common.py). `dev` is
# hardware and thus not a parameter. Neither is `batch_size`, because the expectations do not state
# it: it is a metric. If a model fails, the batch size is 0, and so are the speedup and all figures.
# CI names the files:
#
#     inductor_with_cudagraphs_torchbench_bfloat16_inference_cuda_accuracy.csv
#
# Words of the name that this module does not know are the parameter `recipe`: `with_cudagraphs`.
#
# The URLs in comment lines above a row are known issues of that row. The first URL becomes the
# known issue of a test, the others become its evidence. If a test of the row does not pass, only
# the tests that do not pass get the URLs. If all tests of the row pass, the known issues are out of
# date, and all tests get the URLs.

DTYPES = frozenset({"float32", "bfloat16", "float16", "amp", "amp_bf16", "amp_fp16", "float64"})

_SUITES = frozenset({"torchbench", "huggingface", "timm"})
# Parameters by word of the file name. The names of devices are hardware, which is not a parameter.
_PARAMETERS_BY_WORD: dict[str, dict[str, Scalar]] = {
    **{word: {} for word in (*_SUITES, *DEVICES, "models", "accuracy", "performance")},
    **{dtype: {"dtype": dtype} for dtype in DTYPES},
    **{mode: {"mode": mode} for mode in ("inference", "training")},
    **{
        compiler: {"compiler": compiler}
        for compiler in ("inductor", "aot_inductor", "aot_eager", "dynamo_eager", "eager")
    },
    **{flag: {flag: True} for flag in ("dynamic", "freezing", "max_autotune")},
}
_KNOWN_WORDS = "|".join(sorted(_PARAMETERS_BY_WORD, key=len, reverse=True))
_WORD = re.compile(rf"(?:{_KNOWN_WORDS}|[a-z0-9.-]+)(?=_|\Z)")
_FILE_NAME_REMEDY = 'use a name like "inductor_torchbench_inference.csv", or pass --suite'
_HEADER_REMEDY = (
    'start it with "name,accuracy", with "name" and data types, or with "dev,name,batch_size" and '
    '"accuracy" or "speedup"'
)
# A column of another name is a count.
_DYNAMO_UNITS = {
    "abs_latency": "ms",
    "compilation_latency": "s",
    "eager_peak_mem": "GB",
    "dynamo_peak_mem": "GB",
}
_NO_METRICS = frozenset({"dev", "name", "tag", "accuracy"})
_ADDRESS = re.compile(r"https://[\w.-]+(?:/[\w./?#=&%-]{0,400})?")
_NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?%?")
_MOST_ADDRESSES = 20
_MOST_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: list[str]
    addresses: tuple[str, ...]


def read_dynamo_csv(path: Path, options: ImportOptions) -> ImportResult:
    """Read an expectation of PyTorch or torch-xpu-ops, or the results of a run of the benchmarks.

    `options.suite` overrides the suite in the file name, and then any file name is accepted.
    Parameters that the file states override `options.parameters`. Raises ProblemsError if the
    file name, the suite name or the content is invalid.
    """
    name, parameters = _suite_and_parameters(path, options)
    tests = ImportedTests(path, options)
    rows = _csv_rows(path)
    head = next(rows, None)
    if head is None:
        raise file_error(path, 1, "the file has no header", 'start it with "name,accuracy"')
    columns = _checked_columns(path, head)
    devices: set[str] = set()
    for row in rows:
        if row.cells == columns:  # files that were joined
            continue
        cells = tests.cells_by_column(row.line, columns, row.cells)
        for fields in _dynamo_fields(row, cells, tests) if cells else ():
            fields["parameters"] = {**parameters, **fields["parameters"]}
            device = cells.get("dev") if cells else None
            devices |= {device} if device else set()
            test_fields = {"suite": name, "name": row.cells[columns.index("name")], **fields}
            tests.entries[READ_AS_TEST] += tests.add(row.line, test_fields, device=device)
    note = f"Device in the file: {', '.join(sorted(devices))}." if devices else ""
    return tests.result((Suite(name=name, kind="model"),), note=shortened_text(note))


def _suite_and_parameters(path: Path, options: ImportOptions) -> tuple[str, dict[str, Scalar]]:
    """Return the suite and the parameters that all tests of the file have, from the file name.

    `options.suite` overrides the suite. Raises ProblemsError if the file name states no suite or
    mode, and `options` has no suite. Of such a name, only the known words are used.
    """
    user_suite = chosen_suite(path, options)
    parameters: dict[str, Scalar] = {}
    name = path.name.lower().removesuffix(".csv")
    for separated_name in (name, name.replace("-", "_")):
        words = _WORD.findall(separated_name)
        suite = next((word for word in words if word in _SUITES), None)
        for word in words:
            parameters |= _PARAMETERS_BY_WORD.get(word, {})
        if suite and "mode" in parameters:
            if recipe := "_".join(word for word in words if word not in _PARAMETERS_BY_WORD):
                parameters["recipe"] = recipe
            return user_suite or suite, parameters
    if user_suite is None:
        what = "the file name does not state how the models were run"
        raise file_error(path, 1, what, _FILE_NAME_REMEDY)
    return user_suite, parameters


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
    is_output = columns[:2] == ["dev", "name"] and {"accuracy", "speedup"} & set(columns)
    if not is_output and (columns[0] != "name" or len(columns) == 1):
        what = f'the header starts with "{",".join(columns)[:60]}"'
        raise file_error(path, head.line, what, _HEADER_REMEDY)
    if len(columns) > _MOST_COLUMNS:
        what = f"the header has {len(columns):,} columns, more than {_MOST_COLUMNS}"
        raise file_error(path, head.line, what, "use an unmodified file from the benchmarks")
    if repeated_columns := {column for column in columns if columns.count(column) > 1}:
        what = f'the column "{min(repeated_columns)[:60]}" is listed twice'
        raise file_error(path, head.line, what, "remove one of the two")
    unknown = [column for column in columns[1:] if column not in DTYPES]
    if unknown and not is_output and "accuracy" not in columns:
        what = f'the column "{unknown[0][:60]}" is not a data type'
        raise file_error(
            path, head.line, what, did_you_mean(unknown[0][:60], {*DTYPES, "accuracy"})
        )
    return columns


def _dynamo_fields(
    row: _Row, cells: Mapping[str, str], tests: ImportedTests
) -> Iterator[dict[str, Any]]:
    """Yield the `TestEntry` fields of each test in a row, without suite and name.

    A row is one test per data type in torch-xpu-ops' form, and one test in the other forms. `cells`
    are the row's texts by column.
    """
    metrics = {}
    meanings: list[tuple[dict[str, str], StatusMeaning]]
    if "accuracy" in cells or "speedup" in cells:
        if not (status := cells.get("accuracy") or cells.get("speedup")):
            what = "the row has no status"
            tests.leave_out(row.line, what, 'add one, such as "pass"', "without a status")
            return
        if "accuracy" in cells and _NUMBER.fullmatch(status):
            what = f'accuracy: "{status[:60]}" is a number, not a status'
            tests.leave_out(row.line, what, 'use a status, such as "pass"', "without a status")
            return
        meaning = dynamo_meaning(status) if "accuracy" in cells else _speedup_meaning(status)
        meanings = [({"tag": cells["tag"]} if cells.get("tag") else {}, meaning)]
        if cells.get("batch_size") != "0":
            metrics = _metrics(row, cells, tests)
    else:
        statuses = {dtype: status for dtype, status in cells.items() if dtype != "name"}
        tests.entries.update("empty cells" for status in statuses.values() if not status)
        meanings = [
            ({"dtype": dtype}, dynamo_meaning(status))
            for dtype, status in statuses.items()
            if status
        ]
    has_bad_outcome = any(meaning.outcome not in GOOD for _, meaning in meanings)
    for parameters, meaning in meanings:
        issue_fields = (
            _issue_fields(row) if meaning.outcome not in GOOD or not has_bad_outcome else {}
        )
        yield {"parameters": parameters, "metrics": metrics, **meaning.fields(), **issue_fields}


def _speedup_meaning(speedup: str) -> StatusMeaning:
    """Return the meaning of a speedup; it is 0, or the text of an error, if the model failed."""
    try:
        value = float(speedup)
    except ValueError:
        return dynamo_meaning(speedup)
    if value > 0:
        return MEASURED
    reason = f"The benchmark failed: the speedup in the file is {speedup[:60]}."
    return StatusMeaning("failed", "run", reason)


def _metrics(row: _Row, cells: Mapping[str, str], tests: ImportedTests) -> dict[str, Any]:
    metrics = {}
    for column, cell in cells.items():
        if not cell or column in _NO_METRICS:
            continue
        value = tests.parse_number(row.line, column, cell)
        if value is not None:
            metrics[column.lower()] = {"value": value, "unit": _DYNAMO_UNITS.get(column, "1")}
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

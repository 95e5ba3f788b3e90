"""Reads test results from the JSON file of TorchBench's user benchmark `test_bench`.

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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    is_finite,
    load_json,
)
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.formats.statuses import MEASURED, StatusMeaning, dynamo_meaning
from accelerator_reports.outcomes import GOOD
from accelerator_reports.report import Scalar, Suite
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import dtype_or_none

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
_UNITS = {"latencies": "ms"}


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
        fields = {"suite": suite.name, **_test_fields(test)}
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


def _test_fields(test: _Test) -> dict[str, Any]:
    return {
        "name": test.name,
        "parameters": test.parameters,
        "metrics": {
            metric: {"value": value, "unit": _UNITS.get(metric, "unstated")}
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

"""Reads test results from the JSON file of TorchBench's user benchmark `test_bench`.

    {"name": "test_bench",
     "environ": {"pytorch_version": "…", "pytorch_git_version": "…", "device": "…"},
     "metrics": {"model=…, test=eval, device=…, bs=None, extra_args=['…'], metric=…": "pass"}}

Keys that differ only in `metric` belong to one test. The metric `accuracy` states its result; a
text in any other metric is an error message. A test that has only numbers was executed, but not
checked. `device` in `environ`, which newer versions write, is the model of the card. `device` in
the keys is stored only in the note, because it is not part of a test's identity. Without a compiler
in `extra_args`, the test ran in eager mode. Without an argument for the data type, the parameter
`dtype` is absent, because the model chooses its own. The file does not state when the run took
place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from accelerator_portal.reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    json_fault,
    read_text,
)
from accelerator_portal.reports.formats.imported_tests import ImportedTests
from accelerator_portal.reports.formats.statuses import StatusMeaning, dynamo_meaning
from accelerator_portal.reports.report import Scalar
from accelerator_portal.reports.shortened_text import shortened_text

# TorchBench has about 130 models; 8 MiB of JSON are at most some 200 MB of Python objects.
MAX_CHARS = 8 * 1024 * 1024
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
_KEY_AT_LINE_START = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*:')
_MODES = {"train": "training", "eval": "inference"}
_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}

# Peak memory is in MB or in GB, depending on TorchBench's version, which the file does not say.
_UNITS = {"latencies": "ms"}


@dataclass(slots=True)
class _Test:
    line: int
    name: str
    parameters: dict[str, Scalar]
    texts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)


def read_torchbench(path: Path, options: ImportOptions) -> ImportResult:
    """Read a TorchBench result file. `options.suite` names the suite, by default `torchbench`.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    imported = ImportedTests(path, options)
    suite = imported.suite(options.suite or "torchbench", "model")
    text = read_text(path)
    data, line_by_key = _parse_json_object(path, text), _line_by_key(text)
    tests: dict[str, _Test] = {}
    devices = set()
    for key, value in _required_object(path, data, "metrics").items():
        line = line_by_key.get(json.dumps(key), 1)
        match = _KEY_PATTERN.fullmatch(key) if len(key) <= _LONGEST_KEY else None
        if match is None:
            imported.record_fault(line, f'"{key[:60]}" names no test', _KEY_REMEDY)
            continue
        devices.add(match["device"])
        identity = key[: match.start("device")] + key[match.end("device") : match.start("metric")]
        if identity not in tests:
            tests[identity] = _Test(line, match["model"], _key_parameters(match))
        if fault := _store_metric(tests[identity], match["metric"], value):
            imported.record_fault(line, fault, "use a status, a message or a number")
    if len(devices) > 1:
        what = f"the file contains results of several devices: {', '.join(sorted(devices))}"
        imported.record_fault(1, what, "split the file; a report covers one accelerator")
    for test in tests.values():
        imported.add(test.line, {"suite": suite.name, **_test_fields(test)})
    environment = imported.environment(
        _environment_fields(imported, data.get("environ")), "environ"
    )
    device = next(iter(devices), None)
    return ImportResult(
        suites=(suite,),
        tests=imported.checked_tests(),
        environment=environment,
        note=shortened_text(f"Device in the file: {device}.") if device else None,
    )


def _parse_json_object(path: Path, text: str) -> dict[str, Any]:
    def no_number(name: str) -> NoReturn:
        line = text.count("\n", 0, text.find(name)) + 1
        raise file_error(path, line, f"{name} is not a number", "remove the value")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for key, value in pairs:
            if key in record:
                what = f'the key "{key[:120]}" is listed twice'
                raise file_error(
                    path, _line_by_key(text).get(json.dumps(key), 1), what, "remove one of them"
                )
            record[key] = value
        return record

    if len(text) > MAX_CHARS:
        what = f"the file has {len(text):,} characters, more than {MAX_CHARS:,}"
        raise file_error(path, 1, what, "use an unmodified file from TorchBench")
    try:
        data = json.loads(text, parse_constant=no_number, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise file_error(path, error.lineno, json_fault(error), "write it again") from None
    except (RecursionError, ValueError):
        what = "the JSON is nested too deeply or has a number that is too long"
        raise file_error(path, 1, what, "use an unmodified file from TorchBench") from None
    if not isinstance(data, dict):
        raise file_error(
            path, 1, "the file is not a JSON object", "use an unmodified file from TorchBench"
        )
    return data


def _required_object(path: Path, data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        what = f'"{key}" is {"no object" if key in data else "missing"}'
        raise file_error(path, 1, what, "use an unmodified file from TorchBench")
    return value


def _line_by_key(text: str) -> dict[str, int]:
    """Return the line number of each JSON-encoded key that is at the start of a line, by key."""
    matches = (
        (number, _KEY_AT_LINE_START.match(line)) for number, line in enumerate(text.split("\n"), 1)
    )
    return {match[1]: number for number, match in matches if match}


def _store_metric(test: _Test, metric: str, value: object) -> str | None:
    """Store the value of one metric in its test; null is ignored.

    Return None, or a text that says why the value is invalid.
    """
    if isinstance(value, str):
        test.texts[metric] = value
    elif isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        test.figures[metric] = float(value)
    elif value is not None:
        return f"{test.name}: the value of {metric} is neither a string nor a number"
    return None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _key_parameters(match: re.Match[str]) -> dict[str, Scalar]:
    parameters: dict[str, Scalar] = {"mode": _MODES[match["test"]], "compiler": "eager"}
    if match["batch"] != "None":
        parameters["batch_size"] = int(match["batch"])
    words = [word[1:-1] for word in re.findall(_TEXT, match["args"])]
    return parameters | _argument_parameters(words)


def _argument_parameters(words: Iterable[str]) -> dict[str, Scalar]:
    """Return the test parameters that the words in `extra_args` state.

    The parameters are `compiler`, `dtype`, `dynamic` and `recipe`. The argument `--accuracy` is
    ignored. Arguments that set none of the first three parameters are joined to `recipe`.
    """
    parameters: dict[str, Scalar] = {}
    recipe = []
    for option, value in _option_values(words):
        if option in {"--torchdynamo", "--backend"} and value:
            parameters["compiler"] = value
        elif option in {"--inductor", "--torchinductor"} and not value:
            parameters["compiler"] = "inductor"
        elif option == "--precision" and value:
            parameters["dtype"] = _DTYPES.get(value, value)
        elif option == "--amp" and not value:
            parameters["dtype"] = "amp"
        elif option == "--dynamic_shapes":
            parameters["dynamic"] = True
        elif option != "--accuracy":  # what is measured, not how it was run
            recipe.append(f"{option} {value}".strip())
    return parameters | ({"recipe": " ".join(recipe)} if recipe else {})


def _option_values(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each option, from `--name value` or `--name=value`.

    The value is empty for an option without a value.
    """
    option, value = "", ""
    for word in (part for each in words for part in each.split("=", 1)):
        if word.startswith("--"):
            if option:
                yield option, value
            option, value = word, ""
        else:
            value = f"{value} {word}".strip()
    if option or value:
        yield option, value


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
        return dynamo_meaning(test.texts["accuracy"])
    if texts:
        return dynamo_meaning(next(iter(texts.values())))
    if test.figures:
        return StatusMeaning(
            "executed", "run", "The test was measured, but its result was not checked."
        )
    return StatusMeaning("not-run", reason="The file has no value for this test.")


def _environment_fields(imported: ImportedTests, environ: object) -> dict[str, Any]:
    """Return the fields of the run's `Environment`, from the file's object `environ`.

    If `environ` is not an object or its commit is invalid, a fault is added to `imported`.
    """
    if not isinstance(environ, dict):
        what = f'"environ" is {"missing" if environ is None else "not an object"}'
        imported.record_fault(1, what, "use an unmodified file from TorchBench")
        return {}
    environ_texts = {
        key: _text_or_none(value) for key, value in environ.items() if isinstance(value, str)
    }
    commit = environ_texts.get("pytorch_git_version") or ""
    if commit and not re.fullmatch(r"[0-9a-f]{7,40}", commit):
        what = f'"pytorch_git_version" is "{commit[:60]}", which is not a commit'
        imported.record_fault(1, what, "use the commit hash, or remove it")
        commit = ""
    packages = {
        key.removesuffix("_version"): value
        for key, value in environ_texts.items()
        if re.fullmatch(r"(?!pytorch_|metrics_)\w{1,100}_version", key) and value
    }
    return {
        "torch": environ_texts.get("pytorch_version"),
        "torch_commit": commit or None,
        "hardware": environ_texts.get("device"),
        "packages": packages,
    }


def _text_or_none(text: str) -> str | None:
    return " ".join(text.split())[:200] or None

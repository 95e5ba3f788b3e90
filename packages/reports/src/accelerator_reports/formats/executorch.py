"""Reads the results of ExecuTorch's backend test suite from CSV and JSON.

The columns are `CSV_FIELD_NAMES` of backends/test/suite/reporting.py in pytorch/executorch.
`Result` is Pass, Fail or Skip, `Result Detail` states where the test failed, and `Delegated` states
whether the backend ran any part of the model. A pass without delegation does not count as a pass of
the backend, except in flows with `is_delegated=False`: `portable` has no backend, and `cortex_m`
runs the model with kernels that replace operators (backends/test/suite/flows/cortex_m.py).

A flow consists of a backend and a recipe. In `xnnpack_static_int8_per_channel`, the backend is
`xnnpack`. The backend is the tested object and not part of a test's identity. The parameter
`recipe` therefore contains only the rest of the flow's name, or `plain` if there is no rest. This
makes tests of two backends comparable, but one file must have only one backend. The flow `portable`
has no backend, because every runtime can run a model that was not lowered for a backend. A file may
therefore contain it together with the flows of any backend. Its recipe is `portable`.

`Test Case` is the name; `Test ID` repeats name and flow. Parameters are in `Params`. If the suite
runs under pytest, `Params` is empty, and they are in the brackets of `Test ID`:
`test_add_dtype[xnnpack-float32]`. The file does not state whether it contains operators or models.
The suite that the user names decides, for example `executorch-models`; the default is
`executorch-operators`.

Infinite and NaN figures are omitted: for example, a signal without noise has an infinite
signal-to-noise ratio.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from accelerator_reports import failure_texts
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    csv_records,
    file_error,
    is_finite,
    lines_of,
    load_json,
    read_text,
)
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    executorch_meaning,
    parse_document,
)
from accelerator_reports.outcomes import UNSUCCESSFUL
from accelerator_reports.report import Scalar, Suite
from accelerator_reports.run_environment import facts_from_properties
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import (
    MAX_CASE,
    dtype_or_none,
    parse_pytest_node_id,
    shortened_with_digest,
)

_REQUIRED_COLUMNS = ("Test Case", "Flow", "Params", "Result", "Result Detail", "Delegated")
_STATUS_BY_DETAIL = {
    "Quantization Failed": "QUANTIZE_FAIL",
    "Lowering Failed": "LOWER_FAIL",
    "PTE Load Failed": "PTE_LOAD_FAIL",
    "PTE Run Failed": "PTE_RUN_FAIL",
    "Output Mismatch": "OUTPUT_MISMATCH_FAIL",
    "Unknown Failure": "UNKNOWN_FAIL",
    "Process Crash": "PROCESS_CRASH",  # under pytest alone, and no TestResult
}
_DYNAMIC_BY_SHAPES = {"static_shapes": False, "dynamic_shapes": True}
_METRIC_BY_COLUMN = {
    "Quantize Time (s)": ("quantize_time", "s"),
    "Lower Time (s)": ("lower_time", "s"),
    "Delegated Nodes": ("delegated_nodes", "1"),
    "Undelegated Nodes": ("undelegated_nodes", "1"),
    "PTE Size (Kb)": ("pte_size", "kB"),  # bytes / 1000, whatever the column is called
}
_OUTPUT_COLUMN = re.compile(r"Output (\d{1,3}) (Error Max|Error MAE|SNR)")

# Flows begin with one of these: backends/test/suite/flow.py, and the files of flows/ on main.
BACKENDS = (
    "arm_ethos_u55",
    "arm_ethos_u85",
    "arm_tosa",
    "arm_vgf",
    "coreml",
    "cortex_m",
    "cpu",
    "cuda",
    "mlx",
    "nxp",
    "openvino",
    "portable",
    "qnn",
    "samsung",
    "vulkan",
    "webgpu",
    "xnnpack",
)
PORTABLE = "portable"
_BACKENDS_WITHOUT_DELEGATION = {PORTABLE, "cortex_m"}
PLAIN = "plain"
_SUITE = "executorch-operators"
REMEDY = "use an unmodified file from ExecuTorch's suite"
_PARAMS_REMEDY = "use a JSON object of strings, or leave it empty"

CsvRow = dict[str, str]


def read_executorch_csv(path: Path, options: ImportOptions) -> ImportResult:
    """Read a CSV file of ExecuTorch's backend test suite. `options.suite` names the suite.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    tests = ImportedTests(path, options)
    suite = executorch_suite(path, options)
    flows = set()
    for line, row in _csv_rows(path, tests):
        flows.add(row["Flow"])
        if fields := row_fields(line, row, tests):
            tests.add(line, {"suite": suite.name, **fields})
    note = flows_note(flows, tests)
    return tests.result((suite,), note=note)


def executorch_suite(path: Path, options: ImportOptions) -> Suite:
    """Return the suite `options.suite`, or `executorch-operators` if the user named none.

    Its kind is `model` if "model" is in the name, else `operator`. Raises ProblemsError if the
    name is invalid.
    """
    name = chosen_suite(path, options) or _SUITE
    return Suite(name=name, kind="model" if "model" in name else "operator")


def flows_note(flows: set[str], tests: ImportedTests) -> str | None:
    """Return a report's note that lists `flows`, the flows of a file; None if there are none.

    A flow, such as `xnnpack_static_int8`, is a backend with a recipe. If the flows have several
    backends, a fault is recorded in `tests`.
    """
    backends = sorted({backend for backend, _ in map(split_flow, flows)} - {PORTABLE})
    if len(backends) > 1:
        what = f"the file contains results of several backends: {', '.join(backends)}"
        tests.record_fault(1, what, "split the file; a report covers one accelerator")
    return shortened_text(f"Flows of ExecuTorch: {', '.join(sorted(flows))}.") if flows else None


def _csv_rows(path: Path, tests: ImportedTests) -> Iterator[tuple[int, CsvRow]]:
    """Yield the number of each row's first line, and the row's values by column.

    Raises ProblemsError if the CSV is invalid or lacks a required column. A row with another number
    of values than the header is left out.
    """
    columns = None
    for line, cells in csv_records(path, lines_of(path, read_text(path))):
        if not cells:
            continue
        if columns is None:
            columns = _checked_columns(path, line, cells)
        elif row := tests.cells_by_column(line, columns, cells):
            yield line, row
    if columns is None:
        raise file_error(path, 1, "the file is empty", REMEDY)


def _checked_columns(path: Path, line: int, columns: list[str]) -> list[str]:
    for column in _REQUIRED_COLUMNS:
        if columns.count(column) != 1:
            fault = "is listed twice" if column in columns else "is missing"
            what = f'the column "{column}" {fault}'
            raise file_error(path, line, what, REMEDY)
    return columns


def row_fields(line: int, row: CsvRow, tests: ImportedTests) -> dict[str, Any] | None:
    """Return the `TestEntry` fields of a CSV row, without the suite.

    If the result or the parameters are invalid, return None and leave out the row.
    """
    status = _result_status(row)
    parameters = _row_parameters(row)
    if status is None:
        what = f'"{row["Result"][:60]}" with the detail "{row["Result Detail"][:60]}" is not valid'
        remedy = f"write Pass, Skip, or Fail with {' or '.join(_STATUS_BY_DETAIL)}"
        tests.leave_out(line, what, remedy, "with an unknown result")
        return None
    if parameters is None:
        what = f'"{row["Params"][:60]}" is not a valid set of parameters'
        tests.leave_out(line, what, _PARAMS_REMEDY)
        return None
    return {
        "name": row["Test Case"],
        "parameters": parameters,
        "metrics": _metrics(line, row, tests),
        **executorch_meaning(status, row.get("Error", "")).fields(),
    }


def _result_status(row: CsvRow) -> str | None:
    """Return a row's result as a name in ExecuTorch's `TestResult`, such as `LOWER_FAIL`.

    A detail is that of a failure, whatever the result. Returns None if `Result` or `Result Detail`
    has an unknown value.
    """
    if row["Result Detail"]:
        return _STATUS_BY_DETAIL.get(row["Result Detail"])
    if row["Result"] == "Pass":
        is_delegated = (
            row["Delegated"] == "True" or split_flow(row["Flow"])[0] in _BACKENDS_WITHOUT_DELEGATION
        )
        return "SUCCESS" if is_delegated else "SUCCESS_UNDELEGATED"
    if row["Result"] == "Skip":
        return "SKIPPED"
    return None


def split_flow(flow: str) -> tuple[str, str]:
    """Return a flow's backend and recipe: `("xnnpack", "static_int8")` for `xnnpack_static_int8`.

    If no known backend matches, the backend is the part before the first underscore. The recipe is
    empty if the flow is only a backend.
    """
    for backend in BACKENDS:
        if flow == backend or flow.startswith(f"{backend}_"):
            return backend, flow.removeprefix(backend).strip("_")
    backend, _, recipe = flow.partition("_")
    return backend, recipe


def recipe_of(flow: str) -> str:
    """Return a flow's recipe: `static_int8` for the flow `xnnpack_static_int8`.

    The recipe is `plain` if the flow is only a backend, and `portable` for the flow `portable`. It
    is a parameter of the tests.
    """
    backend, recipe = split_flow(flow)
    return PORTABLE if backend == PORTABLE else recipe or PLAIN


def _row_parameters(row: CsvRow) -> dict[str, Scalar] | None:
    parameters: dict[str, Scalar] = {"recipe": recipe_of(row["Flow"])}
    if row.get("Subtest", "0") not in {"", "0"}:
        parameters["subtest"] = row["Subtest"]
    if not row["Params"]:
        return parameters | bracket_parameters(row.get("Test ID", ""), row["Flow"])
    try:
        params = json.loads(row["Params"])
    except (ValueError, RecursionError):
        return None
    if not isinstance(params, dict) or not all(isinstance(v, str) for v in params.values()):
        return None
    for key, value in params.items():
        if key == "use_dynamic_shapes":
            parameters |= {"dynamic": True} if value == "True" else {}
        else:
            parameters[key] = value.removeprefix("torch.") if key == "dtype" else value
    return parameters


def bracket_parameters(test_id: str, flow: str) -> dict[str, Scalar]:
    """Return the test parameters in the brackets of a pytest id, without the flow.

    `test_add[flow-float32-dynamic_shapes-a-b]` gives
    `{"dtype": "float32", "dynamic": True, "case": "a-b"}`. Static shapes give no parameter. Without
    brackets, the result is empty.
    """
    _, _, inside = test_id.partition("[")
    parts = inside.removesuffix("]").split("-")
    if flow in parts:
        parts.remove(flow)
    parameters: dict[str, Scalar] = {}
    case = []
    for part in parts:
        dtype = dtype_or_none(part)
        if part in _DYNAMIC_BY_SHAPES:
            parameters |= {"dynamic": True} if _DYNAMIC_BY_SHAPES[part] else {}
        elif dtype and "dtype" not in parameters:
            parameters["dtype"] = dtype
        elif part:
            case.append(part)
    return parameters | ({"case": shortened_with_digest("-".join(case), MAX_CASE)} if case else {})


def _metrics(line: int, row: Mapping[str, str], tests: ImportedTests) -> dict[str, Any]:
    metrics = {}
    for column, cell in row.items():
        name_and_unit = _metric_name_and_unit(column)
        if name_and_unit is None or not cell:
            continue
        value = tests.parse_number(line, column, cell, may_be_infinite=True)
        if value is not None:
            metrics[name_and_unit[0]] = {"value": value, "unit": name_and_unit[1]}
    return metrics


def _metric_name_and_unit(column: str) -> tuple[str, str] | None:
    """Return the name and the unit of the metric in a column, such as `("lower_time", "s")`.

    Returns None if the column contains no metric.
    """
    if match := _OUTPUT_COLUMN.fullmatch(column):
        name = f"output_{match[1]}_{match[2].lower().replace(' ', '_')}"
        return name, "dB" if match[2] == "SNR" else "1"
    return _METRIC_BY_COLUMN.get(column)


# Reads the results of ExecuTorch's backend test suite from JSON.
#
# The plugin pytest-json-report writes the file. ExecuTorch's conftest.py stores the values of CSV
# rows (see `executorch`) in a test's `metadata.subtests`, by column. A test without subtests was
# skipped, or failed before or after it ran the model. A test can fail although none of its rows
# did, for example at its time limit; its last row then counts as failed.

_REQUIRED_KEYS = ("Test Case", "Flow", "Result")
_DEFAULT_CELLS = {"Params": "", "Result Detail": "", "Delegated": "False"}

# pytest writes a skip as a tuple: ('/x/test_a.py', 10, 'Skipped: needs two cards').
_SKIP_START = re.compile(r"\(.{1,1000}?, \d+, ([\"'])(?:Skipped: )?", re.DOTALL)
_ARCHITECTURE = re.compile(r"(?<![a-z0-9])(x86_64|aarch64|s390x|ppc64le|riscv64)(?![a-z0-9])")
_LONGEST_S = 10**9
_NO_ROWS_REASON = "The file does not state whether the backend executed the model."


def _seconds_or_none(value: object) -> object:
    """Return a duration, or None for an invalid one: a test is not left out because of it."""
    return value if is_finite(value) and 0 <= value < _LONGEST_S else None


class _PytestModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class PytestCrash(_PytestModel):
    """The message of the error at which a stage failed."""

    message: str = ""


class PytestStage(_PytestModel):
    """A stage of a test: setup, call or teardown."""

    duration: Annotated[float | None, BeforeValidator(_seconds_or_none)] = 0
    outcome: str = ""
    crash: PytestCrash = PytestCrash()
    longrepr: str = ""
    stdout: str = ""
    stderr: str = ""


class PytestTest(_PytestModel):
    """A test with its outcome and the stages that ran."""

    __test__ = False

    nodeid: Annotated[str, Field(min_length=1)]
    outcome: str
    setup: PytestStage | None = None
    call: PytestStage | None = None
    teardown: PytestStage | None = None
    lost: Annotated[PytestStage | None, Field(alias="???")] = None
    """The stage in which a worker died; pytest-xdist calls it `???`."""

    @property
    def stages(self) -> list[PytestStage]:
        """The stages that ran, in order."""
        all_stages = (self.setup, self.call, self.teardown, self.lost)
        return [stage for stage in all_stages if stage]


class PytestCollector(_PytestModel):
    """A module or class from which pytest collected tests."""

    nodeid: str
    outcome: str
    longrepr: str = ""


class PytestSummary(_PytestModel):
    """The number of tests that have a result."""

    total: Annotated[int, Field(ge=0)] = 0


class PytestReport(_PytestModel):
    """A pytest-json-report file; `created` is the end of the run in seconds since 1970."""

    created: Annotated[float, Field(ge=0, lt=253_402_300_799)]
    duration: Annotated[float, Field(ge=0, lt=_LONGEST_S)]
    environment: Mapping[str, Any] = {}
    summary: PytestSummary
    tests: list[Any] | None = None
    """The tests, not validated: each is validated separately, so that an error names its test."""
    collectors: list[PytestCollector] = []


def read_executorch_json(path: Path, options: ImportOptions) -> ImportResult:
    """Read a pytest-json-report file of ExecuTorch's backend test suite.

    A module or class that pytest cannot collect becomes a test with the outcome `test-broken`.
    `options.suite` names the suite. Raises ProblemsError if the file or that name is invalid.
    """
    suite = executorch_suite(path, options)
    document = parse_document(path, PytestReport, load_json(path, strict=False))
    if document.tests is None:
        what = 'the file has no "tests", because it was created with --json-report-summary'
        raise file_error(path, 1, what, "create it without that option")
    tests = ImportedTests(path, options)
    flows: set[str] = set()
    for number, record in enumerate(document.tests):
        try:
            test = PytestTest.model_validate(record)
        except ValidationError:
            what = f"tests[{number}] is not a test in pytest-json-report format"
            tests.leave_out(1, what, REMEDY)
            continue
        rows = _json_rows(record)
        if rows is None:
            what = f"tests[{number}].metadata.subtests are not results in ExecuTorch format"
            tests.leave_out(1, what, REMEDY)
            continue
        flows |= {row["Flow"] for row in rows} or {_flow_in_test_id(test.nodeid)}
        for fields in _test_fields(test, rows, tests):
            tests.add(1, {"suite": suite.name, **fields})
    _add_collection_failures(tests, document, len(document.tests), suite.name)
    environment = tests.environment(_environment_fields(document.environment), "environment")
    end = dt.datetime.fromtimestamp(document.created, dt.timezone.utc)
    start = end - dt.timedelta(seconds=min(document.duration, document.created))
    return tests.result((suite,), environment, start, end, flows_note(flows - {""}, tests))


def _json_rows(record: Mapping[str, Any]) -> list[CsvRow] | None:
    """Return the subtests of a test as CSV rows; None if they are not in ExecuTorch's form."""
    metadata = record.get("metadata", {})
    subtests = metadata.get("subtests", []) if isinstance(metadata, Mapping) else None
    if not isinstance(subtests, list) or not all(isinstance(item, Mapping) for item in subtests):
        return None
    rows = [
        _DEFAULT_CELLS | {k: str(v) for k, v in subtest.items() if isinstance(v, str | int | float)}
        for subtest in subtests
    ]
    return rows if all(row.keys() >= {*_REQUIRED_KEYS} for row in rows) else None


def _test_fields(
    test: PytestTest, rows: list[CsvRow], tests: ImportedTests
) -> list[dict[str, Any]]:
    outcome_fields = _outcome_fields(test)
    if outcome_fields is None:
        what = f'"{test.nodeid[:60]}": "{test.outcome[:40]}" is not a pytest outcome'
        tests.leave_out(1, what, REMEDY, "with an unknown outcome")
        return []
    row_results = [fields for row in rows if (fields := row_fields(1, row, tests))]
    is_failure = outcome_fields["outcome"] in UNSUCCESSFUL
    if not rows or (is_failure and not row_results):
        is_pass = outcome_fields["outcome"] == "passed"
        unchecked = {"outcome": "executed", "reason": _NO_ROWS_REASON} if is_pass else {}
        return [{**_name_and_parameters(test.nodeid), **outcome_fields, **unchecked}]
    if len(rows) == 1 and row_results:
        row_results[0]["duration_s"] = outcome_fields.get("duration_s")
    if is_failure and not any(fields["outcome"] in UNSUCCESSFUL for fields in row_results):
        row_results[-1] |= outcome_fields | {"stage": None}
    return row_results


def _name_and_parameters(nodeid: str) -> dict[str, Any]:
    address, bracket, inside = nodeid.partition("[")
    test_id = f"{address.rpartition('::')[2]}{bracket}{inside}"
    flow = _flow_in_test_id(nodeid)
    parameters = {"recipe": recipe_of(flow)} if flow else {}
    return {
        "name": test_id.partition("[")[0],
        "parameters": parameters | bracket_parameters(test_id, flow),
    }


def _flow_in_test_id(nodeid: str) -> str:
    """Return the flow in a pytest id: `xnnpack_static_int8` for `test_add[xnnpack_static_int8-a]`.

    This is the first part in the brackets that begins with a known backend. The result is empty if
    no part does.
    """
    parts = nodeid.partition("[")[2].removesuffix("]").split("-")
    return next((part for part in parts if split_flow(part)[0] in BACKENDS), "")


def _outcome_fields(test: PytestTest) -> dict[str, Any] | None:
    """Return the `TestEntry` fields that state a test's result; None for an unknown outcome.

    The fields are `outcome`, `raw_status`, `reason`, `duration_s` and `log_tail`, and `metrics` for
    a retried test. Unknown fields are absent or None.
    """
    stages = test.stages
    failed = next((stage for stage in stages if stage.outcome == "failed"), None)
    stage = failed or test.call or (stages[0] if stages else PytestStage())
    result_fields: dict[str, Any] = {
        "raw_status": None if test.outcome == "passed" else test.outcome
    }
    durations = [one.duration for one in stages if one.duration is not None]
    if stages and len(durations) == len(stages):
        result_fields["duration_s"] = sum(durations)
    if test.outcome in {"skipped", "xfailed"}:
        return {**result_fields, **_skip_fields(stage, expected=test.outcome == "xfailed")}
    if test.outcome == "rerun":
        # The file does not state the number of attempts, only that there was more than one.
        result_fields["metrics"] = {"retries": {"value": 1, "unit": "1"}}
    elif test.outcome not in {"passed", "xpassed", "failed", "error"}:
        return None
    if test.outcome in {"passed", "xpassed"} or (test.outcome == "rerun" and failed is None):
        return {**result_fields, "outcome": "passed"}
    is_setup_or_teardown = failed is not None and failed is not test.call
    outcome = failure_texts.error_outcome(
        stage.crash.message, stage.longrepr, is_setup=is_setup_or_teardown
    )
    message = failure_texts.reason(stage.crash.message)
    return {
        **result_fields,
        "outcome": outcome,
        "reason": message or failure_texts.reason(stage.longrepr),
        "log_tail": failure_texts.log_tail(stage.longrepr if message else "")
        or failure_texts.log_tail(stage.stderr or stage.stdout),
    }


def _skip_fields(stage: PytestStage, *, expected: bool) -> dict[str, Any]:
    reason = failure_texts.reason
    if expected:
        stated_reason = reason(stage.crash.message) or reason(stage.longrepr)
        return {
            "outcome": "skipped",
            "raw_status": "xfail",
            "reason": stated_reason or failure_texts.EXPECTED_FAILURE_REASON,
        }
    text = stage.longrepr
    start = _SKIP_START.match(text)
    if start and text.endswith(ending := f"{start[1]})"):
        text = text[start.end() :].removesuffix(ending)
    return {"outcome": "skipped", "reason": reason(text) or failure_texts.NO_REASON}


def _add_collection_failures(
    tests: ImportedTests, document: PytestReport, test_count: int, suite: str
) -> None:
    """Add a broken test to `tests` for each module or class that pytest cannot collect.

    `test_count` is the number of tests in the file. If the file's summary states another number, a
    fault is recorded.
    """
    if document.summary.total != test_count:
        what = f"summary.total is {document.summary.total:,}, but the number of tests is"
        remedy = "create the file again; one of the two is incomplete"
        tests.record_fault(1, f"{what} {test_count:,}", remedy)
    for number, collector in enumerate(document.collectors):
        if collector.outcome == "failed":
            parsed_id = parse_pytest_node_id(collector.nodeid or "collection")
            fields = {
                "suite": suite,
                "name": parsed_id.name,
                "parameters": dict(parsed_id.parameters),
                "outcome": "test-broken",
                "raw_status": "collection failed",
                "reason": failure_texts.reason(collector.longrepr),
            }
            tests.add(1, fields, place=f"collectors[{number}]")


def _environment_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `Environment` fields in `metadata`, which the plugin pytest-metadata stores.

    That plugin does not store the version of torch, but test suites can add the key `torch`.
    """
    packages = metadata.get("Packages")
    versions = packages if isinstance(packages, Mapping) else {}
    facts = facts_from_properties({**versions, "os": metadata.get("Platform"), **metadata})
    architecture = _ARCHITECTURE.search(facts.get("os", ""))
    return {
        **({"arch": architecture[1]} if architecture else {}),
        **facts,
        "packages": {
            shortened_with_digest(name, 200): shortened_with_digest(version, 200)
            for name, version in versions.items()
            if name and name.lower() != "torch" and isinstance(version, str) and version
        },
    }

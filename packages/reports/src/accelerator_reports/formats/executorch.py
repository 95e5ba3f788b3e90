"""Reads the results of ExecuTorch's backend test suite from CSV; see also `executorch_json`.

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

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    csv_records,
    file_error,
    lines_of,
    read_text,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.formats.statuses import executorch_meaning
from accelerator_reports.report import Scalar, Suite
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import MAX_CASE, dtype_or_none, shortened_with_digest

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

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.executorch import read_executorch_csv
from accelerator_reports.report import Scalar
from tests.reports.format_file import FormatFile, only

# Everything here is made up: tests, results, figures. The columns are those of ExecuTorch.
NAME = "example.csv"
OUTPUTS = [f"Output {n} {what}" for n in (0, 1) for what in ("Error Max", "Error MAE", "SNR")]
COLUMNS = [
    "Test ID", "Test Case", "Subtest", "Flow", "Params", "Result", "Result Detail", "Delegated",
    "Quantize Time (s)", "Lower Time (s)", "Delegated Nodes", "Undelegated Nodes",
    "Delegated Ops", "Undelegated Ops", "PTE Size (Kb)", *OUTPUTS, "Error",
]  # fmt: skip
REMEDY = "use an unmodified file from ExecuTorch's suite"
RESULTS = (
    "write Pass, Skip, or Fail with Quantization Failed or Lowering Failed or PTE Load Failed "
    "or PTE Run Failed or Output Mismatch or Unknown Failure or Process Crash"
)
DEFAULTS = {
    "Test ID": "test_example_xnnpack",
    "Test Case": "test_example",
    "Subtest": "0",
    "Flow": "xnnpack",
    "Result": "Pass",
    "Delegated": "True",
}


def content(*rows: dict[str, str]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(DEFAULTS | row for row in rows)
    return text.getvalue()


FILE = FormatFile(NAME, read_executorch_csv)
read, refused = FILE.read, FILE.problems


def test_figures_that_are_not_finite_are_no_metrics(tmp_path: Path) -> None:
    row = {"Output 0 Error MAE": "nan", "Output 0 SNR": "40.000", "Output 1 SNR": "inf"}
    metrics = only(read(tmp_path, content(row))).metrics
    assert {name: (m.value, m.unit) for name, m in metrics.items()} == {"output_0_snr": (40, "dB")}


@pytest.mark.parametrize(
    ("result", "detail", "delegated", "expected"),
    [
        ("Pass", "", "True", ("passed", "compare", "SUCCESS")),
        ("Pass", "", "False", ("executed", "lower", "SUCCESS_UNDELEGATED")),
        ("Skip", "", "False", ("skipped", None, "SKIPPED")),
        ("Fail", "Quantization Failed", "False", ("failed", "quantize", "QUANTIZE_FAIL")),
        ("Fail", "Lowering Failed", "False", ("failed", "lower", "LOWER_FAIL")),
        ("Fail", "PTE Load Failed", "True", ("failed", "load", "PTE_LOAD_FAIL")),
        ("Fail", "PTE Run Failed", "True", ("failed", "run", "PTE_RUN_FAIL")),
        ("Fail", "Output Mismatch", "True", ("wrong-result", "compare", "OUTPUT_MISMATCH_FAIL")),
        ("Fail", "Unknown Failure", "False", ("failed", None, "UNKNOWN_FAIL")),
        ("Pass", "Output Mismatch", "True", ("wrong-result", "compare", "OUTPUT_MISMATCH_FAIL")),
        ("Fail", "Process Crash", "False", ("crashed", None, "PROCESS_CRASH")),
    ],
)
def test_what_a_result_means(
    tmp_path: Path, result: str, detail: str, delegated: str, expected: tuple[str, str | None, str]
) -> None:
    row = {"Result": result, "Result Detail": detail, "Delegated": delegated}
    test = only(read(tmp_path, content(row)))
    assert (test.outcome, test.stage, test.raw_status) == expected


def test_what_was_not_delegated_did_not_run_on_the_device(tmp_path: Path) -> None:
    test = only(read(tmp_path, content({"Delegated": "False"})))
    assert test.reason == "The backend executed no part of the model. Nothing ran on the device."


def test_what_runs_without_any_backend_may_stand_beside_one(tmp_path: Path) -> None:
    found = read(tmp_path, content({}, {"Flow": "portable", "Delegated": "False"}))
    assert [test.parameters["recipe"] for test in found.tests] == ["plain", "portable"]


@pytest.mark.parametrize("flow", ["portable", "cortex_m"])
def test_a_flow_that_delegates_nothing_passes_without(tmp_path: Path, flow: str) -> None:
    test = only(read(tmp_path, content({"Flow": flow, "Delegated": "False"})))
    assert test.raw_status == "SUCCESS"


def test_an_error_of_several_lines_is_the_reason(tmp_path: Path) -> None:
    fail = {"Result": "Fail", "Result Detail": "Lowering Failed"}
    error = "EX out of memory, made up\nTried to allocate 1.00 MiB"
    text = content(fail | {"Error": error}, fail | {"Test Case": "test_b", "Lower Time (s)": "x"})
    found = read(tmp_path, text)
    assert [test.outcome for test in found.tests] == ["out-of-memory", "failed"]
    assert list(map(str, found.warnings)) == [
        f'{NAME}:4: Lower Time (s): "x" is not a number; use a number'
    ]
    test = only(read(tmp_path, content(fail | {"Error": error})))
    assert (test.outcome, test.stage, test.reason) == ("out-of-memory", "lower", error)


@pytest.mark.parametrize(
    ("flow", "recipe"),
    [
        ("xnnpack", "plain"),
        ("xnnpack_static_int8_per_channel", "static_int8_per_channel"),
        ("coreml_static_int8", "static_int8"),
        ("qnn_16a4w_block", "16a4w_block"),
        ("arm_ethos_u55", "plain"),
        ("arm_tosa_fp", "fp"),
        ("arm_vgf_int", "int"),
        ("cortex_m", "plain"),
        ("nxp_neutron_imxrt700_int8_ptq", "neutron_imxrt700_int8_ptq"),
        ("new", "plain"),
        ("new_static_int8", "static_int8"),
        ("portable", "portable"),
    ],
)
def test_the_recipe_of_a_flow_is_what_follows_the_backend(
    tmp_path: Path, flow: str, recipe: str
) -> None:
    assert only(read(tmp_path, content({"Flow": flow}))).parameters.get("recipe") == recipe


def test_a_file_of_two_backends_is_refused(tmp_path: Path) -> None:
    text = content({"Flow": "xnnpack"}, {"Flow": "coreml_static_int8"})
    assert refused(tmp_path, text) == [
        (
            f"{NAME}:1: the file contains results of several backends: coreml, xnnpack; "
            "split the file; a report covers one accelerator"
        )
    ]


@pytest.mark.parametrize(
    ("row", "parameters"),
    [
        ({}, {}),
        ({"Subtest": ""}, {}),
        ({"Subtest": "2"}, {"subtest": "2"}),
        ({"Params": '{"use_dynamic_shapes": "False"}'}, {}),
        ({"Params": "{}"}, {}),
        (
            {"Params": '{"dtype": "torch.float32", "use_dynamic_shapes": "True", "kernel": "3"}'},
            {"dtype": "float32", "dynamic": True, "kernel": "3"},
        ),
    ],
)
def test_parameters(tmp_path: Path, row: dict[str, str], parameters: dict[str, Scalar]) -> None:
    expected = {"recipe": "plain", **parameters}
    assert only(read(tmp_path, content(row))).parameters == expected


@pytest.mark.parametrize(
    ("test_id", "flow", "parameters"),
    [
        ("test_add_dtype[xnnpack-float32]", "xnnpack", {"dtype": "float32"}),
        ("test_a[float16-xnnpack]", "xnnpack", {"dtype": "float16"}),
        (
            "test_a[qnn_8a8w-float32-static_shapes]",
            "qnn_8a8w",
            {"recipe": "8a8w", "dtype": "float32"},
        ),
        ("test_a[dynamic_shapes-float32-qnn]", "qnn", {"dynamic": True, "dtype": "float32"}),
        ("test_a[xnnpack-3-same]", "xnnpack", {"case": "3-same"}),
        ("test_a[xnnpack-float32-int8]", "xnnpack", {"dtype": "float32", "case": "int8"}),
        ("test_a[xnnpack]", "xnnpack", {}),
        ("test_a_float32_xnnpack", "xnnpack", {}),
        ("", "xnnpack", {}),
    ],
)
def test_without_params_they_stand_in_the_brackets_of_the_id(
    tmp_path: Path, test_id: str, flow: str, parameters: dict[str, Scalar]
) -> None:
    row = {"Test ID": test_id, "Flow": flow, "Params": ""}
    expected = {"recipe": "plain", **parameters}
    assert only(read(tmp_path, content(row))).parameters == expected


def test_params_count_where_both_are_there(tmp_path: Path) -> None:
    row = {"Test ID": "test_a[xnnpack-float16]", "Params": '{"dtype": "torch.float32"}'}
    expected = {"recipe": "plain", "dtype": "float32"}
    assert only(read(tmp_path, content(row))).parameters == expected


# Written by ExecuTorch 1.5.1's own writer (write_csv_row) in a run of test_add.py and others on a
# CPU on 2026-11-21: delegated, not delegated, and left out.
REAL = """\
test_add_dtype[xnnpack_static_int8_per_channel-float32],test_add_dtype,0,\
xnnpack_static_int8_per_channel,,Pass,,True,2.390,1.028,7,0,\
"{'aten::add.Tensor': 1, 'quantized_decomposed::dequantize_per_tensor': 3, \
'quantized_decomposed::quantize_per_tensor': 3}",{},2.000,0.000,0.000,inf,,,,
test_add_f32_alpha[xnnpack],test_add_f32_alpha,0,xnnpack,,Pass,,False,,0.659,0,1,{},\
{'aten::add.Tensor': 1},,,,,,,,
test_embedding_bag_dtype[xnnpack-float32],test_embedding_bag_dtype,0,xnnpack,,Skip,,False,,0.694,0,\
1,{},{'aten::_embedding_bag': 1},,,,,,,,
"""


def test_rows_that_executorch_wrote_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, ",".join(COLUMNS) + "\n" + REAL)
    assert [(test.name, dict(test.parameters), test.outcome) for test in found.tests] == [
        ("test_add_dtype", {"recipe": "static_int8_per_channel", "dtype": "float32"}, "passed"),
        ("test_add_f32_alpha", {"recipe": "plain"}, "executed"),
        ("test_embedding_bag_dtype", {"recipe": "plain", "dtype": "float32"}, "skipped"),
    ]
    assert {name: metric.value for name, metric in found.tests[0].metrics.items()} == {
        "quantize_time": 2.39, "lower_time": 1.028, "delegated_nodes": 7, "undelegated_nodes": 0,
        "pte_size": 2, "output_0_error_max": 0, "output_0_error_mae": 0,
    }  # fmt: skip


def test_the_options_name_the_suite_and_what_the_file_does_not_say(tmp_path: Path) -> None:
    options = ImportOptions("executorch-models", {"recipe": "x", "mode": "inference"})
    found = read(tmp_path, content({"Flow": "qnn_8a8w"}), options)
    assert only(found).parameters == {"recipe": "8a8w", "mode": "inference"}
    assert [(suite.name, suite.kind) for suite in found.suites] == [("executorch-models", "model")]


def test_columns_that_are_not_known_or_not_there_do_not_matter(tmp_path: Path) -> None:
    text = "Test Case,Flow,Params,Result,Result Detail,Delegated,New\nt,xnnpack,,Pass,,True,x\n"
    assert only(read(tmp_path, text)).outcome == "passed"


def test_a_file_with_a_header_alone_has_no_tests(tmp_path: Path) -> None:
    found = read(tmp_path, content())
    assert (found.tests, found.note, len(found.suites)) == ((), None, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "\nTest Case,Flow,Params,Result,Delegated\n",
            f'{NAME}:2: the column "Result Detail" is missing; {REMEDY}',
        ),
        (
            "Test Case,Flow,Params,Result,Result Detail,Delegated,Flow\n",
            f'{NAME}:1: the column "Flow" is listed twice; {REMEDY}',
        ),
        (
            content({"Result": "Perhaps"}, {"Result": "Fail", "Result Detail": "Bad"}),
            "\n".join(
                [
                    f'{NAME}:2: "Perhaps" with the detail "" is not valid; {RESULTS}',
                    f'{NAME}:3: "Fail" with the detail "Bad" is not valid; {RESULTS}',
                ]
            ),
        ),
        (
            content({"Params": "["}, {"Params": "[]"}, {"Params": '{"a": {}}'}),
            "\n".join(
                [
                    f'{NAME}:{line}: "{said}" is not a valid set of parameters; '
                    "use a JSON object of strings, or leave it empty"
                    for line, said in ((2, "["), (3, "[]"), (4, '{"a": {}}'))
                ]
            ),
        ),
        (
            content() + "a,b\r\n",
            f"{NAME}:2: the row has 2 values, the header has 22; use one value per column",
        ),
    ],
)
def test_what_is_wrong_is_said_by_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert "\n".join(refused(tmp_path, text)) == message

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.pytorch_benchmarks import read_dynamo_csv
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Scalar, TestEntry
from accelerator_reports.test_ids import identity_of
from tests.reports.format_file import FormatFile

# Everything here is made up: models, results, addresses.
NAME = "inductor_torchbench_inference.csv"
ISSUE = "https://example.org/issues/"
XPU = "name,float32,bfloat16,float16,amp_bf16,amp_fp16\n"


FILE = FormatFile(NAME, read_dynamo_csv)
read, refused = FILE.read, FILE.problems


def outcomes(found: ImportResult) -> list[tuple[str, Scalar | None, Outcome]]:
    return [(test.name, test.parameters.get("dtype"), test.outcome) for test in found.tests]


def issues(found: ImportResult) -> list[tuple[str, Scalar | None, str | None]]:
    return [
        (t.name, t.parameters.get("dtype"), t.known_issue.url if t.known_issue else None)
        for t in found.tests
    ]


def test_a_file_of_pytorch(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "name,accuracy,graph_breaks,recompiles\n\n\n\nmodel_a,pass,0,0\n\n\n\n"
        "Owner/model-b.x,fail_accuracy,18,2\n",
    )
    first, second = found.tests
    assert first == TestEntry.model_validate(
        {
            "suite": "torchbench",
            "name": "model_a",
            "parameters": {"mode": "inference", "compiler": "inductor"},
            "outcome": "passed",
            "stage": "compare",
            "raw_status": "pass",
            "metrics": {
                "graph_breaks": {"value": 0, "unit": "1"},
                "recompiles": {"value": 0, "unit": "1"},
            },
        }
    )
    assert (second.name, second.raw_status) == ("Owner/model-b.x", "fail_accuracy")
    assert (second.outcome, second.metrics["graph_breaks"].value) == ("wrong-result", 18)
    assert [(suite.name, suite.kind, suite.planned) for suite in found.suites] == [
        ("torchbench", "model", None)
    ]
    assert (found.started, found.note) == (None, None)


def test_a_count_that_is_not_there_is_absent(tmp_path: Path) -> None:
    (test,) = read(tmp_path, "name,accuracy,graph_breaks,recompiles\nm,pass,,1\n").tests
    assert list(test.metrics) == ["recompiles"]


def test_a_number_is_no_status(tmp_path: Path) -> None:
    found = read(tmp_path, "name,accuracy\na,0.93\nb,99.1%\nc,pass\n")
    assert [test.name for test in found.tests] == ["c"]
    assert found.entries == {"taken": 1, "without a status": 2}


def test_a_column_for_each_type(tmp_path: Path) -> None:
    found = read(tmp_path, f"{XPU}m,pass,fail_to_run,,pass_due_to_skip,eager_1st_run_OOM\n")
    assert outcomes(found) == [
        ("m", "float32", "passed"),
        ("m", "bfloat16", "failed"),
        ("m", "amp_bf16", "skipped"),
        ("m", "amp_fp16", "out-of-memory"),
    ]
    assert found.entries == {"taken": 4, "empty cells": 1}


@pytest.mark.parametrize(
    ("name", "group"),
    [
        (NAME, "torchbench?compiler=inductor&mode=inference"),
        ("inductor_huggingface_training.csv", "huggingface?compiler=inductor&mode=training"),
        ("inductor_timm_training.csv", "timm?compiler=inductor&mode=training"),
        ("inductor_timm_models_inference.csv", "timm?compiler=inductor&mode=inference"),
        ("cpu_inductor_torchbench_inference.csv", "torchbench?compiler=inductor&mode=inference"),
        (
            "cpu_inductor_freezing_timm_inference.csv",
            "timm?compiler=inductor&freezing=true&mode=inference",
        ),
        (
            "dynamic_inductor_timm_inference.csv",
            "timm?compiler=inductor&dynamic=true&mode=inference",
        ),
        (
            "dynamic_cpu_aot_inductor_amp_freezing_torchbench_inference.csv",
            "torchbench?compiler=aot_inductor&dtype=amp&dynamic=true&freezing=true&mode=inference",
        ),
        (
            "dynamic_aot_eager_huggingface_training.csv",
            "huggingface?compiler=aot_eager&dynamic=true&mode=training",
        ),
    ],
)
def test_the_name_of_the_file_says_how(tmp_path: Path, name: str, group: str) -> None:
    (test,) = FormatFile(name, read_dynamo_csv).read(tmp_path, "name,accuracy\nm,pass\n").tests
    identity = identity_of(test)
    assert (identity.key, identity.group) == (group.replace("?", "/m?"), group)


def test_another_name_needs_a_suite(tmp_path: Path) -> None:
    file, text = FormatFile("mine.csv", read_dynamo_csv), "name,accuracy\nm,pass\n"
    assert file.problems(tmp_path, text) == [
        (
            "mine.csv:1: the file name does not state how the models were run; "
            'use a name like "inductor_torchbench_inference.csv", or pass --suite'
        )
    ]
    options = ImportOptions("example", {"mode": "training"})
    (test,) = file.read(tmp_path, text, options).tests
    assert (test.suite, test.parameters) == ("example", {"mode": "training"})


@pytest.mark.parametrize(
    ("name", "suite", "parameters"),
    [
        (
            "inductor-timm-amp_fp16-training-xpu-accuracy.csv",
            None,
            {"compiler": "inductor", "dtype": "amp_fp16", "mode": "training"},
        ),
        ("mine_amp_eager.csv", "example", {"compiler": "eager", "dtype": "amp"}),
    ],
)
def test_known_words_of_any_name_are_parameters(
    tmp_path: Path, name: str, suite: str | None, parameters: dict[str, str]
) -> None:
    file = FormatFile(name, read_dynamo_csv)
    (test,) = file.read(tmp_path, "name,accuracy\nm,pass\n", ImportOptions(suite)).tests
    assert (test.suite, test.parameters) == (suite or "timm", parameters)


def test_the_file_stands_above_the_options_but_for_the_suite(tmp_path: Path) -> None:
    options = ImportOptions("example", {"mode": "training", "dtype": "int8", "recipe": "x"})
    (test,) = read(tmp_path, "name,float32\nm,pass\n", options).tests
    assert (test.suite, test.parameters) == (
        "example",
        {"mode": "inference", "dtype": "float32", "recipe": "x", "compiler": "inductor"},
    )


def test_an_address_above_a_row_is_the_known_issue_of_what_fails_in_it(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"# {ISSUE}0\nname,float32,bfloat16\n# {ISSUE}1\n\na,pass,fail_accuracy\n"
        f"b,fail_to_run,pass\n"
        f"# Skip c, see: {ISSUE}2.\nc,pass_due_to_skip,pass\n# no address\nd,fail_to_run,pass\n",
    )
    assert issues(found) == [
        ("a", "float32", None),
        ("a", "bfloat16", f"{ISSUE}1"),
        ("b", "float32", None),
        ("b", "bfloat16", None),
        ("c", "float32", f"{ISSUE}2"),
        ("c", "bfloat16", None),
        ("d", "float32", None),
        ("d", "bfloat16", None),
    ]


def test_the_known_issue_of_a_row_that_passes_is_kept_to_be_seen(tmp_path: Path) -> None:
    found = read(tmp_path, f"name,float32,bfloat16\n# {ISSUE}1\na,pass,pass\n")
    assert issues(found) == [("a", "float32", f"{ISSUE}1"), ("a", "bfloat16", f"{ISSUE}1")]


def test_further_addresses_are_evidence(tmp_path: Path) -> None:
    (test,) = read(tmp_path, f"name,float32\n# {ISSUE}1\n# {ISSUE}2\na,OOM\n").tests
    assert test.known_issue
    assert test.known_issue.url == f"{ISSUE}1"
    assert [(e.label, e.url) for e in test.evidence] == [("further known issue", f"{ISSUE}2")]


def test_a_row_with_errors_leaves_the_others(tmp_path: Path) -> None:
    found = read(
        tmp_path, "name,accuracy,graph_breaks\na,pass,x\nb,pass,inf\nc,,0\na,fail_to_run,1\n"
    )
    assert outcomes(found) == [("a", None, "failed"), ("b", None, "passed")]
    assert list(map(str, found.warnings)) == [
        f'{NAME}:2: graph_breaks: "x" is not a number; use a number',
        f'{NAME}:3: graph_breaks: "inf" is not a number; use a number',
        f'{NAME}:4: the row has no status; add one, such as "pass"',
    ]
    assert found.note == '2 invalid values left out. Listed more than once: 1 ("a").'
    assert found.entries == {"taken": 2, "without a status": 1, "listed more than once": 1}


OUTPUT = FormatFile(
    "inductor_with_cudagraphs_torchbench_bfloat16_inference_cuda_accuracy.csv", read_dynamo_csv
)
HEADER = "dev,name,batch_size,accuracy,graph_breaks,compilation_latency\n"
PERFORMANCE = "dev,name,batch_size,speedup,abs_latency,eager_peak_mem\n"


def test_the_accuracy_that_a_run_wrote(tmp_path: Path) -> None:
    rows = "cuda,a,4,pass,2,1.5\ncuda,b,0,eager_1st_run_OOM,0,0\ncuda,c,4,pass_due_to_skip,0,0\n"
    found = OUTPUT.read(tmp_path, f"{HEADER}{rows}{HEADER}cuda,d,2,fail_to_run_at_batch_2,0,0\n")
    assert detect_format(tmp_path / OUTPUT.name) == "dynamo-csv"
    assert outcomes(found) == [
        ("a", "bfloat16", "passed"),
        ("b", "bfloat16", "out-of-memory"),
        ("c", "bfloat16", "skipped"),
        ("d", "bfloat16", "failed"),
    ]
    assert dict(found.tests[0].parameters) == {
        "compiler": "inductor",
        "dtype": "bfloat16",
        "mode": "inference",
        "recipe": "with_cudagraphs",
    }
    assert {name: (m.value, m.unit) for name, m in found.tests[0].metrics.items()} == {
        "batch_size": (4, "1"),
        "graph_breaks": (2, "1"),
        "compilation_latency": (1.5, "s"),
    }
    assert not found.tests[1].metrics  # zeros stand for figures that were not measured
    assert found.note == "Device in the file: cuda."


def test_the_performance_that_a_run_wrote(tmp_path: Path) -> None:
    found = OUTPUT.read(tmp_path, f"{PERFORMANCE}cuda,a,4,1.25,3.5,0.5\ncuda,b,0,0.0,0.0,0\n")
    assert outcomes(found) == [("a", "bfloat16", "executed"), ("b", "bfloat16", "failed")]
    assert found.tests[0].metrics["abs_latency"].unit == "ms"
    assert found.tests[1].reason == "The benchmark failed: the speedup in the file is 0.0."


def test_a_run_on_two_devices_is_that_of_the_accelerator(tmp_path: Path) -> None:
    rows = "cpu,a,4,fail_to_run,0,0\nxpu,a,4,pass,0,0\n"
    found = OUTPUT.read(tmp_path, HEADER + rows)
    assert outcomes(found) == [("a", "bfloat16", "passed")]
    assert found.entries == {"taken": 1, "on another device": 1}


def test_a_file_without_rows_has_no_tests(tmp_path: Path) -> None:
    found = read(tmp_path, "name,accuracy\n")
    assert (found.tests, [suite.name for suite in found.suites]) == ((), ["torchbench"])


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    text = "name,accuracy\n\n# x\na,pass\nb,OOM\n"
    plain = read(tmp_path, text)
    assert len(plain.tests) == 2
    assert read(tmp_path, "\ufeff" + text.replace("\n", "\r\n")) == plain
    assert read(tmp_path, text.replace(",", " , ")) == plain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f'{NAME}:1: the file has no header; start it with "name,accuracy"'),
        (
            "\nmodel,accuracy\n",
            (
                f'{NAME}:2: the header starts with "model,accuracy"; '
                'start it with "name,accuracy", with "name" and data types, or with '
                '"dev,name,batch_size" and "accuracy" or "speedup"'
            ),
        ),
        (
            "name\na\n",
            (
                f'{NAME}:1: the header starts with "name"; '
                'start it with "name,accuracy", with "name" and data types, or with '
                '"dev,name,batch_size" and "accuracy" or "speedup"'
            ),
        ),
        (
            "name,float32,bfloat61\n",
            f'{NAME}:1: the column "bfloat61" is not a data type; did you mean "bfloat16"?',
        ),
        (
            "name,acuracy,graph_breaks\n",
            f'{NAME}:1: the column "acuracy" is not a data type; did you mean "accuracy"?',
        ),
        (
            "name,accuracy,graph_breaks\na,pass\nb,,0\ne,pass,1,2\n",
            "\n".join(
                [
                    f"{NAME}:2: the row has 2 values, the header has 3; use one value per column",
                    f'{NAME}:3: the row has no status; add one, such as "pass"',
                    f"{NAME}:4: the row has 4 values, the header has 3; use one value per column",
                ]
            ),
        ),
        (
            'name,accuracy\n"a",pass\n"abc"d,pass\n',
            f"{NAME}:3: invalid CSV: ',' expected after '\"'; create the file again",
        ),
        (
            'name,accuracy\na,pass\na"b,pass\n',
            (
                f"{NAME}:3: invalid CSV: a value without quotes around it contains a quotation mark; "
                "create the file again"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_by_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert "\n".join(refused(tmp_path, text)) == message

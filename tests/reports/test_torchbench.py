from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.pytorch_benchmarks import read_torchbench
from accelerator_reports.report import Environment, Scalar, TestEntry
from tests.reports.format_file import FormatFile, only

# Everything here is made up: models, results, versions.
NAME = "example.json"
FORM = (
    "use a format like \"model=…, test=eval, device=…, bs=None, extra_args=['…'], metric=accuracy\""
)


def key(
    model: str = "model_a",
    *,
    metric: str = "accuracy",
    mode: str = "eval",
    device: str = "ex",
    args: str = "['--accuracy']",
) -> str:
    return (
        f"model={model}, test={mode}, device={device}, bs=None, extra_args={args}, metric={metric}"
    )


def content(metrics: dict[str, Any], **environ: object) -> str:
    return json.dumps({"name": "test_bench", "environ": environ, "metrics": metrics}, indent=4)


FILE = FormatFile(NAME, read_torchbench)
read, refused = FILE.read, FILE.problems


def test_a_result_file(tmp_path: Path) -> None:
    metrics = {
        key(): "pass",
        key(metric="latencies"): 1.5,
        key("model_b"): "not_implemented",
        key("model_b", mode="train"): "EX out of memory.\nTried to allocate 1.00 MiB",
    }
    commit = "0123456789abcdef0123456789abcdef01234567"
    environ = {
        "pytorch_version": "2.10.0.dev20260102",
        "pytorch_git_version": commit,
        "torchvision_version": "0.1",
        "count": 3,
    }
    found = read(tmp_path, content(metrics, **environ))
    eager: dict[str, Scalar] = {"mode": "inference", "compiler": "eager"}
    first, skipped, failed = found.tests
    assert first == TestEntry.model_validate(
        {
            "suite": "torchbench",
            "name": "model_a",
            "parameters": eager,
            "outcome": "passed",
            "stage": "compare",
            "raw_status": "pass",
            "metrics": {"latencies": {"value": 1.5, "unit": "ms"}},
        }
    )
    assert (skipped.name, skipped.outcome) == ("model_b", "skipped")
    assert skipped.reason == "The model doesn't have this mode."
    assert (failed.outcome, failed.parameters["mode"]) == ("out-of-memory", "training")
    assert failed.reason == "EX out of memory.\nTried to allocate 1.00 MiB"
    assert found.environment == Environment(
        torch="2.10.0.dev20260102", torch_commit=commit, packages={"torchvision": "0.1"}
    )
    assert found.note == "Device in the file: ex."
    assert (found.started, found.suites[0].name, found.suites[0].kind) == (
        None,
        "torchbench",
        "model",
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("[]", {"compiler": "eager"}),
        ("['--accuracy']", {"compiler": "eager"}),
        ("['--torchdynamo', 'inductor', '--accuracy']", {"compiler": "inductor"}),
        ("['--torchdynamo=inductor']", {"compiler": "inductor"}),
        ('["--inductor"]', {"compiler": "inductor"}),
        ("['--backend', 'aot_eager']", {"compiler": "aot_eager"}),
        ("['--precision', 'fp16']", {"compiler": "eager", "dtype": "float16"}),
        ("['--precision', 'amp_bf16']", {"compiler": "eager", "dtype": "amp_bf16"}),
        ("['--amp']", {"compiler": "eager", "dtype": "amp"}),
        ("['--inductor', '--dynamic_shapes']", {"compiler": "inductor", "dynamic": True}),
        ("['--dynamic_shapes', 'True']", {"compiler": "eager", "dynamic": True}),
        ("['--dynamic_shapes=True']", {"compiler": "eager", "dynamic": True}),
        ("['--torchdynamo', '']", {"compiler": "eager"}),
        ("['--ind', '--amp_level']", {"compiler": "eager", "recipe": "--ind --amp_level"}),
        (
            "['--accuracy', '--channels-last', '--num-batch', '3', 'x=y']",
            {"compiler": "eager", "recipe": "--channels-last --num-batch 3 x=y"},
        ),
    ],
)
def test_arguments_say_how_it_was_run(
    tmp_path: Path, args: str, expected: dict[str, Scalar]
) -> None:
    test = only(read(tmp_path, content({key(args=args): "pass"})))
    assert test.parameters == {"mode": "inference", **expected}


def test_the_device_is_no_part_of_the_identity(tmp_path: Path) -> None:
    one = read(tmp_path, content({key(device="ex"): "pass"}))
    two = read(tmp_path, content({key(device="ample"): "pass"}))
    assert one.tests == two.tests
    assert two.note == "Device in the file: ample."


def test_one_test_on_two_devices_is_not_mixed_up(tmp_path: Path) -> None:
    metrics = {key(device="ex"): "pass", key(device="ample"): "fail_accuracy"}
    assert refused(tmp_path, content(metrics)) == [
        (
            f"{NAME}:1: the file contains results of several devices: ample, ex; "
            "split the file; a report covers one accelerator"
        )
    ]


@pytest.mark.parametrize(
    ("values", "outcome", "reason"),
    [
        ({"latencies": 2}, "executed", "The test was measured, but its result was not checked."),
        ({"latencies": "timeout"}, "timed-out", None),
        ({"latencies": None}, "not-run", "The file has no value for this test."),
        ({"accuracy": ""}, "failed", "The error has no message."),
        ({"latencies": "OOM", "accuracy": "pass"}, "out-of-memory", None),
        ({"latencies": "OOM", "accuracy": "timeout"}, "timed-out", None),
        ({"accuracy": 0.5}, "executed", "The test was measured, but its result was not checked."),
    ],
)
def test_what_the_values_say(
    tmp_path: Path, values: dict[str, Any], outcome: str, reason: str | None
) -> None:
    metrics = {key(metric=metric): value for metric, value in values.items()}
    test = only(read(tmp_path, content(metrics)))
    assert (test.outcome, test.reason) == (outcome, reason)


def test_a_metric_without_a_known_unit_says_so(tmp_path: Path) -> None:
    test = only(read(tmp_path, content({key(metric="gpu_peak_mem"): 3})))
    assert {name: (m.value, m.unit) for name, m in test.metrics.items()} == {
        "gpu_peak_mem": (3, "unstated")
    }


def test_what_the_file_says_stands_above_the_options(tmp_path: Path) -> None:
    options = ImportOptions("example", {"dtype": "float32", "mode": "training"})
    test = only(read(tmp_path, content({key(): "pass"}), options))
    assert (test.suite, test.parameters) == (
        "example",
        {"dtype": "float32", "mode": "inference", "compiler": "eager"},
    )


def test_a_file_without_metrics_has_no_tests(tmp_path: Path) -> None:
    found = read(tmp_path, content({}))
    assert (found.tests, found.note, found.environment) == ((), None, Environment())


FORMAT = "see the report format page"
NO_SLUG = "string should match pattern '^[a-z0-9]+(?:[-_.][a-z0-9]+)*$'"
NO_VALUE, A_VALUE = key(args="['--precision']"), key(args="['--amp=1']")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ('{"metrics": {}}', [f"environ: field required; {FORMAT}"]),
        (
            '{"name": "optim", "environ": {}, "metrics": {"a": 1, "b": 1}}',
            [
                (
                    'the file has the results of TorchBench\'s user benchmark "optim"; '
                    "run the user benchmark test_bench, and import its file"
                )
            ],
        ),
        (
            '{"environ": {}, "metrics": 1}',
            [f"metrics: input should be a valid dictionary; {FORMAT}"],
        ),
        (
            content({"a": "pass"}),
            [f'"a" names no test; {FORM}'],
        ),
        (
            content({key(metric="a--b"): 1}),
            [
                f'"{key()[:60]}".metrics.a--b: {NO_SLUG}; {FORMAT}',
            ],
        ),
        (content({key("a" * 4000): "pass"}), [f'"model={"a" * 54}" names no test; {FORM}']),
        (
            content({NO_VALUE: "pass", A_VALUE: "pass"}),
            [
                f"\"{A_VALUE}\": argument --amp: ignored explicit argument '1'; {FORM}",
                f'"{NO_VALUE}": argument --precision: expected one argument; {FORM}',
            ],
        ),
        (
            content({}, pytorch_git_version="Unknown"),
            [f"environ.torch_commit: string should match pattern '^[0-9a-f]{{7,40}}$'; {FORMAT}"],
        ),
    ],
)
def test_what_is_wrong_is_said_by_key(tmp_path: Path, text: str, messages: list[str]) -> None:
    assert refused(tmp_path, text) == [f"{NAME}:1: {message}" for message in messages]


@pytest.mark.parametrize("value", [True, [1], 10**400, float("nan")])
def test_a_value_that_is_none_leaves_the_others(tmp_path: Path, value: object) -> None:
    found = read(tmp_path, content({key(): value, key("c"): "pass"}))
    assert [test.outcome for test in found.tests] == ["not-run", "passed"]
    assert list(map(str, found.warnings)) == [
        f'{NAME}:1: "{key()}" is neither a text nor a number; use an unmodified file from TorchBench'
    ]


def test_the_device_of_newer_files_is_the_model_of_the_card(tmp_path: Path) -> None:
    file = tmp_path / "newer.json"
    environ = {"pytorch_version": "2.9.0", "metrics_version": "v0.1", "device": "Example  Card 1"}
    key = "model=a, test=eval, device=npu, bs=4, extra_args=[], metric="
    metrics = {f"{key}latencies": 1.5, f"{key}cpu_peak_mem": None, f"{key}gpu_peak_mem": "failed"}
    file.write_text(json.dumps({"name": "test_bench", "environ": environ, "metrics": metrics}))
    found = read_torchbench(file, ImportOptions())
    assert (found.environment.hardware, dict(found.environment.packages)) == ("Example Card 1", {})
    (test,) = found.tests
    assert test.parameters["batch_size"] == 4

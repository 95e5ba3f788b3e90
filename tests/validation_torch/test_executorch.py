"""ExecuTorch: programs run and are compared, and what a backend gets wrong is told apart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.executorch import read_executorch_csv
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.report_file import read_report
from accelerator_reports.test_ids import identity_of
from accelerator_validation.executorch.metric import METRIC_GROUP as METRICS
from accelerator_validation.executorch.registry import BACKEND_GROUP
from accelerator_validation.suites.executorch.metrics import reportable_values
from tests.validation.packages import install_entry_point
from tests.validation_torch.conftest import Done, validate, validate_once

OPERATORS = ("--device=cpu", "--suite=executorch-operators")
PAPER = Path(__file__).with_name("paper_executorch.py")


def report_of(done: Done) -> Report:
    assert done.report.exists(), done.said
    return read_report(done.report)


def by_recipe(report: Report, name: str) -> dict[str, TestEntry]:
    return {str(t.parameters["recipe"]): t for t in report.tests if t.name == name}


def figures(test: TestEntry) -> dict[str, float]:
    return {name: metric.value for name, metric in test.metrics.items()}


@pytest.fixture(scope="module")
def xnnpack(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """One run for several tests: every recipe of an operator, and a model in two ways."""
    suites = (*OPERATORS, "--suite=executorch-models")
    words = "linear_unbatched or (ResNetFor and (dynamic=true or threads=2))"
    done = validate_once(tmp_path_factory, "xnnpack", *suites, "-k", words)
    assert done.status == 0, done.said
    return report_of(done)


@pytest.mark.filterwarnings("ignore")  # of ExecuTorch: what it imports warns, too
def test_a_run_without_executorchs_own_suite_lists_none_of_its_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from accelerator_validation.suites.executorch import models

    assert len(list(models.upstream_models())) > 20
    monkeypatch.setattr(models, "PACKAGE", "executorch.old_version.suite.models")
    assert list(models.upstream_models()) == []


@pytest.mark.filterwarnings("ignore")  # of ExecuTorch: what it imports warns, too
def test_an_error_has_the_message_at_the_end_of_a_long_log(tmp_path: Path) -> None:
    from accelerator_validation.suites.executorch.model_test import add_runtime_log

    log, stderr = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT), os.dup(2)
    os.dup2(log, 2)
    try:
        os.write(2, b"compiling\n" * 10_000 + b"[method.cpp:7] Check failed: too small\n")
        with pytest.raises(RuntimeError) as error, add_runtime_log():
            raise RuntimeError("error 18")
    finally:
        os.dup2(stderr, 2)
    assert str(error.value) == "error 18. ExecuTorch says: Check failed: too small"


@pytest.mark.slow
def test_every_recipe_of_xnnpack_runs_a_linear_and_measures_it(xnnpack: Report) -> None:
    found = by_recipe(xnnpack, "test_linear_unbatched")
    assert {(name, test.outcome) for name, test in found.items()} == {
        ("plain", "passed"),
        ("fp16", "passed"),
        ("static_int8_per_channel", "passed"),
        ("dynamic_int8_per_channel", "passed"),
        ("portable", "passed"),
    }
    plain, portable = figures(found["plain"]), figures(found["portable"])
    quantized = figures(found["static_int8_per_channel"])
    assert (plain["delegates"], plain["delegated_share"], portable["delegates"]) == (1, 1, 0)
    assert plain["output_0_error_max"] < 1e-3 < plain["output_0_snr"]
    assert 10 < quantized["sqnr_to_unquantized"] < 100  # 8 bits are about 50 dB
    assert quantized["quantize_time"] > 0 < quantized["lower_time"]
    assert 0 < quantized["delegate_size"] < quantized["pte_size"]
    assert quantized["delegate_size"] < plain["delegate_size"]  # 8 bits instead of 32
    assert {"planned_memory", "peak_memory", "load_time", "run_time"} <= set(plain)
    backend = xnnpack.environment.backend
    assert backend
    assert (backend.name, backend.version) == (
        "XnnpackBackend",
        xnnpack.environment.packages["executorch"],
    )


@pytest.mark.slow
def test_a_model_runs_with_an_open_batch_and_with_two_threads(xnnpack: Report) -> None:
    found = {str(t.parameters): t for t in xnnpack.tests if t.suite == "executorch-models"}
    assert {key: test.outcome for key, test in found.items()} == {
        "{'dtype': 'float32', 'dynamic': 'true', 'recipe': 'plain'}": "passed",
        "{'dtype': 'float32', 'recipe': 'plain', 'threads': '2'}": "passed",
    }


@pytest.mark.slow
def test_what_executorch_cannot_do_is_told_apart(tmp_path: Path) -> None:
    """Nothing delegated; an operator that no runtime has; a wrong test; an error of the runtime."""
    names = "argmax_dtype or median_dtype or linear_leading or log_edge_cases or conv3d_dtype"
    done = validate(tmp_path, *OPERATORS, "--all", "--only=recipe=plain", "-k", names)
    assert done.status == 1, done.said
    found = {t.name: t for t in report_of(done).tests if "subtest" not in t.parameters}
    argmax, median = found["test_argmax_dtype"], found["test_median_dtype"]
    assert (argmax.outcome, argmax.stage, argmax.reason) == (
        "executed",
        "lower",
        (
            "The backend executed no part of the model. Nothing ran on the device. "
            "Not delegated: aten::argmax."
        ),
    )
    assert argmax.metrics["output_0_error_max"].value == 0  # it ran all the same
    assert (median.outcome, median.stage) == ("unsupported-operator", "load")
    assert "aten::median.out is missing" in str(median.reason)
    conv = found["test_conv3d_dtype"]
    assert (conv.outcome, conv.stage) == ("failed", "run")
    assert "Expect input tensor to be 3-D or 4-D, but got, 5." in str(conv.reason)
    broken = found["test_linear_leading_batch"]
    assert (broken.outcome, broken.stage) == ("test-broken", "eager")
    assert "mat1 and mat2 shapes cannot be multiplied" in str(broken.reason)
    left_out = found["test_log_edge_cases"]
    assert (left_out.outcome, left_out.reason) == (
        "skipped",
        "ExecuTorch excludes this test: NaN and Inf are not enforced for backends.",
    )


@pytest.fixture
def paper(tmp_path: Path) -> str:
    """A folder in which the faulty backends are installed, with the metrics of their package."""
    site = tmp_path / "site"
    site.mkdir()
    names = {"paper": "BACKEND", "cut_off": "CUT_OFF", "old": "OLD", "no_numbers": "NAN"}
    names |= {"nowhere": "NOWHERE"}
    backends = [f"{name} = paper_executorch:{variable}" for name, variable in names.items()]
    metrics = ["derived = paper_executorch:DERIVED", "meter = paper_executorch:BROKEN"]
    lines = "\n".join([*backends, f"[{METRICS}]", *metrics])
    install_entry_point(site, "paper_executorch", BACKEND_GROUP, lines, PAPER.read_text("utf-8"))
    return str(site)


def test_a_metric_of_another_package_is_told_what_a_report_cannot_contain() -> None:
    values = {"energy": (torch.tensor(2.5), "J"), "power": (float("nan"), "W")}
    assert reportable_values(values) == {"energy": (2.5, "J")}
    with pytest.raises(ValueError, match="Total energy"):
        reportable_values({"Total energy": (1.0, "J")})


@pytest.mark.slow
def test_faults_of_an_executorch_backend_are_told_apart(tmp_path: Path, paper: str) -> None:
    words = ("--backend=paper", "-k", "add_dtype", "--timeout=60")
    done = validate(tmp_path, *OPERATORS, *words, site=paper)
    assert done.status == 1, done.said
    found = by_recipe(report_of(done), "test_add_dtype")
    assert {name: (test.outcome, test.stage) for name, test in found.items()} == {
        "plain": ("wrong-result", "compare"),
        "patient": ("passed", "compare"),
        "crash": ("crashed", "run"),
        "fail": ("failed", "lower"),
        "not_here": ("skipped", "lower"),
        "hang": ("timed-out", "run"),
        "fill": ("failed", "lower"),
        "nothing": ("executed", "lower"),
        "unquantized": ("failed", "quantize"),
        "portable": ("passed", "compare"),
    }
    assert found["plain"].metrics["output_0_error_max"].value == pytest.approx(1, abs=1e-3)
    assert "Mismatched elements: 1 / 20" in str(found["plain"].reason)
    assert found["crash"].reason == (
        "The process crashed with SIGSEGV. The result was the same when the test ran in a separate process."
    )
    assert found["fail"].reason == "RuntimeError: the compiler of the paper backend stops"
    assert (
        found["not_here"].reason == ("The compiler of the paper backend is not installed. ").strip()
    )
    assert "would be larger than 4 GB" in str(found["fill"].reason)
    assert "The metric paper_meter could not be computed" in str(found["patient"].reason)
    assert found["patient"].metrics["delegates_per_kilobyte"].value > 0
    assert done.command(found["fail"]) == (
        "accelerator-portal validate --device cpu --backend paper "
        "--test 'executorch-operators/test_add_dtype?dtype=float32&recipe=fail'"
    )
    backend = report_of(done).environment.backend
    assert backend
    assert (backend.name, backend.version) == ("PaperBackend", "0.1")


@pytest.mark.slow
def test_bad_programs_and_numbers_have_their_outcome_and_one_message(
    tmp_path: Path, paper: str
) -> None:
    """Four backends in one run: each test says what is wrong, and the others go on."""
    backends = "--backend=xnnpack,cut_off,old,no_numbers,nowhere"
    only = "--only=recipe=plain,cut_off,old,no_numbers,nowhere"
    done = validate(tmp_path, *OPERATORS, backends, only, "-k", "add_dtype", site=paper)
    assert done.status == 1, done.said
    found = by_recipe(report_of(done), "test_add_dtype")
    assert {name: (test.outcome, test.stage) for name, test in found.items()} == {
        "plain": ("passed", "compare"),
        "cut_off": ("failed", "load"),
        "old": ("failed", "load"),
        "no_numbers": ("wrong-result", "compare"),
        "nowhere": ("skipped", "load"),
    }
    assert "Program file is cut off or damaged" in str(found["cut_off"].reason)
    assert "Program file is from a different version of ExecuTorch" in str(found["old"].reason)
    assert found["no_numbers"].reason is not None
    assert "the output has 20 NaN of 20 where the reference has none" in found["no_numbers"].reason
    assert str(found["nowhere"].reason).startswith(
        "Lowered, not run: 1 delegate with 1 of 1 nodes. The runtime of this ExecuTorch has no "
        "NowhereBackend. Running it needs a paper chip."
    )


@pytest.mark.slow
def test_executorch_plans_the_same_case_as_its_own_suite_reports(tmp_path: Path) -> None:
    file = tmp_path / "theirs.csv"
    file.write_text(
        "Test ID,Test Case,Subtest,Flow,Params,Result,Result Detail,Delegated\n"
        "test_add_dtype[xnnpack-float32],test_add_dtype,0,xnnpack,,Pass,,True\n"
        "test_add_dtype[portable-float32],test_add_dtype,0,portable,,Pass,,False\n"
        "test_abs_shapes[xnnpack],test_abs_shapes,2,xnnpack,,Pass,,True\n",
        "utf-8",
    )
    keys = {identity_of(t).key for t in read_executorch_csv(file, ImportOptions()).tests}
    planned = validate(tmp_path, *OPERATORS, "--all", "--plan", "-k", "add_dtype or abs_shapes")
    assert len(keys) == 3
    assert keys <= set(planned.said.splitlines())


@pytest.mark.slow
def test_an_unknown_backend_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = validate(tmp_path, *OPERATORS, "--backend=xnnpak")
    assert (done.status, done.report.exists()) == (2, False)
    assert 'no backend of ExecuTorch is called "xnnpak"; did you mean "xnnpack"?' in done.said

"""Backends of ExecuTorch beside XNNPACK: two run here, the others say how far they came."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from accelerator_reports.report import TestEntry
from tests.validation_torch.conftest import validate

OPERATORS = ("--device=cpu", "--suite=executorch-operators", "-k", "linear_unbatched")
ATEN = ("--device=cpu", "--suite=executorch-aten", "--all")


def by_recipe(tests: tuple[TestEntry, ...]) -> dict[str, TestEntry]:
    return {str(test.parameters["recipe"]): test for test in tests}


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("openvino"), reason="OpenVINO is not installed")
def test_openvino_runs_beside_xnnpack_and_measures_the_same(tmp_path: Path) -> None:
    only = "--only=recipe=plain,openvino,openvino_int8,portable"
    done = validate(tmp_path, *OPERATORS, "--backend=xnnpack,openvino", only)
    assert done.status == 0, done.said
    found = by_recipe(done.report_tests)
    assert {name: test.outcome for name, test in found.items()} == dict.fromkeys(
        ("plain", "openvino", "openvino_int8", "portable"), "passed"
    )
    assert found["openvino"].metrics["delegated_share"].value == 1
    assert 20 < found["openvino_int8"].metrics["sqnr_to_unquantized"].value < 60
    assert "openvino" in done.environment.packages


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("tosa_reference_model"), reason="tosa-tools are not installed")
def test_tosa_runs_in_its_reference_model_and_says_so(tmp_path: Path) -> None:
    done = validate(tmp_path, *OPERATORS, "--backend=arm_tosa", "--only=recipe=fp,int")
    assert done.status == 0, done.said
    found = by_recipe(done.report_tests)
    assert {name: test.outcome for name, test in found.items()} == dict.fromkeys(
        ("fp", "int"), "passed"
    )
    assert str(found["fp"].reason).startswith(
        "Run with the TOSA reference model, not with ExecuTorch's runtime."
    )


@pytest.mark.slow
def test_what_cannot_run_here_is_skipped_where_it_stops(tmp_path: Path) -> None:
    only = "--only=recipe=plain,vulkan,qnn_8a8w"
    done = validate(tmp_path, *OPERATORS, "--all", "--backend=xnnpack,vulkan,qnn", only)
    assert done.status == 0, done.said
    found = by_recipe(done.report_tests)
    vulkan, qnn = found["vulkan"], found["qnn_8a8w"]
    assert (vulkan.outcome, vulkan.stage) == ("skipped", "load")
    assert str(vulkan.reason).startswith("Lowered, not run: 1 delegate with 4 of 4 nodes.")
    assert vulkan.metrics["delegate_size"].value > 0
    assert (qnn.outcome, qnn.stage) == ("skipped", "lower")
    assert "QNN_SDK_ROOT" in str(qnn.reason)
    assert qnn.metrics["quantize_time"].value > 0


@pytest.mark.slow
def test_single_operators_run_in_every_type_and_with_an_open_size(tmp_path: Path) -> None:
    words = ("-k", "aten/tanh? or bitwise_not", "--only=recipe=plain,portable")
    more = "--only=dtype=float32,float16,bfloat16"
    done = validate(tmp_path, *ATEN, *words, more)
    found = {
        (
            test.name,
            str(test.parameters["dtype"]),
            str(test.parameters["recipe"]),
            str(test.parameters.get("dynamic", "")),
        ): test
        for test in done.report_tests
        if test.parameters["inputs"] != "facto"
    }
    assert found["tanh", "float32", "plain", ""].outcome == "passed", done.said
    assert found["tanh", "float32", "plain", "true"].outcome == "passed"
    assert found["tanh", "float16", "portable", ""].outcome == "passed"
    assert found["tanh", "bfloat16", "portable", ""].outcome == "passed"
    assert found["bitwise_not-int32", "float32", "portable", ""].outcome == "passed"
    assert {key[3] for key in found} == {"", "true"}
    suites = {suite.name: suite for suite in done.suites}
    coverage = suites["executorch-aten"].operators
    assert coverage
    assert "tanh" in coverage.covered

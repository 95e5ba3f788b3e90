"""A platform's validation.yaml changes suites, and whoever reads the report is told."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report import Tolerance
from accelerator_reports.validation_file import Validation
from accelerator_validation.matrix import Matrix, parse_matrix
from accelerator_validation.plan import RunError
from accelerator_validation.platform_folder import (
    PlatformFolder,
    apply_settings,
    read_platform_folder,
    settings_sentences,
)
from accelerator_validation.request import require_script_permission
from accelerator_validation.run import begin_run
from tests.folders import EXAMPLE, Tree
from tests.validation.runs import TORCH, matrix, plan, request

MATRIX = """\
kind: operator
module: tests.validation.fake_suite
description: Made up.
axes:
  dtype: [float32, bfloat16, float16]
  mode: [forward, backward]
default:
  dtype: [float32]
tolerances:
  float32: {rtol: 1.0e-3, atol: 1.0e-3}
  bfloat16: {rtol: 3.0e-2, atol: 3.0e-2}
timeout_s: 60
"""
OWN = """\
suites:
  operators:
    timeout_s: 90
    tolerances:
      bfloat16: {rtol: 0.06, atol: 0.05, reason: Products are summed in bfloat16}
    axes:
      dtype: {only: [bfloat16, float16], reason: The chip has no float32.}
"""
DEPLOY = """\
deploy:
  - {id: from-source, title: Made up, script: make, check: python, timeout_s: 7200}
"""


def platform(tree: Tree, text: str) -> PlatformFolder:
    root = tree({**EXAMPLE, "accelerators/example/validation.yaml": text})
    return read_platform_folder(root, "example")


def matrices() -> dict[str, Matrix]:
    return {"operators": parse_matrix("operators.yaml", MATRIX), "other": matrix(["passed-1"])}


def test_settings_replace_tolerances_narrow_parameters_and_give_time(tree: Tree) -> None:
    found = apply_settings(matrices(), platform(tree, OWN))
    own = found["operators"]
    assert own.tolerances["bfloat16"] == Tolerance(rtol=0.06, atol=0.05)
    assert own.tolerances["float32"] == Tolerance(rtol=1e-3, atol=1e-3)
    assert own.axes == {"dtype": ("bfloat16", "float16"), "mode": ("forward", "backward")}
    # Nothing is left of the suite's default: then what the platform has.
    assert [c["dtype"] for c in own.combinations({"mode": ["forward"]})] == ["bfloat16", "float16"]
    assert own.timeout_s == 90
    assert found["other"] == matrices()["other"]


def test_a_default_that_the_platform_has_stays(tree: Tree) -> None:
    text = OWN.replace("[bfloat16, float16]", "[float32, bfloat16]")
    own = apply_settings(matrices(), platform(tree, text))["operators"]
    assert own.default == {"dtype": ("float32",)}


def test_the_note_of_a_report_tells_each_difference(tree: Tree, tmp_path: Path) -> None:
    told = list(settings_sentences(platform(tree, OWN).validation, matrices(), 4000))
    own = "This platform's tolerance for bfloat16 in operators"
    assert told == [
        f"{own}: rtol 0.06, atol 0.05. Reason: Products are summed in bfloat16.",
        (
            "This platform supports only these values of dtype in operators: bfloat16, float16. "
            "Reason: The chip has no float32."
        ),
        "The time limit for each test of operators: 90 s.",
    ]
    settings = Validation.model_validate({"suites": {"made-up": {"timeout_s": 7}}})
    asked = dataclasses.replace(request(tmp_path), settings=settings)
    done = begin_run(
        asked, {"made-up": matrix(["passed-1"])}, plan(["passed-1"]), TORCH, lambda *_: None
    )
    assert (done.report.note or "").endswith(" The time limit for each test of made-up: 7 s.")


def test_many_differences_do_not_break_the_report(tmp_path: Path) -> None:
    room = {"rtol": 0.1, "atol": 0.1, "reason": "r" * 400}
    suites = {"made-up": {"tolerances": {f"t{n}": room for n in range(50)}}}
    settings = Validation.model_validate({"suites": suites})
    asked = dataclasses.replace(request(tmp_path), settings=settings)
    done = begin_run(
        asked, {"made-up": matrix(["passed-1"])}, plan(["passed-1"]), TORCH, lambda *_: None
    )
    ending = "The platform's validation.yaml has 43 more settings."
    assert (done.report.note or "").endswith(ending)


def test_every_fault_is_told_with_its_line(tree: Tree) -> None:
    text = OWN.replace("bfloat16: {", "bfloat61: {").replace("[bfloat16, float16]", "[float23]")
    text += "      modes: {only: [forward], reason: None.}\n"
    with pytest.raises(ProblemsError) as raised:
        apply_settings(matrices(), platform(tree, text))
    path = "accelerators/example/validation.yaml"
    assert str(raised.value).splitlines() == [
        f'{path}:5: operators has no tolerance for "bfloat61"; did you mean "bfloat16"?',
        f'{path}:7: dtype of operators cannot be "float23"; did you mean "float32"?',
        f'{path}:8: operators has no parameter "modes"; did you mean "mode"?',
    ]


def test_recipes_bring_their_check_and_enough_time(tree: Tree) -> None:
    found = apply_settings({"deploy": matrix(["from-source"])}, platform(tree, DEPLOY))["deploy"]
    made = found.deployments["from-source"]
    assert (made.recipe.script, made.recipe.timeout_s) == ("make", 7200)
    assert "import torch" in made.check.code
    assert made.check.prints.strip() == "{torch}+{variant}"
    assert found.timeout_s > 7200


def test_a_recipe_without_a_check_is_told(tree: Tree) -> None:
    with pytest.raises(ProblemsError, match=r':2: install\.yaml has no check "pyton"; did you'):
        apply_settings(
            {"deploy": matrix(["from-source"])}, platform(tree, DEPLOY.replace("python", "pyton"))
        )


def test_no_script_runs_unless_that_is_said(tree: Tree, tmp_path: Path) -> None:
    found = apply_settings({"deploy": matrix(["from-source"])}, platform(tree, DEPLOY))
    words = r"runs scripts of the platform's folder \(from-source\); read them, then add --run-scr"
    with pytest.raises(RunError, match=words):
        begin_run(request(tmp_path), found, plan(["from-source"]), TORCH, lambda *_: None)
    assert [path.name for path in tmp_path.iterdir()] == ["repository"]
    require_script_permission(dataclasses.replace(request(tmp_path), scripts=True), found)

"""A platform's folder on the command line: its settings, its recipes, and what is wrong in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from accelerator_reports.report_file import read_report
from tests.folders import INSTALL, edited, write_tree
from tests.validation_torch.conftest import Done, validate

SETTINGS = f"""\
suites:
  operators:
    tolerances:
      float32: {{rtol: 0.25, atol: 0.25, reason: Its units are coarse.}}
    axes:
      mode: {{only: [forward], reason: It has no gradients.}}
deploy:
  - id: from-source
    title: Made up
    script: |
      echo building in "$PWD"
      ls -A
    python: {sys.executable}
    check: python
"""
PLATFORM = edited((INSTALL, "{torch}+{variant}", "1.0"))
GELU = "nn.functional.gelu"


def run(folder: Path, settings: str, *words: str, **environment: str) -> Done:
    root = write_tree(
        folder / "portal", {**PLATFORM, "accelerators/example/validation.yaml": settings}
    )
    own = ["--accelerator=example", f"--known-issues={root}"]
    return validate(folder, *own, *words, **environment)


@pytest.mark.slow
def test_a_wider_tolerance_counts_and_is_told(site: str, tmp_path: Path) -> None:
    words = ["--device=paper", "--suite=operators", "-k", f"/{GELU}?"]
    done = run(tmp_path, SETTINGS, *words, site=site, PAPER_FAULTS="gelu=wrong")
    report = read_report(done.report)
    assert [(t.name, t.parameters["mode"], t.outcome) for t in report.tests] == [
        (GELU, "forward", "passed")
    ]
    assert "for float32 in operators: rtol 0.25, atol 0.25. Reason: Its units are coarse." in (
        report.note or ""
    )
    only = "This platform supports only these values of mode in operators: forward."
    assert only in (report.note or "")


@pytest.mark.slow
def test_a_setting_that_no_suite_has_is_told_with_its_line(tmp_path: Path) -> None:
    wrong = SETTINGS.replace("[forward]", "[forwards]")
    done = run(tmp_path, wrong, "--device=cpu", "--suite=operators")
    assert (done.status, done.report.exists()) == (2, False)
    assert "accelerators/example/validation.yaml:6: " in done.said
    assert 'mode of operators cannot be "forwards"; did you mean "forward"?' in done.said
    assert "Traceback" not in done.said


@pytest.mark.slow
def test_a_recipe_runs_only_when_that_is_said(tmp_path: Path) -> None:
    words = ["--device=cpu", "--suite=deploy"]
    refused = run(tmp_path, SETTINGS, *words)
    assert (refused.status, refused.report.exists()) == (2, False)
    assert "read them, then add --run-scripts" in " ".join(refused.said.split())
    planned = run(tmp_path, SETTINGS, *words, "--plan")
    assert planned.said.splitlines()[0] == "deploy/from-source"
    done = run(tmp_path, SETTINGS, *words, "--run-scripts")
    assert done.status == 0, done.said
    log = (done.tests["from-source"].log_tail or "").splitlines()
    assert log[0].startswith("building in /")
    assert len(log) == 2  # the folder was empty; then what the check printed
    assert str(tmp_path) not in log[0]


@pytest.mark.slow
def test_a_platform_without_recipes_says_where_they_belong(tmp_path: Path) -> None:
    done = run(tmp_path, "suites: {}\n", "--device=cpu", "--suite=deploy", "--run-scripts")
    assert done.status == 2
    said = " ".join(done.said.split())
    assert 'there is no recipe for "example"; add deploy: to its validation.yaml' in said

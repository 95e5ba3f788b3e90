"""The harness from its wheels beside torch, in an environment that knows no clone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from accelerator_reports.report_file import read_report
from tests.validation_torch.installing import SHIM
from tests.wheels import build_wheels, environment_with

HARNESS = ("accelerator-reports", "accelerator-validation")


@pytest.mark.torch
def test_suites_run_and_the_report_names_the_packages(tmp_path: Path) -> None:
    build_wheels(tmp_path / "wheels", HARNESS)
    python = environment_with(HARNESS[1], tmp_path / "wheels", tmp_path / "place")
    done = subprocess.run(
        [
            python.with_name("accelerator-portal"),
            *("validate", "--device", "cpu", "--suite", "operators", "-k", "cos or acos"),
            *("--out", "report.json"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SHIM)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = read_report(tmp_path / "report.json")
    assert {test.outcome for test in report.tests} == {"passed"}
    assert report.environment.packages.keys() >= {*HARNESS}
    assert "accelerator-portal" not in report.environment.packages

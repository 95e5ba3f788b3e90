"""How a run starts: what is told at once, what stops it, and a device that can do very little."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from accelerator_validation.probe import start_probe, wait_for_probe
from tests.validation_torch.conftest import validate


def test_an_import_that_hangs_is_told_apart_from_a_device_that_hangs(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", site)
    monkeypatch.setenv("PAPER_LOADING", "hang")
    with start_probe("paper") as process:
        found = wait_for_probe(process, limit_s=6)
    assert (found.fault, found.message) == ("hang", "import torch did not finish within 6 s")


def test_a_device_that_fails_leaves_its_plugin_known(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", site)
    monkeypatch.setenv("PAPER_LOADING", "absent")
    with start_probe("paper") as process:
        found = wait_for_probe(process)
    assert found.fault == "device"
    assert found.environment["plugin"]["name"] == "torch-paper"


def test_a_device_needs_no_more_than_memory_and_a_copy(site: str, tmp_path: Path) -> None:
    done = validate(
        tmp_path,
        "--device=paper",
        "--suite=integration",
        "-k",
        "views or import",
        site=site,
        PAPER_FAULTS="fill_=missing,ones=missing,sum=missing",
    )
    assert "cannot be used" not in done.said
    assert done.tests["import"].outcome == "passed"
    assert done.tests["views"].outcome == "unsupported-operator"


def test_it_says_what_it_does_at_once_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    program = "from accelerator_reports.cli import main; main()"
    report = tmp_path / "report.json"
    words = ["validate", "--device", "cpu", "--suite", "operators", "--out", str(report)]
    running = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr
    assert (
        running.stderr.readline()
        == "Importing torch, listing the tests and checking the device cpu.\n"
    )
    second = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert f"another run is writing {report}" in second.stderr
    running.send_signal(signal.SIGTERM)
    rest = running.stderr.read()
    running.stderr.close()
    assert running.wait(120) == 130
    assert "Traceback" not in rest
    assert not any(tmp_path.iterdir())


def test_a_device_that_a_forked_process_cannot_use_is_tested_in_fresh_ones(
    site: str, tmp_path: Path
) -> None:
    tests = [f"--test=operators/{name}?dtype=float32&mode=forward" for name in ("add", "exp")]
    done = validate(tmp_path, "--device=paper", *tests, site=site, PAPER_FAULTS="fork=broken")
    assert {test.outcome for test in done.tests.values()} == {"passed"}
    assert done.status == 0

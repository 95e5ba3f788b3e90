"""Tests that need torch: collected only where it is installed, as `make test-validation` does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from accelerator_reports.report import Environment, Suite, TestEntry
from accelerator_reports.report_file import read_report
from accelerator_reports.report_views import repeat_command
from accelerator_reports.test_ids import identity_of
from tests.made_once import made_once
from tests.validation_torch.installing import SHIM, install_double

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
if not find_spec("executorch"):
    collect_ignore_glob.append("test_executorch*.py")


@dataclass(frozen=True)
class Done:
    """A run of the command: how it ended, what it said, and its report where there is one."""

    status: int
    said: str
    report: Path

    @property
    def tests(self) -> dict[str, TestEntry]:
        """The tests of the report by name."""
        return {test.name: test for test in read_report(self.report).tests}

    @property
    def report_tests(self) -> tuple[TestEntry, ...]:
        """All tests of the report: some have one name and other parameters."""
        return read_report(self.report).tests

    def command(self, test: TestEntry) -> str:
        """Return the command that repeats a test of the report alone."""
        commands = {suite.name: suite.command for suite in read_report(self.report).suites}
        return repeat_command(test, commands[test.suite]) or ""

    @property
    def by_key(self) -> dict[str, TestEntry]:
        """The tests of the report by their keys."""
        return {identity_of(test).key: test for test in self.report_tests}

    @property
    def outcomes(self) -> dict[str, tuple[str, str]]:
        """The outcome and the reason of each test of the report, by its key."""
        return {key: (test.outcome, test.reason or "") for key, test in self.by_key.items()}

    @property
    def suites(self) -> tuple[Suite, ...]:
        """The suites of the report."""
        return read_report(self.report).suites

    @property
    def environment(self) -> Environment:
        """What the report says of the machine."""
        return read_report(self.report).environment


def validate(folder: Path, *words: str, **environment: str) -> Done:
    """Run `accelerator-portal validate` with the double's folder, if any, on its path."""
    path = [str(SHIM), environment.pop("site", "")]
    program = "from accelerator_reports.cli import main; main()"
    report = folder / "report.json"
    variables = {**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    done = subprocess.run(
        [sys.executable, "-c", program, "validate", *words, "--out", str(report)],
        env=variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    return Done(done.returncode, done.stdout + done.stderr, report)


def validate_once(
    factory: pytest.TempPathFactory, name: str, *words: str, **environment: str
) -> Done:
    """Run the command as `validate` does, once for all workers of this test run."""

    def make(folder: Path) -> None:
        folder.mkdir()
        done = validate(folder, *words, **environment)
        (folder / "done.json").write_text(json.dumps([done.status, done.said]), "utf-8")

    folder = made_once(factory, name, make)
    status, said = json.loads((folder / "done.json").read_text("utf-8"))
    return Done(status, said, folder / "report.json")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder in which the double is installed, entry point and all."""
    return str(made_once(tmp_path_factory, "site", install_double))

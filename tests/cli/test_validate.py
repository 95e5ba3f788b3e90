"""The command's answers where torch does not come up; a torch that is made up stands for it."""

from __future__ import annotations

import importlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from accelerator_portal.reports.report_file import read_report
from accelerator_portal.validation import launch
from accelerator_portal.validation.request import Request, RunError
from accelerator_portal.validation.resources import processors

# The package has the command under the module's name.
validate = importlib.import_module("accelerator_portal.cli.validate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for reports, in an environment where `import torch` fails."""
    torch = tmp_path / "packages/torch/__init__.py"
    torch.parent.mkdir(parents=True)
    torch.write_text('raise ImportError("libmade_up.so is missing")\n', "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.syspath_prepend(tmp_path / "packages")
    before = signal.getsignal(signal.SIGTERM)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)


def run(out: Path, *arguments: str) -> Result:
    words = ["validate", "--device", "cpu", "--out", str(out), *arguments]
    return CliRunner().invoke(main, words)


def test_a_test_that_fails_is_told_and_fails_the_command(folder: Path) -> None:
    out = folder / "report.json"
    done = run(out, "--test", "integration/import")
    assert done.exit_code == 1, done.output
    assert done.stdout == (
        "What did not pass; each line repeats one test:\n"
        "  accelerator-portal validate --device cpu --test integration/import\n"
        "The run did not come to its end: cpu cannot be used: ImportError: libmade_up.so is "
        f"missing\n1 test: 1 failed. The report is {out}.\n"
    )
    assert '"cpu" cannot be used: ImportError: libmade_up.so is missing\n' in done.stderr
    assert [test.outcome for test in read_report(out).tests] == ["failed"]


def test_only_the_suite_that_can_tell_why_is_run_without_torch(folder: Path) -> None:
    done = run(folder / "report.json", "--suite", "operators")
    assert done.exit_code == 2
    assert "libmade_up.so is missing" in " ".join(done.stderr.split())
    assert not (folder / "report.json").exists()


def test_a_run_of_speeds_goes_on_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def go_on(request: Request, *_: object) -> None:
        asked.append((request.workers, request.threads))
        raise RunError("That is all.")

    monkeypatch.setattr(validate, "suites_of_journal", lambda _: ("speed",))
    monkeypatch.setattr(launch, "go_on", go_on)
    done = run(folder / "report.json", "--resume")
    assert "That is all." in done.stderr
    assert asked == [(1, processors())]

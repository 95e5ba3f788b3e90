"""`validate --python`: torch comes from another environment, into which nothing is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_reports.cli import main
from accelerator_reports.cli.other_python import environment_for_python, without_python_option
from accelerator_reports.report_file import read_report


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "accelerator_reports.cli", "validate", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def printed_by(python: Path, program: str, environment: dict[str, str] | None = None) -> str:
    """Return what the program printed."""
    command = [str(python), "-c", program]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A Python of its own without any package but a torch that cannot be imported."""
    venv.create(tmp_path / "env", symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    torch = tmp_path / "env/lib" / version / "site-packages/torch/__init__.py"
    torch.parent.mkdir(parents=True)
    torch.write_text('raise ImportError("libmade_up.so of the other one is missing")\n', "utf-8")
    return tmp_path / "env/bin/python"


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        (["validate", "--python", "p", "--device", "cpu"], ["validate", "--device", "cpu"]),
        (["validate", "--python=p", "-k", "a"], ["validate", "-k", "a"]),
        (["validate", "--device", "cpu"], ["validate", "--device", "cpu"]),
        (["validate", "--python"], ["validate"]),
    ],
)
def test_the_other_process_gets_all_words_but_the_option(words: list[str], rest: list[str]) -> None:
    assert list(without_python_option(words)) == rest


def test_a_run_uses_the_torch_of_the_other_python(other: Path, tmp_path: Path) -> None:
    words = ["--device", "cpu", "--test", "integration/import", "--out", "report.json"]
    before = sorted(tmp_path.rglob("env/lib/**/*.py"))
    done = run(tmp_path, "--python", str(other), *words)
    assert done.returncode == 1, done.stderr
    (test,) = read_report(tmp_path / "report.json").tests
    assert "libmade_up.so of the other one is missing" in str(test.reason)
    assert sorted(tmp_path.rglob("env/lib/**/*.py")) == before


def test_what_the_other_python_has_comes_first_and_its_sitecustomize_runs(other: Path) -> None:
    site = other.parents[1] / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    site /= "site-packages"
    (site / "click.py").write_text("own = True\n", "utf-8")
    (site / "sitecustomize.py").write_text("import sys; sys.own_site = True\n", "utf-8")
    # Debian's Python has one beside the standard library, which hides that of an environment.
    alone = printed_by(other, "import sys; print(hasattr(sys, 'own_site'))")
    program = "import sys, click, pydantic; print(click.own, hasattr(sys, 'own_site'))"
    shown = printed_by(
        other, f"{program}; print(pydantic.__file__)", environment_for_python(os.environ)
    )
    assert shown.startswith(f"True {alone}")
    assert str(other.parent.parent) not in shown


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 1", "doesn't run as a Python interpreter"),
        ("echo 3.9", "is Python 3.9, but this command runs on Python 3."),
        (
            "echo 3.9",
            "uvx --python 3.9 --from ./packages/reports --with ./packages/validation accelerator-",
        ),
    ],
)
def test_what_is_no_python_or_another_version_is_refused(
    script: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)
    done = CliRunner().invoke(main, ["validate", "--python", str(file), "--device", "cpu"])
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.split())

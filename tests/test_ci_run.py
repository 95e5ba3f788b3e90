"""What `.ci/run` runs, in a folder of its own where `make` only says what it was asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.folders import REPOSITORY

# Prints two lines apart, waits for another call where it is told to, fails where it is told to.
MAKE = """#!/bin/sh
echo "first of $1"
echo "$1" >> made
while [ "$1" = "$WAITS" ] && ! grep -q "^$FOR$" made; do sleep 0.05; done
echo "last of $1"
[ "$1" != "$FAILS" ]
"""
OWN = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    shutil.copy2(REPOSITORY / ".ci/run", tmp_path / ".ci/run")
    commands = {
        "make": MAKE,
        "npm": OWN,
        "chromium-headless-shell": OWN,
        "bwrap": OWN,
        "sysctl": OWN,
    }
    for name, text in commands.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(0o755)
    return tmp_path


def ci(place: Path, *parts: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{place / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TMPDIR": str(place), **variables}
    return subprocess.run(
        [place / ".ci/run", *parts], env=environment, capture_output=True, text=True, check=False
    )


def steps(text: str) -> list[str]:
    return [line.split(":")[0] for line in text.splitlines() if line.startswith("==> ")]


def test_all_steps_run_and_each_output_stands_whole_and_in_order(place: Path) -> None:
    done = ci(place)
    assert (done.returncode, done.stderr) == (0, "")
    assert steps(done.stdout) == [
        f"==> {name}"
        for name in (
            "browser", "isolation", "set-up", "npm", "site", "test", "browser-tests", "validation-up", "validation",
            "lint", "check", "builds", "types", "workflows", "summary",
        )
    ]  # fmt: skip
    lines = done.stdout.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("first of "):
            assert lines[number + 1] == line.replace("first", "last")
    assert not list(place.glob("tmp.*"))


def test_the_types_are_checked_beside_the_rest(place: Path) -> None:
    """The check of the types waits here until the packages are built."""
    done = ci(place, "static", WAITS="types", FOR="builds")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("what", "name"),
    [("test", "test"), ("types", "types"), (".venv-validation/.installed", "validation-up")],
)
def test_a_failure_is_one_and_the_other_steps_run(place: Path, what: str, name: str) -> None:
    done = ci(place, FAILS=what)
    assert done.returncode == 1
    assert done.stdout.endswith(f"Went wrong: {name}\n")
    assert "==> workflows: " in done.stdout
    assert ("==> validation: " in done.stdout) == (name != "validation-up")


def test_without_the_tools_nothing_else_runs(place: Path) -> None:
    done = ci(place, "static", FAILS="setup")
    assert done.returncode == 1
    assert steps(done.stdout) == ["==> set-up", "==> summary"]
    assert done.stdout.endswith("Went wrong: set-up\n")


def test_an_unknown_part_is_named(place: Path) -> None:
    done = ci(place, "nothing")
    assert done.returncode == 2
    assert "there is no part 'nothing'" in done.stderr

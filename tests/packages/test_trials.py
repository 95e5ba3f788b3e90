"""Which commands are installed, in which order, and what is written."""

from __future__ import annotations

import datetime as dt
import platform as machine
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.install_check import InstallResult
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    key_of,
    read_verdicts,
)
from accelerator_portal.packages.verification import TrialOptions, run_trials
from tests.folders import EXAMPLE, Tree, loaded

DAY = dt.date(2026, 6, 1)
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows installs nothing")


@pytest.fixture
def rows(tree: Tree) -> list[InstallRow]:
    """Two releases for this machine, each with pip and uv, the newest first."""
    arch = "x86_64" if machine.machine() in {"x86_64", "AMD64"} else "aarch64"
    system = "macos" if sys.platform == "darwin" else "linux"
    every = expand(loaded(tree(EXAMPLE)))[0]
    newest = next(row for row in every if row.method == "pip" and row.build == "1.10.0")
    older = next(row for row in every if row.method == "pip" and row.build == "1.9.1")
    return [
        replace(row, method=method, os=system, arch=arch, pythons=(PYTHON,))  # type: ignore[arg-type]
        for row in (newest, older)
        for method in ("pip", "uv")
    ]


def found(rows: list[InstallRow], *trials: Trial | None) -> dict[RowKey, dict[str, Verdict]]:
    padded = (*trials, *[None] * len(rows))
    return {
        key_of(row): {PYTHON: Verdict(kind="found", on=DAY, found={"torch": row.build}, trial=t)}
        for row, t in zip(rows, padded, strict=False)
    }


def install(done: list[str], *fails: str) -> Callable[[InstallRow, float], InstallResult]:
    def installed(row: InstallRow, seconds: float) -> InstallResult:
        assert seconds > 0
        done.append(row.build)
        if row.build in fails:
            return InstallResult(output="ImportError: made up")
        return InstallResult(("torch",), checked=True)

    return installed


def trials_of(verdicts: Verdicts) -> list[str | None]:
    trials = [v.trial for by_python in verdicts.values() for v in by_python.values()]
    return [f"{t.on} {t.python} {t.imported} {t.checked}" if t else None for t in trials]


def test_equal_commands_are_installed_once_and_all_rows_say_so(
    rows: list[InstallRow], tmp_path: Path
) -> None:
    done: list[str] = []
    told: list[str] = []
    options = TrialOptions(install(done, "1.9.1"), DAY, 60, told=told.append, free_bytes=0)
    assert run_trials(tmp_path, {"example": rows}, {"example": found(rows)}, options) == 1
    assert done == ["1.10.0", "1.9.1"]
    good = f"2026-06-01 {machine.python_version()} ('torch',) True"
    assert sorted(map(str, trials_of(read_verdicts(tmp_path, "example")))) == [
        good, good, "None", "None",
    ]  # fmt: skip
    assert told[1].endswith("ImportError: made up")


def test_the_oldest_trial_comes_first_and_the_time_is_bounded(
    rows: list[InstallRow], tmp_path: Path
) -> None:
    trial = Trial(on=DAY, python="3.0.0", imported=("torch",))
    known = {"example": found(rows, trial, trial)}
    done: list[str] = []
    run_trials(
        tmp_path, {"example": rows}, known, TrialOptions(install(done), DAY, 60, free_bytes=0)
    )
    assert done == ["1.9.1", "1.10.0"]
    for bound in (
        TrialOptions(install([]), DAY, 0, free_bytes=0),
        TrialOptions(install([]), DAY, 60, free_bytes=10**18),
    ):
        told: list[str] = []
        options = replace(bound, told=told.append)
        assert run_trials(tmp_path, {"example": rows}, known, options) == 0
        assert told[0].startswith("Not installed: 2 commands, because ")


def test_an_interruption_keeps_what_was_written(rows: list[InstallRow], tmp_path: Path) -> None:
    def interrupted(row: InstallRow, _: float) -> InstallResult:
        if row.build == "1.9.1":
            raise KeyboardInterrupt
        return InstallResult(("torch",))

    options = TrialOptions(interrupted, DAY, 60, free_bytes=0)
    with pytest.raises(KeyboardInterrupt):
        run_trials(tmp_path, {"example": rows}, {"example": found(rows)}, options)
    assert sum(t is not None for t in trials_of(read_verdicts(tmp_path, "example"))) == 2


def test_what_was_not_found_or_is_for_another_machine_is_not_installed(
    rows: list[InstallRow], tmp_path: Path
) -> None:
    done: list[str] = []
    other = [replace(row, pythons=("3.1",)) for row in rows]
    options = TrialOptions(install(done), DAY, 60, free_bytes=0)
    run_trials(tmp_path, {"example": other}, {"example": found(other)}, options)
    run_trials(tmp_path, {"example": rows}, {"example": {}}, options)
    assert done == []

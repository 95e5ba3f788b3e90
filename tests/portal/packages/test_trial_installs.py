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
from accelerator_portal.packages.trial_installs import TrialOptions, run_trials
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    read_verdicts,
    verdict_row_key,
)
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
        verdict_row_key(row): {
            PYTHON: Verdict(kind="found", on=DAY, found={"torch": row.build}, trial=t)
        }
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


def run(  # noqa: PLR0913, PLR0917 - each test sets others
    root: Path,
    rows: list[InstallRow],
    known: Verdicts,
    install: Callable[[InstallRow, float], InstallResult],
    told: Callable[[str], None] = lambda _: None,
    seconds: float = 60,
    free_bytes: int = 0,
) -> None:
    """Install the commands of the platform example."""
    how = TrialOptions(day=DAY, trial_seconds=seconds, free_bytes=free_bytes, on_trial=told)
    run_trials(root, {"example": rows}, {"example": known}, how, install)


def trials_of(verdicts: Verdicts) -> list[str | None]:
    trials = [v.trial for by_python in verdicts.values() for v in by_python.values()]
    return [f"{t.on} {t.python} {t.imported} {t.checked}" if t else None for t in trials]


def test_equal_commands_are_installed_once_and_all_rows_say_so(
    rows: list[InstallRow], tmp_path: Path
) -> None:
    done: list[str] = []
    told: list[str] = []
    run(tmp_path, rows, found(rows), install(done, "1.9.1"), told.append)
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
    known = found(rows, trial, trial)
    done: list[str] = []
    run(tmp_path, rows, known, install(done))
    assert done == ["1.9.1", "1.10.0"]
    told: list[str] = []
    run(tmp_path, rows, known, install(done), told.append, seconds=0)
    run(tmp_path, rows, known, install(done), told.append, free_bytes=10**18)
    assert told == [
        "Not installed: 2 commands, because the time limit was reached.",
        "Not installed: 2 commands, because less than 1000000000 GB of disk space is free.",
    ]
    assert len(done) == 2


def test_an_interruption_keeps_what_was_written(rows: list[InstallRow], tmp_path: Path) -> None:
    def interrupted(row: InstallRow, _: float) -> InstallResult:
        if row.build == "1.9.1":
            raise KeyboardInterrupt
        return InstallResult(("torch",))

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, rows, found(rows), interrupted)
    assert sum(t is not None for t in trials_of(read_verdicts(tmp_path, "example"))) == 2


def test_what_was_not_found_or_is_for_another_machine_is_not_installed(
    rows: list[InstallRow], tmp_path: Path
) -> None:
    done: list[str] = []
    other = [replace(row, pythons=("3.1",)) for row in rows]
    run(tmp_path, other, found(other), install(done))
    run(tmp_path, rows, {}, install(done))
    assert done == []

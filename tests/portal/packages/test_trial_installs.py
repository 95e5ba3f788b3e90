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
from accelerator_portal.install.rows import CheckLine, InstallRow
from accelerator_portal.packages.trial_installs import (
    InstallResult,
    Machine,
    TrialJob,
    TrialOptions,
    import_trials,
    run_trials,
)
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    read_verdicts,
    verdict_row_key,
    write_verdicts,
)
from accelerator_reports.files.problem import ProblemsError
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


FORGED = Trial(
    on=DAY, python="3.12.1", imported=("torch", "torch", "nothing_like_it"), checked=True
)


def forging_job(tmp_path: Path, verdicts: Verdicts) -> TrialJob:
    """A job whose packages wrote all verdicts of the platform as they liked."""
    write_verdicts(tmp_path / "job", "example", verdicts)
    system = Machine("linux", "x86_64", "3.12")
    return TrialJob(tmp_path / "job/data/verdicts", system, {"example": ("torch_example",)})


def test_only_what_a_job_was_asked_for_is_imported(rows: list[InstallRow], tmp_path: Path) -> None:
    """It forges a success for every system, Python version and row, also for one of nobody."""
    systems = [
        ("linux", "x86_64"),
        ("linux", "aarch64"),
        ("macos", "aarch64"),
        ("windows", "x86_64"),
    ]
    pythons = ("3.11", "3.12", "3.13")
    every = [
        replace(row, os=os, arch=arch, pythons=pythons)  # type: ignore[arg-type]
        for row in rows
        for os, arch in systems
    ]
    verdict = Verdict(kind="found", on=DAY, found={"torch": "1.10.0"})
    ours = {verdict_row_key(row): dict.fromkeys(pythons, verdict) for row in every}
    nobodys = {("nobody", *verdict_row_key(every[0])[1:]): dict.fromkeys(pythons, verdict)}
    write_verdicts(tmp_path, "example", ours | nobodys)
    forged = verdict.model_copy(update={"trial": FORGED})
    job = forging_job(tmp_path, {key: dict.fromkeys(pythons, forged) for key in ours | nobodys})
    taken = import_trials(tmp_path, {"example": every}, job, DAY)
    accepted = {
        (*key, python)
        for key, by_python in read_verdicts(tmp_path, "example").items()
        for python, found_verdict in by_python.items()
        if found_verdict.trial
    }
    expected = {
        (*verdict_row_key(row), "3.12") for row in every if (row.os, row.arch) == systems[0]
    }
    assert accepted == expected
    assert taken == len(expected) == 4
    for by_python in read_verdicts(tmp_path, "example").values():
        for one in by_python.values():
            if one.trial:
                assert one.trial.imported == ("torch",), "no module twice or of another package"
    assert import_trials(tmp_path, {"example": every}, job, DAY) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"on": DAY - dt.timedelta(days=3)},
        {"on": DAY + dt.timedelta(days=1)},
        {"python": "3.13.1"},
        {"imported": ("nothing_like_it",)},
    ],
)
def test_an_installation_that_cannot_be_true_is_not_imported(
    rows: list[InstallRow], tmp_path: Path, change: dict[str, object]
) -> None:
    row = replace(rows[0], os="linux", arch="x86_64", pythons=("3.12",))
    verdict = Verdict(kind="found", on=DAY, found={"torch": "1.10.0"})
    ours = {verdict_row_key(row): {"3.12": verdict}}
    write_verdicts(tmp_path, "example", ours)
    trial = FORGED.model_copy(update=change)
    claimed = {verdict_row_key(row): {"3.12": verdict.model_copy(update={"trial": trial})}}
    job = forging_job(tmp_path, claimed)
    assert import_trials(tmp_path, {"example": [row]}, job, DAY) == 0
    assert read_verdicts(tmp_path, "example") == ours


@pytest.mark.parametrize("check", [CheckLine("python -c 'print(1)'", "1"), None])
def test_a_check_counts_only_if_the_option_has_one(
    rows: list[InstallRow], tmp_path: Path, check: CheckLine | None
) -> None:
    row = replace(rows[0], os="linux", arch="x86_64", pythons=("3.12",), check=check)
    verdict = Verdict(kind="found", on=DAY, found={"torch": "1.10.0"})
    write_verdicts(tmp_path, "example", {verdict_row_key(row): {"3.12": verdict}})
    forged = verdict.model_copy(update={"trial": FORGED})
    job = forging_job(tmp_path, {verdict_row_key(row): {"3.12": forged}})
    assert import_trials(tmp_path, {"example": [row]}, job, DAY) == 1
    stored = read_verdicts(tmp_path, "example")[verdict_row_key(row)]["3.12"].trial
    assert stored
    assert stored.checked == bool(check)


@pytest.mark.parametrize("fault", ["not JSON", "a negative position"])
def test_a_broken_file_of_a_job_is_named(
    rows: list[InstallRow], tmp_path: Path, fault: str
) -> None:
    job = forging_job(tmp_path, found(rows))
    file = job.folder / "example.json"
    text = file.read_text("utf-8").replace(": 0}", ": -1}")
    file.write_text("{" if fault == "not JSON" else text, "utf-8")
    with pytest.raises(ProblemsError) as error:
        import_trials(tmp_path, {"example": rows}, job, DAY)
    assert str(error.value) == (
        f"{file.as_posix()}:1: this is not a valid verdict file; run the job that wrote it again"
    )

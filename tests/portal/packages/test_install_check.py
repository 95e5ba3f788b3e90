"""Commands are really installed, from an index on loopback, and their check is run."""

from __future__ import annotations

import datetime as dt
import os
import platform
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from uv import find_uv_bin

from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import CheckLine, InstallRow, PipCall
from accelerator_portal.packages.trial_installs import (
    InstallResult,
    TrialOptions,
    install_row,
    require_isolation,
    run_trials,
    this_system,
)
from accelerator_portal.packages.uv_resolution import Uv
from accelerator_portal.packages.verdict_file import (
    Trial,
    Verdict,
    read_verdicts,
    verdict_row_key,
    write_verdicts,
)
from accelerator_reports.files.problem import UserError
from tests.folders import EXAMPLE, Tree, loaded
from tests.packages_index import Wheel, serve

PRINTS = CheckLine("python3 -c 'import made_up; print(made_up.__version__)'", "1.0")


def fault_of_isolation() -> str:
    try:
        require_isolation()
    except UserError as error:
        return str(error)
    return ""


NO_ISOLATION = fault_of_isolation()
pytestmark = pytest.mark.skipif(bool(NO_ISOLATION), reason=NO_ISOLATION)


@pytest.fixture
def uv(tmp_path: Path) -> Iterator[Uv]:
    with serve(Wheel("made-up", "1.0")) as index:
        yield Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)


@pytest.fixture
def row(tree: Tree) -> InstallRow:
    found = next(row for row in expand(loaded(tree(EXAMPLE)))[0] if row.method == "pip")
    return replace(found, calls=(PipCall(("made-up",)),), check=PRINTS)


def test_what_installs_is_imported_and_checked(row: InstallRow, uv: Uv) -> None:
    assert install_row(row, uv, 300) == InstallResult(("made_up",), checked=True, output="1.0")


def test_what_prints_something_else_is_imported_only(row: InstallRow, uv: Uv) -> None:
    other = replace(row, check=replace(PRINTS, prints="2.0"))
    assert install_row(other, uv, 300) == InstallResult(("made_up",), output="1.0")
    assert install_row(replace(row, check=None), uv, 300) == InstallResult(("made_up",))


def test_what_fails_at_import_says_so(row: InstallRow, tmp_path: Path) -> None:
    with serve(Wheel("made-up", "1.0", source="import nothing_of_that_name\n")) as index:
        uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)
        done = install_row(row, uv, 300)
    assert done.imported == ()
    assert "ModuleNotFoundError" in done.output


@pytest.mark.parametrize(
    "source", ["import os; os.write(1, b'\\xff')\n", "print('imported: all of it')\n"]
)
def test_what_prints_anything_at_its_import_is_imported(
    row: InstallRow, tmp_path: Path, source: str
) -> None:
    with serve(Wheel("made-up", "1.0", source=source)) as index:
        uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)
        done = install_row(replace(row, check=None), uv, 300)
    assert done == InstallResult(("made_up",))


def test_what_cannot_be_installed_says_why(row: InstallRow, uv: Uv) -> None:
    done = install_row(replace(row, calls=(PipCall(("unknown",)),)), uv, 300)
    assert not done.imported
    assert "unknown" in done.output


def test_nothing_of_this_machine_is_seen(row: InstallRow, uv: Uv) -> None:
    """The portal itself is installed here, and not there."""
    seen = CheckLine("python3 -c 'import accelerator_portal'", "")
    assert not install_row(replace(row, check=seen), uv, 300).checked


ATTACK = """
import os, pathlib, socket, subprocess, sys, time
done = []
def attempt(name, work):
    try:
        work()
    except OSError:
        return
    done.append(name)
attempt("write", lambda: pathlib.Path({victim!r}).write_text("forged"))
attempt("add", lambda: pathlib.Path({victim!r} + ".more").write_text("forged"))
attempt("tmp", lambda: pathlib.Path("/tmp/portal-trial-was-here").write_text("x"))
attempt("signal", lambda: os.kill({process}, 0))
attempt("network", lambda: socket.create_connection(("127.0.0.1", {port}), 5))
if set(os.listdir("/run")) - {{"systemd"}}:
    done.append("services")
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "portal-trial-daemon"])
print("done:", *done)
"""


def test_a_package_reaches_nothing_outside_its_environment(row: InstallRow, tmp_path: Path) -> None:
    """It tries each way at its import; its check prints in which it succeeded."""
    victim = tmp_path / "verdicts.json"
    victim.write_text("ours", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        source = ATTACK.format(
            victim=str(victim), process=os.getpid(), port=listening.getsockname()[1]
        )
        with serve(Wheel("made-up", "1.0", source=source)) as index:
            uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, 0)
            check = CheckLine("python3 -c 'import made_up'", "done:")
            result = install_row(replace(row, check=check), uv, 300)
    assert result == InstallResult(("made_up",), checked=True, output="done:")
    assert victim.read_text("utf-8") == "ours"
    assert not Path(f"{victim}.more").exists()
    programs = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(b"portal-trial-daemon" in program for program in programs)


FORGERY = """
import pathlib
try:
    pathlib.Path({file!r}).write_text({text!r})
except OSError:
    print("\\nimported: refused")
print("\\nimported: torch")
"""


def test_a_package_cannot_write_the_result_of_another_command(
    row: InstallRow, tmp_path: Path
) -> None:
    """It knows the file and a forged text; only the process outside writes results."""
    day, system = dt.date(2026, 6, 1), this_system()
    mine = replace(row, os=system.os, arch=system.arch, pythons=(system.python,), check=None)  # type: ignore[arg-type]
    others = replace(mine, platform="other", calls=(PipCall(("unreached",)),))
    verdict = Verdict(kind="found", on=day, found={"made-up": "1.0"})
    trial = Trial(on=day, python=platform.python_version(), imported=("torch",))
    file = tmp_path / "data/verdicts/other.json"
    write_verdicts(
        tmp_path,
        "other",
        {verdict_row_key(others): {system.python: verdict.model_copy(update={"trial": trial})}},
    )
    source = FORGERY.format(file=str(file), text=file.read_text("utf-8"))
    rows = {mine.platform: [mine], "other": [others]}
    known = {
        name: {verdict_row_key(one): {system.python: verdict} for one in of}
        for name, of in rows.items()
    }
    for name, verdicts in known.items():
        write_verdicts(tmp_path, name, verdicts)
    with serve(Wheel("made-up", "1.0", source=source)) as index:
        uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)
        options = TrialOptions(day=day, trial_seconds=300, free_bytes=0)
        run_trials(tmp_path, rows, known, options, lambda one, left: install_row(one, uv, left))
    (done,) = read_verdicts(tmp_path, mine.platform).values()
    result = done[system.python].trial
    assert result is not None
    assert set(result.imported) == {"refused", "torch", "made_up"}
    assert read_verdicts(tmp_path, "other") == known["other"]


def test_installing_needs_the_isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="isolated with bubblewrap"):
        require_isolation()

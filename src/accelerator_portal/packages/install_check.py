"""Really installing a command in a fresh environment, and running its own check.

Only on a machine of the command's own kind, and apart from the machine's configuration of pip and
uv. What ran here once is said to have run, with the day; it says nothing of other machines.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.uv_resolution import Uv, environment, index_options

SECONDS = 1800

_SYSTEMS = {"Linux": "linux", "Darwin": "macos"}
_MACHINES = {"x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True)
class InstallResult:
    """What came of it: whether the check printed what it should, and the last lines of output."""

    ran: bool
    output: str


def is_of_this_machine(row: InstallRow, python: str) -> bool:
    """Say whether a row's commands are for the system, processor and Python that run this."""
    here = (_SYSTEMS.get(platform.system()), _MACHINES.get(platform.machine()))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (row.os, row.arch) == here and python == version


def install_row(row: InstallRow, uv: Uv) -> InstallResult:
    """Install a row's packages with uv in a fresh environment and run its check.

    Raises OSError where there is no room for it.
    """
    if row.check is None or not row.calls:
        return InstallResult(ran=False, output="the command has no check or no package")
    with TemporaryDirectory(prefix="portal-trial-") as folder:
        steps = [["venv", "--clear", "--python", str(uv.python), folder]]
        for call in row.calls:
            options = index_options(call, uv, first_index=row.method == "uv")
            place = ["--python", str(Path(folder, "bin/python"))]
            steps.append(["pip", "install", *place, *options, *call.packages])
        for words in steps:
            done = _run([str(uv.program), "--no-config", *words], environment(uv))
            if done.returncode:
                return InstallResult(ran=False, output=_tail(done.stderr))
        return _check(shlex.split(row.check.command), row.check.prints, Path(folder), uv)


def _check(command: list[str], prints: str, place: Path, uv: Uv) -> InstallResult:
    """Run the check as a reader would: with the fresh environment first on the path."""
    variables = environment(uv)
    variables["PATH"] = os.pathsep.join([str(place / "bin"), variables["PATH"]])
    program = str(place / "bin" / command[0])
    done = _run([program, *command[1:]], variables)
    same = done.stdout.split() == prints.split()
    return InstallResult(ran=done.returncode == 0 and same, output=_tail(done.stdout + done.stderr))


def _run(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"more than {SECONDS} seconds")


def _tail(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-10:])

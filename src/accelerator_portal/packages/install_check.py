"""Installs the packages of an install command in a fresh environment, and tests them.

It imports the packages, then runs the check of the install option: a command that must print a
certain text. This works only on a machine with the system, processor and Python version that the
install command is for. It ignores the machine's configuration of pip and uv. Installing and
importing run the packages' code: each step is isolated (see `isolation`) and can read the machine's
files, so never run it on a machine with credentials.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.isolation import isolated
from accelerator_portal.packages.uv_resolution import (
    Uv,
    index_options,
    package_names,
    uv_environment,
)

# Imports the modules of the named packages. If no module has the package's name, imports all of the
# package's modules.
_IMPORT_CODE = """
import importlib, re, sys
from importlib.metadata import packages_distributions
def plain(name): return re.sub(r"[-_.]+", "_", name).lower()
found = packages_distributions()
for name in map(plain, sys.argv[1:]):
    own = [m for m, of in found.items() if name in map(plain, of) and m.isidentifier()]
    for module in [name] if name in own else own:
        importlib.import_module(module)
        print("\\nimported:", module)
"""
# A package may print lines of its own, also similar ones.
_IMPORTED = re.compile(r"^imported: ([A-Za-z_]\w*)$", re.MULTILINE)

_SYSTEMS = {"Linux": "linux", "Darwin": "macos"}
_MACHINES = {"x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The result of installing the packages of an install row.

    `imported` has the imported modules; it is empty if the installation or an import failed.
    The check is a command of the install option. `checked` is true if it printed the expected text.
    `output` is the end of the output of the installation, import or check that failed. If none
    failed, it is the end of the check's output, or empty if the row has no check.
    """

    imported: tuple[str, ...] = ()
    checked: bool = False
    output: str = ""


class Machine(NamedTuple):
    """An operating system, a processor architecture and a Python version such as `3.12`.

    The names are those of install rows; a name is empty if no install row is for this system.
    """

    os: str
    arch: str
    python: str


def this_system() -> Machine:
    """Return the system of this machine."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    os_name, arch = _SYSTEMS.get(platform.system(), ""), _MACHINES.get(platform.machine(), "")
    return Machine(os_name, arch, version)


def install_row(row: InstallRow, uv: Uv, seconds: float) -> InstallResult:
    """Install a row's packages with uv in a fresh environment, import them and run its check.

    If `seconds` elapse, the step that runs is stopped and counts as failed. Each step is isolated:
    only the installation has a network, and no step can write outside the environment. The
    environment and all downloads are removed at the end. Raises OSError if the disk is full.
    """
    deadline = time.monotonic() + seconds
    with TemporaryDirectory(prefix="portal-trial-") as folder:
        own_uv = replace(uv, cache=Path(folder, "cache"))
        own_uv.cache.mkdir()
        venv = Path(folder, "environment")
        python = str(venv / "bin/python")
        steps = [["venv", "--python", str(uv.python), str(venv)]]
        for call in row.calls:
            options = index_options(call, own_uv, first_index=row.method == "uv")
            steps.append(["pip", "install", "--python", python, *options, *call.packages])
        for arguments in steps:
            command = [str(uv.program), "--no-config", *arguments]
            run = _run_command(command, own_uv, deadline, network=True)
            if run.returncode:
                return InstallResult(output=_last_lines(run.stderr))
        names = package_names(package for call in row.calls for package in call.packages)
        run = _run_command([python, "-c", _IMPORT_CODE, *names], own_uv, deadline)
        imported = tuple(dict.fromkeys(_IMPORTED.findall(run.stdout)))
        if run.returncode or not imported:
            return InstallResult(output=_last_lines(run.stderr or "no module to import"))
        return _run_check(row, InstallResult(imported), venv, own_uv, deadline)


def _run_check(
    row: InstallRow, result: InstallResult, venv: Path, uv: Uv, deadline: float
) -> InstallResult:
    """Run the row's check in the environment at `venv`; return `result` with the check's output.

    `checked` of the returned result says whether the check printed the expected text. Returns
    `result` unchanged if the row has no check. `deadline` is the time limit, as a value of
    `time.monotonic()`.
    """
    if row.check is None:
        return result
    command = shlex.split(row.check.command)
    program = str(venv / "bin" / command[0])
    run = _run_command([program, *command[1:]], uv, deadline, path=f"{venv / 'bin'}{os.pathsep}")
    is_expected = run.returncode == 0 and run.stdout.split() == row.check.prints.split()
    return replace(result, checked=is_expected, output=_last_lines(run.stdout + run.stderr))


def _run_command(
    command: list[str], uv: Uv, deadline: float, *, network: bool = False, path: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command isolated in the folder that has uv's cache; `path` is put before PATH."""
    folder = uv.cache.parent
    variables = uv_environment(uv)
    variables |= {"PATH": path + variables["PATH"], "TMPDIR": str(uv.cache)}
    try:
        return subprocess.run(
            isolated(command, folder, network=network),
            env=variables,
            capture_output=True,
            encoding="utf-8",
            errors="replace",  # a package may print anything when it is imported
            check=False,
            timeout=max(1, deadline - time.monotonic()),
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(
            command, 1, "", "the time limit for installations was reached"
        )


def _last_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-10:])

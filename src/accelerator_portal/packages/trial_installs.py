"""Tests install commands by installing them, isolated, and stores each success.

Commands that were never installed come first, then those with the oldest installation. Each
platform's newest release comes before earlier ones. There are limits of time and disk space. Each
success is written at once, so that an interruption loses none. Results can also come from another
job, whose files are not trusted.
"""

from __future__ import annotations

import datetime as dt
import os
import platform as machine
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from accelerator_portal.catalog.progress import Progress, no_progress
from accelerator_portal.install.rows import CheckLine, InstallRow
from accelerator_portal.packages.uv_resolution import (
    ResolutionQuestion,
    Uv,
    index_options,
    package_names,
    questions_of_row,
    uv_environment,
)
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    read_verdict_file,
    read_verdicts,
    verdict_row_key,
    write_verdicts,
)
from accelerator_reports.files.problem import Problem, ProblemsError, UserError

# Isolates a program of a stranger from the machine with bubblewrap.
#
# The program can write to one folder only, sees no other process, and cannot get more rights than
# the user has. It ends with the process that started it, and so does everything that it started.

PROGRAM = "bwrap"

# Sockets of services, such as Docker's, are in /run. The settings of name resolution are, too.
_SERVICES = ("--tmpfs", "/run", "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")


def isolated(command: Sequence[str], folder: Path, *, network: bool) -> list[str]:
    """Return the command that runs `command` isolated: it can write only below `folder`.

    `folder` is its current folder, and must exist. Without `network`, it has no network.
    """
    shared = ["--share-net"] if network else []
    place = str(folder)
    return [
        *(PROGRAM, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_SERVICES),
        *("--bind", place, place, "--chdir", place),
        *("--unshare-all", *shared, "--new-session", "--die-with-parent", "--", *command),
    ]


def require_isolation() -> None:
    """Raise UserError if programs cannot be isolated on this machine; the message has the fix."""
    if sys.platform != "linux":
        raise UserError("installations are isolated with bubblewrap. Use a machine with Linux")
    if shutil.which(PROGRAM) is None:
        install = "Install it: apt-get install bubblewrap"
        raise UserError(f"installations are isolated with bubblewrap ({PROGRAM}). {install}")
    run = subprocess.run(
        isolated(["true"], Path.cwd(), network=False), capture_output=True, text=True, check=False
    )
    if run.returncode:
        what = f"bubblewrap does not work on this machine ({run.stderr.strip()[:200]})"
        raise UserError(f"{what}. Allow user namespaces, or use another machine")


# Installs the packages of an install command in a fresh environment, and tests them.
#
# It imports the packages, then runs the check of the install option: a command that must print a
# certain text. This works only on a machine with the system, processor and Python version that the
# install command is for. It ignores the machine's configuration of pip and uv. Installing and
# importing run the packages' code: each step is isolated (see `isolation`) and can read the
# machine's files, so never run it on a machine with credentials.

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
    os_name, arch = _SYSTEMS.get(machine.system(), ""), _MACHINES.get(machine.machine(), "")
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


MIN_FREE_BYTES = 10 * 10**9
"""The free disk space that an installation needs: a CUDA build takes 5.3 GB, its downloads 3 GB."""

MAX_TRIAL_AGE = dt.timedelta(days=2)
"""The maximum age of an installation by another job that `import_trials` accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOptions:
    """Options of test installations: `day` is their date."""

    day: dt.date
    trial_seconds: float = 0
    """The time limit for all installations. If it is 0, nothing is installed."""
    free_bytes: int = MIN_FREE_BYTES
    """The free disk space that must be left before each installation, in bytes."""
    progress: Progress = no_progress
    on_trial: Callable[[str], None] = lambda _: None
    """Called with a line about the result of each installation."""


TrialInstall = Callable[[InstallRow, float], InstallResult]
"""A function that installs an install row within a number of seconds. It may raise OSError."""


class _CommandUse(NamedTuple):
    """An install row (`row`) for this machine, with one Python version (`python`).

    `last_day` is the day of the last installation. `number` is the row's position, from 0, among
    those rows of its platform that are for this machine.
    """

    last_day: dt.date
    number: int
    row: InstallRow
    python: str


def run_trials(
    root: Path,
    rows: Mapping[str, Sequence[InstallRow]],
    known: Mapping[str, Verdicts],
    options: TrialOptions,
    install: TrialInstall,
) -> None:
    """Install the commands for this machine, and write the successful installations.

    Only commands for which uv found versions are installed. Success means that all packages are
    installed and imported. `rows` are the install rows and `known` the verdicts of each platform,
    by platform id. Raises OSError if a result cannot be written, or if `install` raises it.
    """
    deadline = time.monotonic() + options.trial_seconds
    results = {name: {key: dict(v) for key, v in by_key.items()} for name, by_key in known.items()}
    candidates = _trial_candidates(rows, results, this_system())
    with options.progress("installing", len(candidates)) as advance:
        for number, uses in enumerate(candidates):
            seconds_left = deadline - time.monotonic()
            if (
                seconds_left <= 0
                or shutil.disk_usage(tempfile.gettempdir()).free < options.free_bytes
            ):
                disk_text = f"less than {options.free_bytes / 10**9:.0f} GB of disk space is free"
                why = "the time limit was reached" if seconds_left <= 0 else disk_text
                stop_message = f"Not installed: {len(candidates) - number} commands, because {why}."
                options.on_trial(stop_message)
                break
            row = uses[0].row
            install_result = install(row, seconds_left)
            name = f"{row.platform} {row.option} {row.build}"
            if not install_result.imported:
                options.on_trial(f"{name}: {install_result.output}")
            else:
                trial = Trial(
                    on=options.day,
                    python=machine.python_version(),
                    imported=install_result.imported,
                    checked=install_result.checked,
                )
                _write_trial(root, uses, results, trial)
                options.on_trial(f"{name}: imported {', '.join(install_result.imported)}")
            advance()


@dataclass(frozen=True, slots=True)
class TrialJob:
    """Another job that installed commands with `run_trials`.

    `folder` has the verdict files that it wrote. `system` is the system of its machine. `modules`
    are the modules, by platform id, whose import it may report besides the packages' own names.
    """

    folder: Path
    system: Machine
    modules: Mapping[str, Collection[str]]


def import_trials(
    root: Path, rows: Mapping[str, Sequence[InstallRow]], job: TrialJob, day: dt.date
) -> int:
    """Add another job's installations to the verdicts; return the number of changed verdicts.

    The other job ran the packages' code. Its files are therefore not trusted: an installation is
    accepted only for a row that the job was to install on its system, with the same versions as
    the verdict below `root`, at most two days old (MAX_TRIAL_AGE). Only modules of the packages
    that the command names are accepted, and a check only if the install option has one. `rows` are
    the install rows by platform id.

    Raises ProblemsError if a verdict file cannot be read. The installations in the other files are
    added first.
    """
    change_count = 0
    problems: list[Problem] = []
    for platform, platform_rows in rows.items():
        try:
            imported = _read_job_file(job.folder / f"{platform}.json")
            ours = {
                key: dict(by_python) for key, by_python in read_verdicts(root, platform).items()
            }
        except ProblemsError as error:
            problems += error.problems
            continue
        changes = 0
        for uses in _trial_candidates({platform: platform_rows}, {platform: ours}, job.system):
            for use in uses:
                key = verdict_row_key(use.row)
                verdict = ours[key][use.python]
                claimed = imported.get(key, {}).get(use.python)
                ours[key][use.python] = _with_accepted_trial(verdict, claimed, use.row, job, day)
                changes += ours[key][use.python] != verdict
        if changes:
            write_verdicts(root, platform, ours)
            change_count += changes
    if problems:
        raise ProblemsError(problems)
    return change_count


def _read_job_file(file: Path) -> Verdicts:
    """Return the verdicts in a file of another job. Raises ProblemsError, which names this file."""
    try:
        return read_verdict_file(file)
    except ProblemsError as error:
        remedy = "run the job that wrote it again"
        raise ProblemsError(
            replace(problem, path=file.as_posix(), remedy=remedy) for problem in error.problems
        ) from None


def _module_names(row: InstallRow) -> set[str]:
    """Return the names of the packages that a row's command names, as names of modules."""
    names = package_names(package for call in row.calls for package in call.packages)
    return {name.replace("-", "_") for name in names}


def _with_accepted_trial(
    verdict: Verdict, claimed: Verdict | None, row: InstallRow, job: TrialJob, day: dt.date
) -> Verdict:
    trial = claimed.trial if claimed and claimed.found == verdict.found else None
    if trial is None or (verdict.trial and verdict.trial.on >= trial.on):
        return verdict
    allowed = _module_names(row).union(job.modules.get(row.platform, ()))
    imported = tuple(module for module in dict.fromkeys(trial.imported) if module in allowed)
    is_recent = day - MAX_TRIAL_AGE <= trial.on <= day
    same_python = trial.python.startswith(f"{job.system.python}.")
    if not (imported and is_recent and same_python):
        return verdict
    checked = trial.checked and row.check is not None
    accepted = trial.model_copy(update={"imported": imported, "checked": checked})
    return verdict.model_copy(update={"trial": accepted})


def _write_trial(
    root: Path,
    uses: Sequence[_CommandUse],
    results: Mapping[str, dict[RowKey, dict[str, Verdict]]],
    trial: Trial,
) -> None:
    for use in uses:
        verdicts = results[use.row.platform][verdict_row_key(use.row)]
        verdicts[use.python] = verdicts[use.python].model_copy(update={"trial": trial})
    for platform in {use.row.platform for use in uses}:
        write_verdicts(root, platform, results[platform])


def _trial_candidates(
    rows: Mapping[str, Sequence[InstallRow]], verdicts: Mapping[str, Verdicts], system: Machine
) -> list[list[_CommandUse]]:
    """Return the commands for a system for which uv found versions.

    Each command is a list of the install rows that have it. `rows` and `verdicts` have platform ids
    as keys. Commands that were never installed come first, then the commands with the oldest
    installation.
    """
    uses_by_command: dict[tuple[ResolutionQuestion, CheckLine | None], list[_CommandUse]] = {}
    for platform, platform_rows in rows.items():
        local_rows = (
            (row, python, question)
            for row in platform_rows
            for python, question in questions_of_row(row).items()
            if (row.os, row.arch, python) == system
        )
        for number, (row, python, question) in enumerate(local_rows):
            verdict = verdicts.get(platform, {}).get(verdict_row_key(row), {}).get(python)
            if verdict and verdict.kind == "found":
                last_day = verdict.trial.on if verdict.trial else dt.date.min
                use = _CommandUse(last_day, number, row, python)
                uses_by_command.setdefault((question, row.check), []).append(use)
    return sorted(uses_by_command.values(), key=lambda uses: min(use[:2] for use in uses))

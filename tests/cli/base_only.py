"""The command in a process that has the base dependencies alone, as beside a plugin."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.folders import REPOSITORY

NAME = "accelerator-portal"

# A module that is blocked is one that is not installed: for imports, and for `find_spec`.
_PROGRAM = """
import json, sys
blocked, command_lines = json.load(sys.stdin)

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from accelerator_portal.cli import main
from click.testing import CliRunner
runs = [CliRunner().invoke(main, line, prog_name="accelerator-portal") for line in command_lines]
print(json.dumps([[run.exit_code, run.stdout, run.stderr] for run in runs]))
"""


@dataclass(frozen=True)
class Done:
    """What a command line came to."""

    returncode: int
    stdout: str
    stderr: str


@cache
def blocked_modules() -> frozenset[str]:
    """The modules of all installed packages that are no base dependency, nor needed by one."""
    base = _required(NAME)
    modules = metadata.packages_distributions().items()
    return frozenset(m for m, owners in modules if base.isdisjoint(map(canonicalize_name, owners)))


def run_base_only(command_lines: Iterable[Iterable[str]]) -> list[Done]:
    """Run commands where all other packages are missing."""
    return run_together(command_lines, REPOSITORY, blocked_modules())


def run_together(
    command_lines: Iterable[Iterable[str]], folder: Path, blocked: Iterable[str] = ()
) -> list[Done]:
    """Run commands in a folder, one after the other in one process, which may take two minutes."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([sorted(blocked), [[*line] for line in command_lines]]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=folder,
        timeout=120,
    )
    return [Done(*run) for run in json.loads(done.stdout)]


def _required(name: str) -> set[str]:
    """A package and all that it requires without an extra."""
    found, open_ = set[str](), [canonicalize_name(name)]
    while open_:
        package = open_.pop()
        if package in found:
            continue
        found.add(package)
        for line in metadata.requires(package) or ():
            requirement = Requirement(line)
            if not requirement.marker or requirement.marker.evaluate({"extra": ""}):
                open_.append(canonicalize_name(requirement.name))
    return found

"""The command in a process that has the base dependencies alone, as beside a plugin."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.folders import REPOSITORY

NAME = "accelerator-portal"

# A module that is blocked is one that is not installed: for imports, and for `find_spec`.
_PROGRAM = """
import json, sys
blocked, arguments = set(json.loads(sys.argv[1])), sys.argv[2:]

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from accelerator_portal.cli import main
main(arguments, prog_name="accelerator-portal")
"""


@cache
def blocked_modules() -> frozenset[str]:
    """The modules of all installed packages that are no base dependency, nor needed by one."""
    base = _required(NAME)
    modules = metadata.packages_distributions().items()
    return frozenset(m for m, owners in modules if base.isdisjoint(map(canonicalize_name, owners)))


def run_base_only(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command where all other packages are missing."""
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(sorted(blocked_modules())), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )


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

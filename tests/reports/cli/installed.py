"""The command in a process that has only some of the packages that are installed here."""

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

from tests.folders import PACKAGES, REPOSITORY

# A distribution that is blocked is one that is not installed: for its modules and its metadata.
_PROGRAM = """
import json, sys
from importlib.metadata import MetadataPathFinder
from packaging.utils import canonicalize_name
blocked, distributions, command_lines = json.load(sys.stdin)

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

every = MetadataPathFinder.find_distributions

def left(*context):
    return (one for one in every(*context) if canonicalize_name(one.name) not in distributions)

MetadataPathFinder.find_distributions = left
sys.meta_path.insert(0, Blocked())
from accelerator_reports.cli import main
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


@dataclass(frozen=True)
class Missing:
    """The modules and distributions that a process does without."""

    modules: frozenset[str] = frozenset()
    distributions: frozenset[str] = frozenset()


@cache
def all_but(*names: str) -> Missing:
    """All that is installed here, but not with these distributions alone: they and their needs."""
    base = frozenset[str]().union(*map(_required, names))
    owners = {
        module: {canonicalize_name(name) for name in found}
        for module, found in metadata.packages_distributions().items()
    }
    # An editable install lists no module.
    owners |= {one.replace("-", "_"): {canonicalize_name(one)} for one in PACKAGES}
    return Missing(
        frozenset(module for module, found in owners.items() if base.isdisjoint(found)),
        frozenset(canonicalize_name(one.name) for one in metadata.distributions()) - base,
    )


def run_base_only(command_lines: Iterable[Iterable[str]], *names: str) -> list[Done]:
    """Run commands where these distributions are installed, with what they require."""
    return run_together(command_lines, REPOSITORY, all_but(*names))


def run_together(
    command_lines: Iterable[Iterable[str]], folder: Path, missing: Missing = Missing()
) -> list[Done]:
    """Run commands in a folder, one after the other in one process, which may take two minutes."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps(
            [
                sorted(missing.modules),
                sorted(missing.distributions),
                [[*line] for line in command_lines],
            ]
        ),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=folder,
        timeout=120,
    )
    return [Done(*run) for run in json.loads(done.stdout)]


def _required(name: str) -> set[str]:
    """A distribution and all that it requires without an extra, or with those that are required."""
    found, open_ = set[tuple[str, str]](), [(canonicalize_name(name), "")]
    while open_:
        package, extra = open_.pop()
        if (package, extra) in found:
            continue
        found.add((package, extra))
        for line in metadata.requires(package) or ():
            requirement = Requirement(line)
            if not requirement.marker or requirement.marker.evaluate({"extra": extra}):
                needed = canonicalize_name(requirement.name)
                open_ += [(needed, one) for one in ("", *requirement.extras)]
    return {package for package, _ in found}

"""Calls act on this machine, without containers, with actions and GitHub replaced."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

# The folder in `actions/` that replaces each action.
ACTIONS: Mapping[str, str] = {
    "actions/checkout": "checkout",
    "actions/setup-python": "setup-python",
    "actions/upload-artifact": "upload",
    "actions/upload-pages-artifact": "upload",
    "actions/download-artifact": "download",
    "actions/deploy-pages": "nothing",
    "actions/attest-build-provenance": "nothing",
}
_USES_LINE = re.compile(r"^\s*(?:- )?uses: ([\w-]+/[\w-]+)@([0-9a-f]{40})", re.MULTILINE)
# A proxy that does not exist, so that requests to the network fail at once.
_UNREACHABLE_PROXY = "http://127.0.0.1:9"
_MAKE_VARIABLES = {"ARGS", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "PYTHONPATH"}
_LOOPBACK = "127.0.0.1,localhost"


@dataclass(frozen=True, slots=True)
class ActCall:
    """A call of act; `job` and `matrix` limit it to one job and one combination of its matrix."""

    project: Path
    workflow: str
    event: str
    payload: Path
    job: str | None = None
    matrix: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of the repository, which workflows read from `vars`."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    """Additional environment variables of the jobs."""


def used_actions(workflows: Iterable[Path]) -> dict[str, str]:
    """Return the folder that replaces each action that workflows use, by name and commit.

    A key is for example `actions/checkout@<commit>`. Raises KeyError for an action that ACTIONS
    does not have.
    """
    texts = [file.read_text("utf-8") for file in workflows]
    used = {found for text in texts for found in _USES_LINE.findall(text)}
    return {f"{name}@{ref}": str(HERE / "actions" / ACTIONS[name]) for name, ref in sorted(used)}


def act_command(act: str, call: ActCall) -> list[str]:
    """Return the command line of a call of act.

    `act` is the path of the program. The command line has only the names of secrets; act reads
    their values from its environment.
    """
    workflows = call.project / ".github/workflows"
    return [act, call.event, *_options(call, used_actions(workflows.glob("*.yml")))]


def _options(call: ActCall, actions: Mapping[str, str]) -> Iterator[str]:
    yield from ("--workflows", f".github/workflows/{call.workflow}")
    yield from ("--eventpath", str(call.payload))
    yield from ("--platform", "ubuntu-24.04=-self-hosted")
    # In containers, act can skip the checkout; here it is a step like any other.
    yield from ("--no-skip-checkout", "--no-cache-server", "--pull=false", "--rm")
    yield from ("--defaultbranch", "main", "--concurrent-jobs", "1")
    for action, folder in actions.items():
        yield from ("--local-repository", f"{action}={folder}")
    for option, given in (("--var", call.variables), ("--input", call.inputs)):
        for name, value in given.items():
            yield from (option, f"{name}={value}")
    for name in call.secrets:
        yield from ("--secret", name)
    for name, value in call.environment.items():
        yield from ("--env", f"{name}={value}")
    for option, text in (("--job", call.job), ("--matrix", call.matrix)):
        if text:
            yield from (option, text)


def offline_variables() -> dict[str, str]:
    """Return environment variables that limit a job's network access to this machine."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    found = {name: _UNREACHABLE_PROXY for upper in names for name in (upper, upper.lower())}
    return {**found, "NO_PROXY": _LOOPBACK, "no_proxy": _LOOPBACK, "UV_OFFLINE": "1"}


def without_make_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables without PYTHONPATH and without those that `make` sets.

    The jobs run `make` themselves.
    """
    return {name: value for name, value in variables.items() if name not in _MAKE_VARIABLES}


def run_act(act: str, call: ActCall, home: Path, log: Path) -> int:
    """Run act and return its exit status.

    `home` is the home folder of the jobs, `log` the file for the output.
    """
    home.mkdir(parents=True, exist_ok=True)
    path = f"{HERE / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # Jobs write git's settings into HOME. pip still uses its usual cache.
    kept = {"PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache/pip")}
    environment = {
        **without_make_variables(os.environ),
        **kept,
        **call.secrets,
        "HOME": str(home),
        "PATH": path,
    }
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            act_command(act, call),
            cwd=call.project,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode


def job_variables(spool: Path, origin: Path, workflow: str, api: str) -> dict[str, str]:
    """Return the environment variables for the replaced actions and the portal's commands."""
    return {
        "GITHUB_API_URL": api,
        "PORTAL_ACT_ROOT": str(ROOT),
        "PORTAL_ACT_PYTHON": sys.executable,
        "PORTAL_ACT_SPOOL": str(spool),
        "PORTAL_ACT_ORIGIN": str(origin),
        "PORTAL_ACT_WORKFLOW": workflow,
    }

"""Run the GitHub workflows with act on this machine, as far as they can run without GitHub.

GitHub is replaced by the tests' double on loopback. No workflow runs this; call `make act`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.automation.github_apps import APP_ID, private_key
from tests.automation.github_double import BOT, OWN_TOKEN, serve
from tests.automation.upstream.scene import HOME
from tools.act.github import ActDouble, make_repository
from tools.act.scenarios import NOT_RUN, SCENARIOS, Scenario

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOGS = ROOT / ".cache/act"

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
# Jobs run `make` themselves.
_MAKE_VARIABLES = {"ARGS", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "PYTHONPATH"}
# act prints this for each job that succeeds, and nothing for a job that it skips.
_SUCCEEDED = "Job succeeded"


def main() -> int:
    """Run the scenarios of the named workflows, or all scenarios; print a line for each.

    Also prints a line for each job that is not run. Returns 1 if a scenario failed.
    """
    parser = argparse.ArgumentParser(prog="make act", description=__doc__)
    parser.add_argument("workflows", nargs="*", metavar="WORKFLOW", help="for example pages.yml")
    parser.add_argument("--act", type=Path, required=True, help="the program act")
    arguments = parser.parse_args()
    known = {scenario.workflow for scenario in SCENARIOS} | {name for name, _ in NOT_RUN}
    if unknown := sorted(set(arguments.workflows) - known):
        parser.error(f"no workflow {unknown[0]}. Choose from: {', '.join(sorted(known))}")
    wanted = set(arguments.workflows) or known
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = False
    with TemporaryDirectory(prefix="portal-act-") as name:
        folder = Path(name)
        double = ActDouble(folder / "spool")
        with serve(double):
            for scenario in (one for one in SCENARIOS if one.workflow in wanted):
                print(f"{scenario.name} …", flush=True)
                fault = run_scenario(arguments.act.absolute(), double, folder, scenario)
                failed = failed or bool(fault)
                jobs = ", ".join(scenario.jobs) or "no job"
                words = f": {fault or scenario.result}" if fault or scenario.result else ""
                print(f"{'FAILED' if fault else 'passed'}   {scenario.workflow} {jobs}{words}")
    for (workflow, job), why in NOT_RUN.items():
        if workflow in wanted:
            print(f"not run  {workflow} {job}: {why}")
    print(f"Logs: {LOGS.relative_to(ROOT)}")
    return int(failed)


def run_scenario(act: Path, double: ActDouble, folder: Path, scenario: Scenario) -> str:
    """Run act for a scenario; return what is not as expected, or an empty text."""
    begin, place = time.monotonic(), folder / scenario.portal
    if not place.exists():
        place.mkdir()
        make_repository(place, ROOT, example=scenario.portal == "example")
    payload = folder / "event.json"
    repository = {"full_name": HOME, "name": HOME.partition("/")[2], "default_branch": "main"}
    payload.write_text(json.dumps({"repository": repository, **scenario.payload(double)}), "utf-8")
    secrets = {"GITHUB_TOKEN": OWN_TOKEN, "UPSTREAM_APP_ID": APP_ID}
    secrets["UPSTREAM_APP_KEY"] = private_key()
    variables = {
        "GITHUB_API_URL": double.home,
        "PORTAL_ACT_ROOT": str(ROOT),
        "PORTAL_ACT_PYTHON": sys.executable,
        "PORTAL_ACT_SPOOL": str(folder / "spool"),
        "PORTAL_ACT_ORIGIN": str(place / "origin.git"),
        "PORTAL_ACT_WORKFLOW": scenario.workflow,
        **({} if scenario.online else offline_variables()),
    }
    # Jobs write git's settings into HOME. pip still uses its usual cache.
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if k not in _MAKE_VARIABLES} | secrets
    environment.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache/pip"))
    environment |= {"HOME": str(home), "PATH": f"{HERE / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    log = LOGS / f"{scenario.name}.log"
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            [act, *act_options(scenario, place / "project", payload, secrets, variables)],
            cwd=place / "project",
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    double.take_uploads()
    ended = log.read_text("utf-8").count(_SUCCEEDED)
    if done.returncode:
        return f"act ended with status {done.returncode} after {time.monotonic() - begin:.0f} s"
    if ended != len(scenario.jobs):
        return f"{ended} of {len(scenario.jobs)} jobs succeeded"
    return "" if scenario.check(double, place) else f"not as expected: {scenario.result}"


def act_options(
    scenario: Scenario,
    project: Path,
    payload: Path,
    secrets: Iterable[str],
    variables: Mapping[str, str],
) -> Iterator[str]:
    """Yield the options of act, without containers, with actions and GitHub replaced.

    `secrets` are only the names: act reads their values from its environment.
    """
    workflows = project / ".github/workflows"
    yield from (scenario.event, "--workflows", f".github/workflows/{scenario.workflow}")
    yield from ("--eventpath", str(payload), "--platform", "ubuntu-24.04=-self-hosted")
    # In containers, act can skip the checkout; here it is a step like any other.
    yield from ("--no-skip-checkout", "--no-cache-server", "--pull=false", "--rm")
    yield from (
        "--defaultbranch",
        "main",
        "--concurrent-jobs",
        "1",
        "--var",
        f"UPSTREAM_LOGIN={BOT}",
    )
    for action, folder in used_actions(workflows.glob("*.yml")).items():
        yield from ("--local-repository", f"{action}={folder}")
    for option, given in (("--input", scenario.inputs), ("--env", variables)):
        for name, value in given.items():
            yield from (option, f"{name}={value}")
    for name in secrets:
        yield from ("--secret", name)
    for option, text in (("--job", scenario.only), ("--matrix", scenario.matrix)):
        yield from (option, text) if text else ()


def used_actions(workflows: Iterable[Path]) -> dict[str, str]:
    """Return the folder that replaces each action that workflows use, by name and commit.

    A key is for example `actions/checkout@<commit>`. Raises KeyError for an action that ACTIONS
    does not have.
    """
    texts = [file.read_text("utf-8") for file in workflows]
    used = {found for text in texts for found in _USES_LINE.findall(text)}
    return {f"{name}@{ref}": str(HERE / "actions" / ACTIONS[name]) for name, ref in sorted(used)}


def offline_variables() -> dict[str, str]:
    """Return environment variables that limit a job's network access to this machine."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    found = {name: _UNREACHABLE_PROXY for upper in names for name in (upper, upper.lower())}
    local = "127.0.0.1,localhost"
    return {**found, "NO_PROXY": local, "no_proxy": local, "UV_OFFLINE": "1"}


if __name__ == "__main__":
    sys.exit(main())

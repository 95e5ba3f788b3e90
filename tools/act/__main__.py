"""Run the GitHub workflows with act on this machine, as far as they can run without GitHub.

GitHub is replaced by the tests' double on loopback. No workflow runs this; call `make act`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.act.command import ROOT
from tools.act.scenarios import NOT_RUN, SCENARIOS
from tools.act.session import LOGS, Outcome, Scenario, run_scenario, session


def main() -> int:
    """Run the scenarios of the named workflows, or all scenarios; print a line for each.

    Also prints a line for each job that is not run. Returns 1 if a scenario failed.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workflows", nargs="*", metavar="WORKFLOW", help="for example pages.yml")
    parser.add_argument("--act", default="act", help="the program act")
    arguments = parser.parse_args()
    known = {scenario.workflow for scenario in SCENARIOS} | {name for name, _ in NOT_RUN}
    if unknown := sorted(set(arguments.workflows) - known):
        parser.error(f"no workflow {unknown[0]}. Choose from: {', '.join(sorted(known))}")
    found = shutil.which(arguments.act)
    if found is None:
        parser.error(f"{arguments.act} not found. Run: make act")
    act = str(Path(found).absolute())  # it is called from another folder
    wanted = set(arguments.workflows) or known
    failed = 0
    with session(act) as here:
        for scenario in select_scenarios(SCENARIOS, wanted):
            _print(f"{scenario.name} …")
            outcome = run_scenario(here, scenario)
            failed += not outcome.ok
            _print(result_line(scenario, outcome))
    for (workflow, job), why in NOT_RUN.items():
        if workflow in wanted:
            _print(f"not run  {workflow} {job}: {why}")
    _print(f"Logs: {LOGS.relative_to(ROOT)}")
    return int(bool(failed))


def select_scenarios(scenarios: Sequence[Scenario], workflows: set[str]) -> Iterator[Scenario]:
    """Yield the scenarios of the named workflows, in the order of `scenarios`."""
    return (one for one in scenarios if one.workflow in workflows)


def result_line(scenario: Scenario, outcome: Outcome) -> str:
    """Return the line with the result of a scenario."""
    verdict = "passed" if outcome.ok else "FAILED"
    jobs = ", ".join(scenario.jobs) or "no job"
    words = f": {outcome.words}" if outcome.words else ""
    return f"{verdict}   {scenario.workflow} {jobs} ({scenario.event}, {outcome.seconds} s){words}"


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Run the property tests of tests/hostile in rounds, until a number of inputs or a time is reached.

Each round has its own seed and draws a limited number of inputs for each test. After each round,
the state is written, so that the next call continues there. The output of a round with a failure is
written to a file that is named after its seed. No workflow runs this; call `make properties`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TESTS = "tests/hostile/test_properties.py"
STATE = Path(".cache/properties/state.json")
PROFILE = "round"

_NUMBERS = re.compile(r"(\d+) passing, (\d+) failing, and (\d+) invalid")


@dataclass(frozen=True, slots=True)
class RunState:
    """The progress: the numbers of rounds and inputs, and the seeds of rounds that failed."""

    rounds: int = 0
    inputs: int = 0
    failed: tuple[int, ...] = ()

    def after(self, inputs: int, *, failed: bool) -> RunState:
        """Return the state after one more round, in which the tests got `inputs` inputs."""
        seeds = (*self.failed, self.rounds) if failed else self.failed
        return RunState(self.rounds + 1, self.inputs + inputs, seeds)


def read_state(path: Path) -> RunState:
    """Return the state that the last call wrote, or an empty state if there is no file."""
    if not path.exists():
        return RunState()
    data = json.loads(path.read_text("utf-8"))
    return RunState(data["rounds"], data["inputs"], tuple(data["failed"]))


def write_state(path: Path, state: RunState) -> None:
    """Write the state to a temporary file, which then replaces the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(asdict(state)) + "\n", "utf-8")
    beside.replace(path)


def count_inputs(output: str) -> int:
    """Return the number of inputs in Hypothesis's statistics: passing, failing and invalid ones."""
    return sum(int(number) for found in _NUMBERS.findall(output) for number in found)


def run_round(seed: int, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the tests once, with the inputs that the seed determines."""
    options = ["-q", "-p", "no:cacheprovider", f"--hypothesis-profile={PROFILE}"]
    options += [f"--hypothesis-seed={seed}", "--hypothesis-show-statistics"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    """Run rounds until there were enough inputs or the time is over.

    Returns 1 if any round failed, also in earlier calls, and 2 if Hypothesis reported no inputs.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="in all calls together")
    parser.add_argument("--minutes", type=float, default=60, help="of this call")
    parser.add_argument("--state", type=Path, default=STATE)
    parser.add_argument("tests", nargs="*", default=[TESTS])
    arguments = parser.parse_args()
    state, end = read_state(arguments.state), time.monotonic() + arguments.minutes * 60
    while state.inputs < arguments.inputs and time.monotonic() < end:
        seed = state.rounds
        done = run_round(seed, arguments.tests)
        inputs, failed = count_inputs(done.stdout), done.returncode != 0
        if not inputs:
            sys.stderr.write(f"no inputs were counted in round {seed}:\n{done.stdout[-2000:]}\n")
            return 2
        if failed:
            arguments.state.parent.mkdir(parents=True, exist_ok=True)
            (arguments.state.parent / f"seed-{seed}.txt").write_text(done.stdout, "utf-8")
        state = state.after(inputs, failed=failed)
        write_state(arguments.state, state)
        words = f"round {seed}: {inputs:,} inputs, {state.inputs:,} in all"
        sys.stdout.write(f"{words}{', FAILED' if failed else ''}\n")
        sys.stdout.flush()
    return 1 if state.failed else 0


if __name__ == "__main__":
    sys.exit(main())

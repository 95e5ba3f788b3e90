"""A long run of the property tests goes on where the last call ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import property_run
from tools.property_run import RunState, count_inputs, read_state, write_state

STATISTICS = """\
  - during generate phase (3.49 seconds):
    - 400 passing, 0 failing, and 3 invalid test cases
  - during generate phase (0.1 seconds):
    - 2 passing, 1 failing, and 0 invalid test cases
"""


def test_inputs_are_counted_as_hypothesis_tells_them() -> None:
    assert count_inputs(STATISTICS) == 406
    assert count_inputs("no tests ran") == 0


def test_the_state_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "a/state.json"
    assert read_state(place) == RunState()
    state = RunState().after(10, failed=False).after(5, failed=True)
    write_state(place, state)
    assert read_state(place) == state == RunState(2, 15, (1,))


def test_each_call_goes_on_with_the_next_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def run_round(seed: int, _tests: object) -> subprocess.CompletedProcess[str]:
        seeds.append(seed)
        return subprocess.CompletedProcess((), int(seed == 1), STATISTICS, "")

    monkeypatch.setattr(property_run, "run_round", run_round)
    place = tmp_path / "state.json"
    statuses = []
    for most in ("400", "1000"):
        monkeypatch.setattr(sys, "argv", ["x", "--inputs", most, "--state", str(place)])
        statuses.append(property_run.main())
    assert (seeds, statuses) == ([0, 1, 2], [0, 1])
    assert read_state(place) == RunState(3, 3 * 406, (1,))
    assert (tmp_path / "seed-1.txt").read_text("utf-8") == STATISTICS

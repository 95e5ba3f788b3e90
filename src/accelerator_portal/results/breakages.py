"""Finds regressions (called breakages in the code), flaky tests, and tests that never passed."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from accelerator_portal.results.history import History, HistoryPoint, ResultState
from accelerator_reports.comparison import EnvironmentDifference, environment_differences
from accelerator_reports.outcomes import Outcome

FLAKY_WINDOW = 8
"""The number of a test's last good and bad results that decide whether the test is flaky."""
FLAKY_FLIPS = 3
"""A test is flaky if it changes between good and bad at least this many times.

Only the last `FLAKY_WINDOW` good and bad results of the test count.
"""


@dataclass(frozen=True, slots=True)
class Breakage:
    """A test that passed in a run and fails in a later run.

    `id` stays the same while the breakage is open. `outcome` is the outcome of the last failure.
    `last_good` is the run with the last pass, and `first_bad` is the run with the first failure
    after it. `age` is the time since `first_bad`. `gone` is the first run after the last run with
    the test that should contain the test but does not, or None. A breakage stays open if its test
    is gone. It is overdue if `due` has passed. `flaky` says whether the test is flaky (see
    `is_flaky`).
    """

    id: str
    key: str
    outcome: Outcome
    last_good: HistoryPoint
    first_bad: HistoryPoint
    gone: HistoryPoint | None
    age: dt.timedelta
    due: dt.datetime
    overdue: bool
    flaky: bool

    @property
    def differences(self) -> tuple[EnvironmentDifference, ...]:
        """The differences between the environments of the runs `last_good` and `first_bad`."""
        return environment_differences(self.last_good.environment, self.first_bad.environment)


def open_breakages(
    history: History, at: dt.datetime, deadline: dt.timedelta
) -> tuple[Breakage, ...]:
    """Return the open breakages, sorted by age (oldest first) and key.

    Ages are counted to `at`. Breakages that began after `at` are omitted. A breakage is closed if
    the test passes in a later report of `history`, even in one after `at`. It is overdue if its age
    is more than `deadline`. If `history` contains baselines, the result is empty, because baselines
    are not runs.
    """
    breakages = [
        Breakage(
            _breakage_id(history, key, first_bad),
            key,
            failure,
            state.last_good,
            first_bad,
            state.gone,
            at - first_bad.started,
            due=first_bad.started + deadline,
            overdue=at - first_bad.started > deadline,
            flaky=is_flaky(state),
        )
        for key, state, first_bad, failure in _failing_tests(history, at)
        if state.last_good
    ]
    return tuple(sorted(breakages, key=lambda breakage: (breakage.first_bad.started, breakage.key)))


def never_passed_count(history: History, at: dt.datetime) -> int:
    """Return the number of tests that fail and never passed.

    Such a test is not a breakage, because it never worked. Tests that first failed after `at` are
    omitted. If `history` contains baselines (results that a vendor's CI expects), the result is 0.
    """
    return sum(state.last_good is None for _, state, _, _ in _failing_tests(history, at))


def _failing_tests(
    history: History, at: dt.datetime
) -> Iterator[tuple[str, ResultState, HistoryPoint, Outcome]]:
    if history.kind == "baselines":
        return
    for key, state in history.tests.items():
        first_bad, failure = state.first_bad, state.failure
        if first_bad and failure and first_bad.started <= at:
            yield key, state, first_bad, failure


def _breakage_id(history: History, key: str, first_bad: HistoryPoint) -> str:
    started = first_bad.started.astimezone(dt.timezone.utc).isoformat()
    text = f"{history.accelerator}\n{key}\n{started}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def has_change_on_same_code(state: ResultState) -> bool:
    """Return whether a test changed between good and bad while the tested code stayed the same.

    Only the last FLAKY_WINDOW good and bad results count.
    """
    return any(result.startswith("=") for result in state.recent[-FLAKY_WINDOW:])


def is_flaky(state: ResultState) -> bool:
    """Return whether a test is flaky.

    Only the last FLAKY_WINDOW good and bad results of the test count. It is flaky if they change
    at least FLAKY_FLIPS times, or once while the tested code stayed the same.
    """
    last = state.recent[-FLAKY_WINDOW:]
    changes = sum(previous[-1] != current[-1] for previous, current in pairwise(last))
    return changes >= FLAKY_FLIPS or has_change_on_same_code(state)

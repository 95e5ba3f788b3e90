"""A failed event is started again, a few times."""

from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.summary import MOST_AT_ONCE, restart_failed_runs
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.upstream.scene import HOME, NOW, client


def add_run(double: GitHubDouble, number: int, **changed: object) -> None:
    run = {
        "id": number,
        "path": ".github/workflows/upstream-event.yml",
        "conclusion": "failure",
        "run_attempt": 1,
        "created_at": "2026-11-21T11:00:00Z",
    }
    double.runs.setdefault(HOME, []).insert(0, {**run, **changed})


def test_failed_runs_of_the_last_day_start_again_until_they_failed_three_times(
    double: GitHubDouble,
) -> None:
    add_run(double, 1, created_at="2026-11-20T11:00:00Z")
    add_run(double, 2)
    add_run(double, 3, conclusion="success")
    add_run(double, 4, path=".github/workflows/pages.yml")
    for _ in range(2):
        done = restart_failed_runs(client(double), HOME, NOW)
        assert (done.again, done.given_up, done.errors) == ((2,), (), ())
        for run in double.runs[HOME]:
            run["conclusion"] = "failure" if run["id"] == 2 else run["conclusion"]
    done = restart_failed_runs(client(double), HOME, NOW)
    assert (done.again, done.given_up) == ((), (2,))
    assert [run["run_attempt"] for run in double.runs[HOME] if run["id"] == 2] == [3]


def test_a_run_that_cannot_be_started_stops_no_other(double: GitHubDouble) -> None:
    for number in range(1, MOST_AT_ONCE + 9):
        add_run(double, number)
    double.faults = [Fault("POST .*/runs/3/rerun", 403, "Forbidden")]
    done = restart_failed_runs(client(double), HOME, NOW)
    assert done.again == tuple(n for n in range(1, MOST_AT_ONCE + 1) if n != 3)
    assert done.errors == (f"repos/{HOME}/actions/runs/3/rerun-failed-jobs: Forbidden (HTTP 403)",)
    assert len(double.asked) == 1 + MOST_AT_ONCE


def test_a_list_that_cannot_be_had_is_an_error(double: GitHubDouble) -> None:
    double.faults = [Fault("GET", 500, times=9)]
    with pytest.raises(GitHubError):
        restart_failed_runs(client(double), HOME, NOW)

"""Restarts failed runs of the workflow that sends PyTorch changes, so that no event is lost.

A run fails if GitHub does not answer, a runner is lost or a package cannot be installed. GitHub
keeps the event of each run. A scheduled job restarts the failed runs of the last day, a few times
each.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from urllib.parse import quote

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import ListedRuns, time_text

WORKFLOW = "upstream-event.yml"
"""The file name of the workflow that plans and sends tests of PyTorch changes."""

MOST_ATTEMPTS = 3
"""The number of failed attempts after which a run is not restarted."""

MOST_AT_ONCE = 20
"""The maximum number of runs that one call of `restart_failed_runs` restarts, oldest first."""

RESTART_PERIOD = dt.timedelta(days=1)
"""`restart_failed_runs` restarts failed runs that were created within this time."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The ids of the failed runs that were restarted (`again`) or failed too often (`given_up`).

    `errors` are the messages of restarts that failed.
    """

    again: tuple[int, ...]
    given_up: tuple[int, ...]
    errors: tuple[str, ...] = ()


def restart_failed_runs(api: Api, home: str, now: dt.datetime) -> SweepResult:
    """Restart the failed runs of the last day, at most `MOST_AT_ONCE`.

    Raises GitHubError if the runs cannot be listed. If a restart fails, the result has the error.
    """
    since = quote(f">={time_text(now - RESTART_PERIOD)}")
    path = f"repos/{home}/actions/workflows/{WORKFLOW}/runs?status=failure&created={since}"
    failed_runs = read_response(api, f"{path}&per_page=100", ListedRuns).workflow_runs
    restartable = sorted(run.id for run in failed_runs if run.run_attempt < MOST_ATTEMPTS)
    given_up = sorted(run.id for run in failed_runs if run.run_attempt >= MOST_ATTEMPTS)
    restarted, errors = [], []
    for run_id in restartable[:MOST_AT_ONCE]:
        try:
            api.send("POST", f"repos/{home}/actions/runs/{run_id}/rerun-failed-jobs", {})
        except GitHubError as error:
            errors.append(str(error))
        else:
            restarted.append(run_id)
    return SweepResult(tuple(restarted), tuple(given_up), tuple(errors))

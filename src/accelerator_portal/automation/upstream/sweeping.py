"""Running failed events again: GitHub keeps the event of each run, so that none is lost.

A plan fails where GitHub does not answer, a runner is lost or a package cannot be installed. A
scheduled round runs the failed jobs of the last day again, a few times each.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from urllib.parse import quote

from pydantic import AwareDatetime

from accelerator_portal.automation.events import Number, Part
from accelerator_portal.automation.github import Api, GitHubError, read

WORKFLOW = "upstream-event.yml"
"""The workflow that plans and sends."""

MOST_ATTEMPTS = 3
"""An event that fails so often is not run again: it is refused, or somebody must look."""

MOST_AT_ONCE = 20
"""How many runs one round starts again, the oldest first."""

REACH = dt.timedelta(days=1)
"""A round looks at the runs of this time."""


class _Run(Part):
    id: Number
    run_attempt: Number = 1
    created_at: AwareDatetime


class _Runs(Part):
    workflow_runs: tuple[_Run, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What came of a round: which runs are started again, which are given up, and what failed."""

    again: tuple[int, ...]
    given_up: tuple[int, ...]
    errors: tuple[str, ...] = ()


def sweep(api: Api, home: str, now: dt.datetime) -> Sweep:
    """Start the failed runs of the last day again. Raises GitHubError where they are not listed."""
    since = quote(f">={(now - REACH).astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}")
    path = f"repos/{home}/actions/workflows/{WORKFLOW}/runs?status=failure&created={since}"
    failed = read(api, f"{path}&per_page=100", _Runs).workflow_runs
    left = sorted(run.id for run in failed if run.run_attempt < MOST_ATTEMPTS)
    given_up = sorted(run.id for run in failed if run.run_attempt >= MOST_ATTEMPTS)
    again, errors = [], []
    for number in left[:MOST_AT_ONCE]:
        try:
            api.send("POST", f"repos/{home}/actions/runs/{number}/rerun-failed-jobs", {})
        except GitHubError as error:
            errors.append(str(error))
        else:
            again.append(number)
    return Sweep(tuple(again), tuple(given_up), tuple(errors))

"""Finding the run that a vendor made for a change, and the report that it left.

Both are asked of GitHub, so that the repository is known; what is in them is the vendor's word. A
run is known by its title, which its workflow sets to `run_name`, and only runs of events that no
fork can make count.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from urllib.parse import quote

from pydantic import AwareDatetime

from accelerator_portal.automation.events import Number, Part, Repository
from accelerator_portal.automation.github import Api, GitHubError, read
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.payload import REPORT, run_title
from accelerator_portal.automation.upstream.planning import Entry
from accelerator_portal.automation.zip_members import ArtifactError, members
from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.report import Report, Trigger
from accelerator_portal.reports.report_check import Known, report_problems
from accelerator_portal.reports.report_file import read_report

MOST_PACKED = 8 * 1024 * 1024
MOST_UNPACKED = 48 * 1024 * 1024

# Clocks of two machines may differ by so much.
SKEW = dt.timedelta(minutes=10)

_FILE = "report.json"
_MOST_PAGES = 5

# A pull request of a fork can start none of these, and so cannot leave a report in a vendor's name.
_EVENTS = {"repository_dispatch", "workflow_dispatch"}

State = Literal["waiting", "running", "report", "late", "lost", "silent", "refused"]


class Run(Part):
    """A run of a workflow."""

    id: Number
    """Its number."""
    event: str
    """What it ran for."""
    status: str
    """`completed` when it ended."""
    conclusion: str | None = None
    """How it ended."""
    display_title: str = ""
    """Its title."""
    created_at: AwareDatetime
    """When it began."""
    head_repository: Repository | None = None
    """Where its commit is."""


class _Runs(Part):
    workflow_runs: tuple[Run, ...]


class _OfRun(Part):
    id: Number


class _Artifact(Part):
    id: Number
    name: str
    size_in_bytes: int
    expired: bool
    workflow_run: _OfRun | None = None


class _Artifacts(Part):
    artifacts: tuple[_Artifact, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was sent to one platform, and when."""

    change: Change
    entry: Entry
    at: dt.datetime
    own_run: int | None = None
    """The run of this repository that has the jobs of its own runners."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where reports are looked for, and what is known to check them with."""

    api: Api
    home: str
    """This repository."""
    known: Known
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one platform's run; `why` says it where there is no report."""

    state: State
    repository: str
    """Where the run was looked for: that much is certain."""
    run: int | None = None
    """The run's number."""
    report: Report | None = None
    """Its report, self-reported whatever it says of itself."""
    why: str = ""


class _NotHereError(Exception):
    """There is no report, or none that counts; `state` and the text say so."""

    def __init__(self, state: State, why: str, run: int | None = None) -> None:
        super().__init__(why)
        self.state = state
        self.run = run


def find(place: Place, asked: Asked) -> Found:
    """Return the report that a platform's run left, or how things stand. Raises GitHubError."""
    repository = _repository(place, asked)
    age = place.now - asked.at
    limit = dt.timedelta(hours=asked.entry.hours)
    try:
        run, report = _report(place, asked, repository)
    except _NotHereError as none:
        state: State = none.state
        if state in {"waiting", "running"} and age > limit:
            state = "silent" if asked.entry.run.redispatch else "lost"
        hours = f"{max(age, dt.timedelta()).total_seconds() / 3600:.0f} hours after it was sent"
        why = f"{none}, {hours}" if state != "refused" else str(none)
        return Found(state, repository, none.run, why=why)
    finished = report.finished or place.now
    late = finished - asked.at > limit + SKEW
    return Found("late" if late else "report", repository, run, report)


def _repository(place: Place, asked: Asked) -> str:
    there = asked.entry.run.sent_to
    return there.repository if there else place.home


def _report(place: Place, asked: Asked, repository: str) -> tuple[int, Report]:
    name, run = REPORT, None
    if asked.entry.run.runner:
        name, number = f"{REPORT}-{asked.entry.accelerator}", asked.own_run
    elif asked.entry.run.redispatch:
        name, number = f"{REPORT}-{asked.change.delivery}", None
    else:
        run = _run(place, asked, repository)
        number = run.id
    artifact = _artifact(place.api, repository, name, number)
    if artifact is None:
        if run and run.status == "completed":
            what = f"the run ended as {run.conclusion or 'nothing'} and left no report"
            raise _NotHereError("refused", what, run.id)
        raise _NotHereError("waiting" if run is None else "running", "no report is there", number)
    made_by = number or (artifact.workflow_run.id if artifact.workflow_run else None)
    if made_by is None:
        raise _NotHereError("refused", "the report is of no run")
    if run is None:
        run = read(place.api, f"repos/{repository}/actions/runs/{made_by}", Run)
    _refuse_foreign(place, asked, run, repository)
    try:
        return run.id, _read(place, asked, repository, artifact)
    except (ArtifactError, ProblemsError, GitHubError) as error:
        if isinstance(error, GitHubError) and error.passing:
            raise
        raise _NotHereError("refused", " ".join(str(error).split())[:300], run.id) from None


def _run(place: Place, asked: Asked, repository: str) -> Run:
    """The newest run of this change: a run that is repeated has the same number."""
    title = run_title(asked.change, asked.entry.accelerator)
    since = quote(f">={(asked.at - SKEW).astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}")
    event = "workflow_dispatch" if asked.entry.run.workflow else "repository_dispatch"
    for page in range(1, _MOST_PAGES + 1):
        path = f"repos/{repository}/actions/runs?event={event}&created={since}"
        found = read(place.api, f"{path}&per_page=100&page={page}", _Runs).workflow_runs
        for run in found:
            if title in run.display_title.split() and run.event == event:
                return run
        if len(found) < 100:  # noqa: PLR2004 - a page
            break
    raise _NotHereError("waiting", f"no run with the title {title} is there")


def _refuse_foreign(place: Place, asked: Asked, run: Run, repository: str) -> None:
    source = run.head_repository
    if source is None or source.full_name != repository:
        raise _NotHereError("refused", "the run is of a fork", run.id)
    events = _EVENTS | {"schedule"} if repository == place.home else _EVENTS
    if run.event not in events:
        raise _NotHereError("refused", f"the run is of an event {run.event[:40]}", run.id)
    if run.created_at < asked.at - SKEW and not asked.entry.run.runner:
        raise _NotHereError("refused", "the run is older than the event", run.id)


def _artifact(api: Api, repository: str, name: str, run: int | None) -> _Artifact | None:
    """The newest with the name, of a run or of the repository."""
    where = f"runs/{run}/artifacts" if run else "artifacts"
    path = f"repos/{repository}/actions/{where}?name={name}&per_page=100"
    found = [a for a in read(api, path, _Artifacts).artifacts if a.name == name and not a.expired]
    return max(found, key=lambda one: one.id, default=None)


def _read(place: Place, asked: Asked, repository: str, artifact: _Artifact) -> Report:
    if artifact.size_in_bytes > MOST_PACKED:
        raise ArtifactError(f"the archive has more than {MOST_PACKED:,} bytes")
    path = f"repos/{repository}/actions/artifacts/{artifact.id}/zip"
    archive = place.api.download(path, MOST_PACKED)
    found = members(archive, {_FILE: MOST_UNPACKED}, MOST_PACKED)
    if _FILE not in found:
        raise ArtifactError(f"the archive has no {_FILE}")
    with TemporaryDirectory(prefix="portal-report-") as folder:
        file = Path(folder, _FILE)
        file.write_bytes(found[_FILE])
        report = read_report(file)
    if problems := list(report_problems(report, _FILE, place.known, place.now + SKEW)):
        raise ProblemsError(problems)
    if fault := claim(report, asked):
        raise ArtifactError(fault)
    return report.model_copy(update={"kind": "self-reported"})


def claim(report: Report, asked: Asked) -> str | None:
    """Say what a report claims that its run was not asked for."""
    wanted = asked.entry.accelerator
    if report.accelerator != wanted:
        return f"the report is about {report.accelerator}, the run was for {wanted}"
    if report.kind == "baseline":
        return "the report is a baseline, which is no run"
    if report.started is not None and report.started < asked.at - SKEW:
        return "the report is older than the event"
    return _other_change(report.trigger, asked.change)


def _other_change(trigger: Trigger, change: Change) -> str | None:
    if trigger.pull_request not in {None, change.number}:
        return f"the report is of pull request {trigger.pull_request}"
    if trigger.repository not in {None, change.repository}:
        return f"the report is of {trigger.repository}"
    if trigger.commit is not None and not (change.head or "").startswith(trigger.commit):
        return f"the report is of commit {trigger.commit[:12]}"
    return None

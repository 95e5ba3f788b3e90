"""Finds the workflow run that a vendor started for a PyTorch change, and reads its report.

The run and the report are requested from GitHub, so it is certain from which repository they are.
The vendor writes their content. A run is recognized by its title, which the vendor's workflow sets
to the `run_name` that it received. For a private CI (`redispatch`), the portal looks for the
artifact `accelerator-report-<delivery>` instead. Only runs of events that a fork cannot trigger are
accepted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import ListedArtifact, ListedRun
from accelerator_automation.github.zip_members import ArtifactError, read_members
from accelerator_automation.upstream.delivery import Delivery, RunState
from accelerator_automation.upstream.incoming import Change
from accelerator_automation.upstream.planning import (
    REPORT_ARTIFACT,
    PlannedPlatform,
    planned_platform,
)
from accelerator_automation.upstream.run_lists import ArtifactLists, RunLists, artifact_pages
from accelerator_portal.catalog import Catalog
from accelerator_reports.file_reading import ImportResult
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.merge import merged_results
from accelerator_reports.report import Report, Trigger
from accelerator_reports.report_file import KnownNames, read_report, report_problems

MOST_PACKED = 8 * 1024 * 1024
MOST_UNPACKED = 48 * 1024 * 1024

# The allowed difference between the clocks of two machines.
CLOCK_SKEW = dt.timedelta(minutes=10)

_REPORT_FILE = "report.json"
_MOST_THREADS = 8

# A pull request of a fork can start none of these, and so cannot leave a report in a vendor's name.
_TRUSTED_EVENTS = {"repository_dispatch", "workflow_dispatch"}


@dataclass(frozen=True, slots=True)
class ReportSearch:
    """Where to look for reports, and what to check them against.

    `known` has the platforms and suites that reports may name. `now` is the time of the search.
    """

    api: Api
    home: str
    """This repository, as OWNER/NAME."""
    known: KnownNames
    now: dt.datetime
    runs: RunLists
    artifacts: ArtifactLists


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one platform's run; `why` gives the reason if there is no report.

    With a report, `state` is `report`, or `late` if the tests ended after the time limit. Without a
    report, `state` is `waiting` (no run, or no report of a private CI), `running`, or `refused`
    (the run or its report is not valid). After the time limit, `waiting` and `running` become
    `lost`, or `silent` for a private CI (`redispatch`). `state` is None if GitHub could not be
    read.
    """

    delivery: Delivery
    state: RunState | None
    repository: str
    """The repository in which the run was looked for."""
    run: int | None = None
    """The id of the run; None if there is none."""
    report: Report | None = None
    """The report, always with the kind self-reported; None if there is no valid report."""
    page: int | None = None
    """The id of the artifact with the report's HTML page; None if the run has none."""
    why: str = ""


class _NoReportError(Exception):
    """There is no valid report of a run; `state` and the message give the reason."""

    def __init__(self, state: RunState, why: str, run: int | None = None) -> None:
        super().__init__(why)
        self.state = state
        self.run = run


def find_report(search: ReportSearch, request: Delivery) -> RunResult:
    """Return the report of a platform's run, or the state of the run if there is no report.

    If a report does not state when the tests ended, `search.now` is used. Raises GitHubError.
    """
    repository = report_repository(search.home, request.platform)
    age = search.now - request.at
    limit = dt.timedelta(hours=request.platform.hours)
    try:
        run, report, page = _find_run_report(search, request, repository)
    except _NoReportError as no_report:
        state, why = no_report.state, str(no_report)
        if state != "refused":
            hours = round(max(age, dt.timedelta()).total_seconds() / 3600)
            why += f", {count(hours, 'hour')} after dispatch"
            if age > limit:
                state = "silent" if request.platform.run.redispatch else "lost"
        return RunResult(request, state, repository, no_report.run, why=why)
    late = (report.finished or search.now) - request.at > limit + CLOCK_SKEW
    state = "late" if late else "report"
    return RunResult(request, state, repository, run, report, page)


def report_repository(home: str, entry: PlannedPlatform) -> str:
    """Return the repository with a platform's runs and reports.

    This is the vendor's repository, or `home` if the tests run in this repository.
    """
    target = entry.run.sent_to
    return target.repository if target else home


def _find_run_report(
    search: ReportSearch, request: Delivery, repository: str
) -> tuple[int, Report, int | None]:
    """Return the id of the run, its report, and the id of the artifact that shows the report."""
    page = None
    if request.platform.run.redispatch:
        artifact_name = f"{REPORT_ARTIFACT}-{request.change.delivery}"
        artifacts = _newest_artifacts(
            next(artifact_pages(search.api, repository, 1, artifact_name)), {artifact_name}
        )
        run = _run_of_artifacts(search.api, repository, artifacts)
    else:
        run = _run_with_title(search, request, repository)
        if run.status != "completed":
            raise _NoReportError("running", "the run is in progress", run.id)
        artifact_names = {
            REPORT_ARTIFACT,
            *(f"{REPORT_ARTIFACT}-{task}" for task in request.platform.tasks),
        }
        found = search.artifacts.of(repository, run.id)
        artifacts = _newest_artifacts(found, artifact_names)
        pages = _newest_artifacts(found, {f"{REPORT_ARTIFACT}.html"})
        page = pages[0].id if pages else None
        if not artifacts:
            what = f"the run ended without a report (conclusion: {run.conclusion or 'none'})"
            raise _NoReportError("refused", what, run.id)
    _check_run_origin(request, run, repository)
    try:
        archives = [_download_archive(search.api, repository, artifact) for artifact in artifacts]
        return run.id, read_run_report(archives, request, search.known, search.now), page
    except (ArtifactError, ProblemsError, GitHubError) as error:
        if isinstance(error, GitHubError) and error.passing:
            raise
        raise _NoReportError("refused", " ".join(str(error).split())[:300], run.id) from None


def _run_with_title(search: ReportSearch, request: Delivery, repository: str) -> ListedRun:
    """Return the newest run with the title that the request asks for (see `run_title`).

    Raises GitHubError, and _NoReportError if there is none.
    """
    title = request.title
    workflow = request.platform.run.portal_workflow
    event = "workflow_dispatch" if workflow else "repository_dispatch"
    for run in search.runs.of(repository, event).get(title, ()):
        has_workflow = workflow is None or run.path.endswith(f"/{workflow}")
        if run.event == event and run.created_at >= request.at - CLOCK_SKEW and has_workflow:
            return run
    raise _NoReportError("waiting", f"there is no run with the title {title}")


def _run_of_artifacts(api: Api, repository: str, artifacts: Sequence[ListedArtifact]) -> ListedRun:
    """Return the run that uploaded the artifacts of a private CI.

    Raises _NoReportError if there are no artifacts or GitHub does not state their run. Raises
    GitHubError.
    """
    if not artifacts:
        raise _NoReportError("waiting", "there is no report")
    run_reference = artifacts[0].workflow_run
    if run_reference is None:
        raise _NoReportError("refused", "the report does not belong to a run")
    return read_response(api, f"repos/{repository}/actions/runs/{run_reference.id}", ListedRun)


def _check_run_origin(request: Delivery, run: ListedRun, repository: str) -> None:
    source = run.head_repository.full_name if run.head_repository else ""
    if source.casefold() != repository.casefold():  # GitHub accepts either case in its paths
        raise _NoReportError("refused", "the run belongs to a fork", run.id)
    if run.event not in _TRUSTED_EVENTS:
        raise _NoReportError("refused", f"the run was triggered by {run.event[:40]}", run.id)
    if run.created_at < request.at - CLOCK_SKEW:
        raise _NoReportError("refused", "the run is older than the event", run.id)


def _newest_artifacts(
    artifacts: Iterable[ListedArtifact], names: Collection[str]
) -> list[ListedArtifact]:
    artifacts_by_name: dict[str, ListedArtifact] = {}
    for one in sorted(artifacts, key=lambda artifact: artifact.id):
        if one.name in names and not one.expired:
            artifacts_by_name[one.name] = one
    return [artifacts_by_name[name] for name in sorted(artifacts_by_name)]


def _download_archive(api: Api, repository: str, artifact: ListedArtifact) -> bytes:
    if artifact.size_in_bytes > MOST_PACKED:
        raise ArtifactError(f"the archive has more than {MOST_PACKED:,} bytes")
    return api.download(f"repos/{repository}/actions/artifacts/{artifact.id}/zip", MOST_PACKED)


def read_run_report(
    archives: Sequence[bytes], request: Delivery, known: KnownNames, now: dt.datetime
) -> Report:
    """Return the report in a run's archives: one archive, or several that are merged.

    The kind of the returned report is always self-reported. `known` has the platforms and suites
    that reports may name. `now` is the current time. Raises ArtifactError if an archive cannot be
    used or contradicts `request`. Raises ProblemsError if a report is not valid.
    """
    parts = [_read_part(archive, request) for archive in archives]
    report = _merged_report(parts)
    if problems := list(report_problems(report, _REPORT_FILE, known, now + CLOCK_SKEW)):
        raise ProblemsError(problems)
    return report.model_copy(update={"kind": "self-reported"})


def _read_part(archive: bytes, request: Delivery) -> Report:
    members = read_members(archive, {_REPORT_FILE: MOST_UNPACKED}, MOST_PACKED)
    if _REPORT_FILE not in members:
        raise ArtifactError(f"the archive has no {_REPORT_FILE}")
    with TemporaryDirectory(prefix="portal-report-") as folder:
        file = Path(folder, _REPORT_FILE)
        file.write_bytes(members[_REPORT_FILE])
        report = read_report(file)
    if fault := request_mismatch(report, request):
        raise ArtifactError(fault)
    return report


def _merged_report(parts: Sequence[Report]) -> Report:
    """Return one report with the suites and tests of all parts.

    The environments, times and notes are merged. Other fields are taken from the first part.
    """
    if len(parts) == 1:
        return parts[0]
    whole = merged_results(
        [
            ImportResult(
                part.suites, part.tests, part.environment, part.started, part.finished, part.note
            )
            for part in parts
        ]
    )
    names = ("suites", "tests", "environment", "started", "finished", "note")
    return parts[0].model_copy(update={name: getattr(whole, name) for name in names})


def request_mismatch(report: Report, request: Delivery) -> str | None:
    """Return how a report contradicts the request for its run, or None."""
    expected_id = request.platform.accelerator
    if report.accelerator != expected_id:
        return f"the report is about {report.accelerator}, the run was for {expected_id}"
    if report.kind == "baseline":
        return "the report is a baseline, not a test run"
    if report.started is not None and report.started < request.at - CLOCK_SKEW:
        return "the report is older than the event"
    return _change_mismatch(report.trigger, request.change)


def _change_mismatch(trigger: Trigger, change: Change) -> str | None:
    if trigger.pull_request not in {None, change.number}:
        return f"the report is for pull request {trigger.pull_request}"
    if trigger.repository not in {None, change.repository}:
        return f"the report is for {trigger.repository}"
    if trigger.commit is not None and not (change.head or "").startswith(trigger.commit):
        return f"the report is for commit {trigger.commit[:12]}"
    return None


def current_entries(catalog: Catalog) -> dict[str, PlannedPlatform]:
    """Return the platforms that test changes, with their current settings, by platform id.

    The settings are read from the platforms' folders. A plan can have older settings.
    """
    return {
        platform.id: planned_platform(platform, platform.accelerator.upstream_events)
        for platform in catalog.platforms
        if platform.accelerator.upstream_events
    }


def find_reports(
    api: Api, home: str, known: KnownNames, requests: Iterable[Delivery], now: dt.datetime
) -> list[RunResult]:
    """Look for the report of each request; return the results in the order of `requests`.

    The runs of each repository are listed once for all requests. `known` has the platforms and
    suites that reports may name.
    """
    requests = list(requests)
    start_times: dict[str, dt.datetime] = {}  # of each repository's first run that may be meant
    for one in requests:
        repository, earliest = report_repository(home, one.platform), one.at - CLOCK_SKEW
        start_times[repository] = min(earliest, start_times.get(repository, earliest))
    runs, artifacts = RunLists(api, start_times), ArtifactLists(api, start_times)
    search = ReportSearch(api, home, known, now, runs, artifacts)
    with ThreadPoolExecutor(_MOST_THREADS) as pool:
        return list(pool.map(lambda request: _look_up_report(search, request), requests))


def _look_up_report(search: ReportSearch, request: Delivery) -> RunResult:
    try:
        return find_report(search, request)
    except GitHubError as error:
        repository = report_repository(search.home, request.platform)
        return RunResult(request, None, repository, why=str(error))

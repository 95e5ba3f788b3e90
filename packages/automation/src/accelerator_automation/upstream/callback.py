"""Builds the JSON body that a vendor sends to PyTorch's CI relay to report a test run (callback).

The format is that of the action `cross-repo-ci-relay-callback` in pytorch/test-infra at commit
61a77570f. The action, not this module, sends the callback, with a token that proves the vendor's
repository. The relay needs `in_progress` before `completed` for each job of an event, and refuses a
second callback of the same state: `tests/automation/upstream/relay_contract.py` lists its rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from accelerator_automation.github.models import GitHubModel, time_text
from accelerator_automation.upstream.incoming import UPSTREAM, EventId, RefusedEventError, Sha1
from accelerator_reports.report import Report
from accelerator_reports.report_views import relay_summary

Conclusion = Literal["success", "failure"]
SelfStartedEvent = Literal["nightly", "periodic"]
"""The kind of schedule on which a vendor starts runs; for these, the relay accepts only
`completed`."""


class Dispatched(GitHubModel):
    """The `client_payload` that the relay sent, which has exactly these three keys."""

    event_type: Annotated[str, Field(min_length=1, max_length=100)]
    """The type of the event."""
    delivery_id: EventId
    """The delivery number of the event."""
    payload: dict[str, Any]
    """The payload of PyTorch's webhook."""


class SelfStarted(GitHubModel):
    """What a vendor's CI sends about a run that its own schedule started, without a relay event."""

    event_type: SelfStartedEvent
    """The kind of schedule that started the run."""
    delivery_id: Sha1
    """PyTorch's commit that was tested; the relay asks GitHub whether it exists."""
    payload: dict[str, Any]
    """The repository and the commit."""


class WorkflowJob(GitHubModel):
    """The job that ran, as GitHub's environment variables describe it."""

    name: Annotated[str, Field(min_length=1)]
    """The workflow's name."""
    job_name: Annotated[str, Field(min_length=1)]
    """The job's name; each job of a matrix needs its own name."""
    url: Annotated[str, Field(pattern=r"^https://[\w.:-]+/[\w.-]+/[\w.-]+/actions/runs/")]
    """The URL of the run's page."""
    run_id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    """The id of the run."""
    run_attempt: Annotated[str, Field(pattern=r"^[0-9]+$")] = "1"
    """The number of the attempt."""
    check_run_id: Annotated[str, Field(pattern=r"^[0-9]+(-[0-9]+)?$")]
    """The id of the job's check run: `123`. If it is unknown, the id of the workflow run and the
    number of the attempt: `123-2`."""
    artifact_url: Annotated[str, Field(pattern=r"^https://")] | None = None
    """The URL of the artifact with the report."""


_NO_EVENT_TEXT = "the event is not a JSON object"
_EVENT_FILE_REMEDY = 'Pass the file of the repository_dispatch event: --event "$GITHUB_EVENT_PATH"'
_RUN_VARIABLES = "GITHUB_SERVER_URL, GITHUB_REPOSITORY or GITHUB_RUN_ID"
# The variable or option that sets each key of a WorkflowJob.
_SOURCE_BY_KEY = {
    "name": "GITHUB_WORKFLOW",
    "job_name": "--job-name, or GITHUB_JOB,",
    "url": _RUN_VARIABLES,
    "run_id": "GITHUB_RUN_ID",
    "run_attempt": "GITHUB_RUN_ATTEMPT",
    "check_run_id": "--check-run",
    "artifact_url": "--artifact",
}
_REMEDIES = {
    "check_run_id": "Pass the number in ${{ job.check_run_id }}",
    "artifact_url": "Pass an address that starts with https://",
}
_DEFAULT_REMEDY = "Run the command in a job of GitHub Actions, which sets it"


def read_dispatched(event: bytes) -> Dispatched:
    """Return the payload of a relayed `repository_dispatch` event.

    Raises RefusedEventError if the event is not in the relay's format.
    """

    class Event(GitHubModel):
        client_payload: Dispatched

    try:
        return Event.model_validate_json(event).client_payload
    except ValidationError as error:
        field_path = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
        what = (
            f"{field_path} in the event is not in the relay's format"
            if field_path
            else _NO_EVENT_TEXT
        )
        raise RefusedEventError("unreadable", f"{what}. {_EVENT_FILE_REMEDY}") from None


def self_started_payload(event_type: SelfStartedEvent, commit: str) -> SelfStarted:
    """Return the payload of a run that a vendor's schedule started, for the tested `commit`.

    Raises RefusedEventError if `commit` is not a full commit id.
    """
    try:
        return SelfStarted(
            event_type=event_type,
            delivery_id=commit,
            payload={"repository": {"full_name": UPSTREAM}, "head_sha": commit},
        )
    except ValidationError:
        commit_fault = f'"{commit[:60]}" is no such commit' if commit else "none is given"
        what = f"--{event_type} needs PyTorch's commit with 40 digits, and {commit_fault}"
        what += ". Pass it with --commit, or state torch_commit in the report"
        raise RefusedEventError("unreadable", what) from None


def workflow_job(
    variables: Mapping[str, str],
    check_run: str | None,
    artifact: str | None,
    job_name: str | None = None,
) -> WorkflowJob:
    """Return the job that GitHub's environment variables describe.

    `check_run` is the id of the job's check run; without it, the job is identified by the run's id
    and the number of the attempt, as in the relay's action. `artifact` is the URL of the artifact
    with the report. `job_name` replaces GITHUB_JOB. Raises RefusedEventError if a variable is
    missing, or if a value is not valid.
    """
    server, repository = (
        variables.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY")
    )
    run_id = variables.get("GITHUB_RUN_ID", "")
    attempt = variables.get("GITHUB_RUN_ATTEMPT", "1")
    try:
        return WorkflowJob(
            name=variables.get("GITHUB_WORKFLOW", ""),
            job_name=job_name or variables.get("GITHUB_JOB", ""),
            url=f"{server}/{repository}/actions/runs/{run_id}",
            run_id=run_id,
            run_attempt=attempt,
            check_run_id=check_run or f"{run_id}-{attempt}",
            artifact_url=artifact,
        )
    except ValidationError as error:
        key = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
        what = (
            f"{_SOURCE_BY_KEY[key]} is missing or not valid. {_REMEDIES.get(key, _DEFAULT_REMEDY)}"
        )
        raise RefusedEventError("unreadable", what) from None


def in_progress_callback(
    dispatched: Dispatched, job: WorkflowJob, now: dt.datetime
) -> dict[str, Any]:
    """Return the body of a job's first callback, which says that its tests have started."""
    state = {"status": "in_progress", "started_at": time_text(now)}
    return _callback_body(dispatched, job, state)


def completed_callback(
    dispatched: Dispatched | SelfStarted, job: WorkflowJob, report: Report, now: dt.datetime
) -> dict[str, Any]:
    """Return the body of a job's last callback, with the counts of its report.

    A self-started run has no first callback, so the body of its last callback also has the start
    time. Raises ProblemsError for a baseline.
    """
    is_self_started = isinstance(dispatched, SelfStarted)
    state = {
        "status": "completed",
        "conclusion": conclusion(report),
        "started_at": time_text(report.started or now) if is_self_started else None,
        "completed_at": time_text(now),
        "test_results": result_counts(report),
    }
    return _callback_body(dispatched, job, state)


def result_counts(report: Report) -> dict[str, int]:
    """Return the numbers of passed, failed and skipped tests of a report.

    The keys are `passed`, `failed` and `skipped`, as in the input `test-results` of the relay's
    action. Raises ProblemsError for a baseline.
    """
    return {str(name): count for name, count in relay_summary(report)["test_results"].items()}


def conclusion(report: Report) -> Conclusion:
    """Return `success` if at least one test passed and none failed, else `failure`.

    Raises ProblemsError for a baseline.
    """
    results = result_counts(report)
    return "success" if results["passed"] and not results["failed"] else "failure"


def _callback_body(
    dispatched: Dispatched | SelfStarted, job: WorkflowJob, state: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the body of a callback, with all keys that the relay's action sends.

    Without a value, `artifact_url` and `test_results` are omitted, and `conclusion`, `started_at`
    and `completed_at` are None.
    """
    empty = {"conclusion": None, "started_at": None, "completed_at": None}
    workflow = {"schema_version": "1", **empty, **job.model_dump(exclude_none=True), **state}
    return {**dispatched.model_dump(), "workflow": workflow}

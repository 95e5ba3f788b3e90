"""Builds the JSON body that a vendor sends to PyTorch's CI relay to report a test run (callback).

The format is that of the action `cross-repo-ci-relay-callback` in pytorch/test-infra at commit
0d2f4a53, whose `report_callback.py` also takes runs of other CI systems. The action, or the
vendor's own step, sends the callback with a token that proves the vendor's repository. The relay
needs `in_progress` before `completed` for each job of an event, and refuses a second callback of
the same state: `tests/automation/upstream/relay_contract.py` lists its rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from accelerator_automation.github.models import GitHubModel, time_text
from accelerator_automation.upstream.incoming import UPSTREAM, EventId, RefusedEventError, Sha1
from accelerator_reports.outcomes import BAD
from accelerator_reports.report import Report
from accelerator_reports.report_views import relay_summary
from accelerator_reports.test_ids import identity_of

EarlyEnd = Literal["failure", "cancelled", "timed_out", "skipped"]
"""How a run may end that has no report."""
Conclusion = EarlyEnd | Literal["success"]
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
    """PyTorch's commit that was tested."""
    payload: dict[str, Any]
    """The repository and the commit."""


class WorkflowJob(GitHubModel):
    """The job that ran, as environment variables describe it."""

    name: Annotated[str, Field(min_length=1)]
    """The workflow's name."""
    job_name: Annotated[str, Field(min_length=1)]
    """The job's name; each job of a matrix needs its own name."""
    url: Annotated[str, Field(pattern=r"^https://[\w.:-]+/[\w.-]+/[\w./#%?=&+~@:-]+$")]
    """The URL of the run's page."""
    run_id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    """The id of the run. The relay reads a whole number, and fails for a UUID."""
    run_attempt: Annotated[str, Field(pattern=r"^[0-9]+$")] = "1"
    """The number of the attempt."""
    check_run_id: Annotated[str, Field(pattern=r"^[0-9]+(-[0-9]+)?$")]
    """The id of the job's check run: `123`. If it is unknown, the id of the workflow run and the
    number of the attempt: `123-2`."""
    artifact_url: Annotated[str, Field(pattern=r"^https://")] | None = None
    """The URL of the artifact with the report."""


_NO_EVENT_TEXT = "the event is not a JSON object"
_EVENT_FILE_REMEDY = 'Pass the file of the repository_dispatch event: --event "$GITHUB_EVENT_PATH"'
_GITHUB_URL = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
# The variables that state a job. Buildkite's are upstream's choice in
# `report_callback_buildkite.sh`@0dc28d99, but for the number of the build: its id is a UUID.
_GITHUB = {
    "name": "GITHUB_WORKFLOW",
    "job_name": "GITHUB_JOB",
    "run_id": "GITHUB_RUN_ID",
    "run_attempt": "GITHUB_RUN_ATTEMPT",
}
_BUILDKITE = {
    "name": "BUILDKITE_PIPELINE_SLUG",
    "job_name": "BUILDKITE_LABEL",
    "url": "BUILDKITE_BUILD_URL",
    "run_id": "BUILDKITE_BUILD_NUMBER",
    "run_attempt": "BUILDKITE_RETRY_COUNT",
}
# Those of upstream's `report_callback.py`, for every other CI system.
_ANY_SYSTEM = {
    "name": "WORKFLOW_NAME",
    "job_name": "JOB_NAME",
    "url": "WORKFLOW_URL",
    "run_id": "RUN_ID",
    "run_attempt": "RUN_ATTEMPT",
}
_REMEDIES = {
    "check_run_id": "Pass the number in ${{ job.check_run_id }}",
    "artifact_url": "Pass an address that starts with https://",
}
_OPTIONS = {"check_run_id": "--check-run", "artifact_url": "--artifact"}
_DEFAULT_REMEDY = (
    "Run the command in a job of GitHub Actions or Buildkite, or set "
    f"{', '.join(_ANY_SYSTEM.values())}"
)
_MOST_FAILED_TESTS, _MOST_CHARACTERS = 50, 500
"""How many failed tests, and how much of a message, PyTorch's HUD keeps, by a copy of
`torchci/lib/crcr/crcrUtils.ts` without a date. That `workflow` holds them is inferred: it holds the
counts."""


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
    """Return the job that the environment variables of a CI system describe.

    GitHub Actions and Buildkite set them. For other systems, they are those of upstream's
    `report_callback.py`. `check_run` is the id of the job's check run; without it, the job is
    identified by the run's id and the number of the attempt, as in the relay's action. `artifact`
    is the URL of the artifact with the report. `job_name` replaces the variable's name. Raises
    RefusedEventError if variables are missing, or if values are not valid.
    """
    if variables.get("BUILDKITE"):
        names = _BUILDKITE
    else:
        names = _ANY_SYSTEM if variables.get("WORKFLOW_URL") else _GITHUB
    found = {key: variables[name] for key, name in names.items() if variables.get(name)}
    if names is _GITHUB:
        server, repository, run = (variables.get(name, "") for name in _GITHUB_URL)
        found["url"] = f"{server}/{repository}/actions/runs/{run}"
    elif names is _BUILDKITE:
        retries = found.get("run_attempt", "0")
        found["run_attempt"] = str(int(retries) + 1) if retries.isdecimal() else retries
        found.setdefault("job_name", variables.get("BUILDKITE_STEP_KEY", ""))
    found |= {"job_name": job_name} if job_name else {}
    found["check_run_id"] = (
        check_run or f"{found.get('run_id', '0')}-{found.get('run_attempt', '1')}"
    )
    try:
        return WorkflowJob.model_validate({**found, "artifact_url": artifact})
    except ValidationError as error:
        raise RefusedEventError("unreadable", _job_fault(error, names)) from None


def _job_fault(error: ValidationError, names: Mapping[str, str]) -> str:
    """Return what is missing or not valid of a job, all at once, and what to do."""
    faults: dict[str, list[str]] = {}
    for fault in error.errors(include_input=False):
        key = str(fault["loc"][0])
        if key == "check_run_id" and faults:
            continue  # made of the id of the run
        source = {**names, **_OPTIONS}.get(key, " or ".join(_GITHUB_URL[:2]))
        source = f"--job-name or {source}" if key == "job_name" else source
        faults.setdefault(_REMEDIES.get(key, _DEFAULT_REMEDY), []).append(source)
    return ". ".join(
        f"{', '.join(sources)} {'are' if sources[1:] else 'is'} missing or not valid. {remedy}"
        for remedy, sources in faults.items()
    )


def in_progress_callback(
    dispatched: Dispatched, job: WorkflowJob, now: dt.datetime
) -> dict[str, Any]:
    """Return the body of a job's first callback, which says that its tests have started."""
    state = {"status": "in_progress", "started_at": time_text(now)}
    return _callback_body(dispatched, job, state)


def completed_callback(
    dispatched: Dispatched | SelfStarted,
    job: WorkflowJob,
    report: Report | None,
    now: dt.datetime,
    ended: EarlyEnd | None = None,
) -> dict[str, Any]:
    """Return the body of a job's last callback, with the counts and failed tests of its report.

    `ended` says how the run ended if its report does not: a run without a report failed unless it
    is given. A self-started run has no first callback, so the body of its last callback also has
    the start time. Raises ProblemsError for a baseline.
    """
    started = (report and report.started) or now
    state: dict[str, Any] = {
        "status": "completed",
        "conclusion": ended or (conclusion(report) if report else "failure"),
        "started_at": time_text(started) if isinstance(dispatched, SelfStarted) else None,
        "completed_at": time_text(now),
    }
    if report:
        state["test_results"] = result_counts(report)
        if failed := failed_tests(report):
            state["failed_tests_detail"] = failed
    return _callback_body(dispatched, job, state)


def failed_tests(report: Report) -> list[dict[str, Any]]:
    """Return the first failed tests, as PyTorch's HUD lists them: name, suite, reason, seconds."""
    failed = (test for test in report.tests if test.outcome in BAD)
    return [
        {
            "name": identity_of(test).key,
            "classname": test.suite,
            "message": (test.reason or test.outcome)[:_MOST_CHARACTERS],
            "duration": test.duration_s,
        }
        for test in islice(failed, _MOST_FAILED_TESTS)
    ]


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

    Without a value, `artifact_url`, `test_results` and `failed_tests_detail` are omitted, and
    `conclusion`, `started_at` and `completed_at` are None.
    """
    empty = {"conclusion": None, "started_at": None, "completed_at": None}
    workflow = {"schema_version": "1", **empty, **job.model_dump(exclude_none=True), **state}
    return {**dispatched.model_dump(), "workflow": workflow}

"""What PyTorch's own relay takes back: the body of its callback, from a common report.

For repositories on the relay's list (`data/relay.yaml`). Form: `callback_handler.py` in
aws/lambda/cross_repo_ci_relay of pytorch/test-infra and its README, read 2026-11-20. The relay's
action sends it, with the token that proves the repository; the portal only writes it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from accelerator_portal.automation.events import Part
from accelerator_portal.automation.upstream.change import Delivery, RefusedEventError
from accelerator_portal.reports.relay import relay_summary
from accelerator_portal.reports.report import Report

Conclusion = Literal["success", "failure", "cancelled", "timed_out"]


class Dispatched(Part):
    """The `client_payload` that the relay sent."""

    event_type: Annotated[str, Field(min_length=1, max_length=100)]
    """What happened."""
    delivery_id: Delivery
    """Its number."""
    payload: dict[str, Any]
    """The webhook."""


class WorkflowJob(Part):
    """The job that ran, as GitHub's variables name it."""

    name: Annotated[str, Field(min_length=1)]
    """The workflow's name."""
    job_name: Annotated[str, Field(min_length=1)]
    """The job's name."""
    url: Annotated[str, Field(pattern=r"^https://")]
    """The run's page."""
    run_id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    """The run's number."""
    run_attempt: Annotated[str, Field(pattern=r"^[0-9]+$")] = "1"
    """Which try it is."""
    check_run_id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    """The number of the job's check run."""
    artifact_url: Annotated[str, Field(pattern=r"^https://")] | None = None
    """Where the report is."""


def read_dispatched(event: bytes) -> Dispatched:
    """Return the payload of a relayed `repository_dispatch` event. Raises RefusedEventError."""

    class Event(Part):
        client_payload: Dispatched

    try:
        return Event.model_validate_json(event).client_payload
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "the event"
        raise RefusedEventError("unreadable", f"{place} is not in the relay's format") from None


def job_of(variables: Mapping[str, str], check_run: str, artifact: str | None) -> WorkflowJob:
    """Return the job that GitHub's variables describe. Raises RefusedEventError."""
    server, repository = variables.get("GITHUB_SERVER_URL"), variables.get("GITHUB_REPOSITORY")
    number = variables.get("GITHUB_RUN_ID", "")
    try:
        return WorkflowJob(
            name=variables.get("GITHUB_WORKFLOW", ""),
            job_name=variables.get("GITHUB_JOB", ""),
            url=f"{server}/{repository}/actions/runs/{number}",
            run_id=number,
            run_attempt=variables.get("GITHUB_RUN_ATTEMPT", "1"),
            check_run_id=check_run,
            artifact_url=artifact,
        )
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
        what = f"the run's {place} is missing or invalid. Run this in GitHub Actions"
        raise RefusedEventError("unreadable", what) from None


def callback(report: Report, dispatched: Dispatched, job: WorkflowJob) -> dict[str, Any]:
    """Return the body of the callback `completed`.

    A run that says nothing of the product (no test passed or failed) is no success. Raises
    ProblemsError for a baseline.
    """
    results = relay_summary(report)["test_results"]
    conclusion: Conclusion = "success" if results["passed"] and not results["failed"] else "failure"
    return {
        **dispatched.model_dump(),
        "workflow": {
            "schema_version": "1",
            "status": "completed",
            "conclusion": conclusion,
            **job.model_dump(),
            "started_at": _moment(report.started),
            "completed_at": _moment(report.finished),
            "test_results": results,
        },
    }


def _moment(moment: dt.datetime | None) -> str | None:
    return None if moment is None else f"{moment.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"

"""Reads what a CI service states about the run in progress from its environment variables."""

from __future__ import annotations

from collections.abc import Mapping

from accelerator_reports.outcomes import TriggerKind

_URL_VARIABLES = ("CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL")
"""The variables of GitLab, Buildkite, CircleCI and Jenkins with the address of a run."""

_GITHUB_VARIABLES = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")

# Names of events in GITHUB_EVENT_NAME (GitHub) and CI_PIPELINE_SOURCE (GitLab).
_TRIGGERS: Mapping[str, TriggerKind] = {
    "merge_request_event": "pull-request",
    "pull_request": "pull-request",
    "pull_request_target": "pull-request",
    "release": "release",
    "schedule": "periodic",
    "web": "manual",
    "workflow_dispatch": "manual",
}


def ci_run_url(variables: Mapping[str, str]) -> str | None:
    """Return the address of the CI run that environment variables describe; None outside a CI."""
    server, repository, run = (variables.get(name) for name in _GITHUB_VARIABLES)
    if server and repository and run:
        return f"{server}/{repository}/actions/runs/{run}"
    addresses = filter(None, map(variables.get, _URL_VARIABLES))
    return next((url for url in addresses if url.startswith(("https://", "http://"))), None)


def ci_trigger(variables: Mapping[str, str]) -> TriggerKind:
    """Return what triggered the run; `manual` outside a CI, `unknown` for an event of no kind."""
    event = variables.get("GITHUB_EVENT_NAME") or variables.get("CI_PIPELINE_SOURCE")
    return _TRIGGERS.get(event, "unknown") if event else "manual"

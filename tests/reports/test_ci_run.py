from __future__ import annotations

from collections.abc import Mapping

import pytest

from accelerator_reports.environment import ci_run_url, ci_trigger

_GITHUB = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "a/b",
    "GITHUB_RUN_ID": "12",
}


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, None),
        (_GITHUB, "https://github.com/a/b/actions/runs/12"),
        ({**_GITHUB, "GITHUB_RUN_ID": ""}, None),
        ({"CI_JOB_URL": "https://gitlab.example/a/-/jobs/1"}, "https://gitlab.example/a/-/jobs/1"),
        ({"BUILDKITE_BUILD_URL": "https://bk.example/1"}, "https://bk.example/1"),
        ({"BUILD_URL": "http://jenkins.example/1/"}, "http://jenkins.example/1/"),
        ({"BUILD_URL": "none"}, None),
    ],
)
def test_the_address_of_the_run_is_what_the_ci_states(
    variables: Mapping[str, str], url: str | None
) -> None:
    assert ci_run_url(variables) == url


@pytest.mark.parametrize(
    ("variables", "trigger"),
    [
        ({}, "manual"),
        ({"GITHUB_EVENT_NAME": "schedule"}, "periodic"),
        ({"GITHUB_EVENT_NAME": "pull_request"}, "pull-request"),
        ({"GITHUB_EVENT_NAME": "workflow_dispatch"}, "manual"),
        ({"GITHUB_EVENT_NAME": "push"}, "unknown"),
        ({"CI_PIPELINE_SOURCE": "merge_request_event"}, "pull-request"),
    ],
)
def test_the_trigger_is_what_the_ci_states(variables: Mapping[str, str], trigger: str) -> None:
    assert ci_trigger(variables) == trigger

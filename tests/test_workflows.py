"""What keeps a pull request from harm, where a linter of workflows does not look."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from accelerator_portal.automation.artifact import NAME
from tests.folders import REPOSITORY

FOLDER = REPOSITORY / ".github/workflows"
FILES = sorted(path.name for path in FOLDER.glob("*.yml"))

RUNS_THEIR_CODE = "pull-request.yml"
COMMENTS = "pull-request-comment.yml"


def workflow(name: str) -> Any:  # noqa: ANN401 - any YAML
    # YAML 1.1 takes the key `on` for true; read as texts it stays what it is.
    return yaml.load((FOLDER / name).read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - safe


def steps(name: str) -> list[Any]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_granted_but_by_the_job_that_needs_it(name: str) -> None:
    assert workflow(name)["permissions"] == {}
    assert all("timeout-minutes" in job for job in workflow(name)["jobs"].values())


@pytest.mark.parametrize("name", FILES)
def test_actions_are_pinned_and_checkouts_keep_no_token(name: str) -> None:
    for step in steps(name):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("name", FILES)
def test_no_expression_stands_in_a_script(name: str) -> None:
    """What an author chooses (a branch's name, a title) would be run as a command."""
    assert not any("${{" in step.get("run", "") for step in steps(name))


def test_a_pull_requests_code_runs_with_nothing_to_steal() -> None:
    text = (FOLDER / RUNS_THEIR_CODE).read_text("utf-8")
    assert list(workflow(RUNS_THEIR_CODE)["on"]) == ["pull_request"]
    assert "secrets." not in text
    assert "github.token" not in text
    for job in workflow(RUNS_THEIR_CODE)["jobs"].values():
        assert job["permissions"] == {"contents": "read"}


def test_what_may_write_runs_mains_code_alone() -> None:
    assert not any("pull_request_target" in workflow(name)["on"] for name in FILES)
    (job,) = workflow(COMMENTS)["jobs"].values()
    assert job["permissions"] == {
        "actions": "read",
        "contents": "read",
        "pull-requests": "write",
    }
    (checkout,) = (s for s in job["steps"] if s.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert "repository" not in checkout["with"]
    assert not any("download-artifact" in step.get("uses", "") for step in job["steps"])


def test_the_token_is_given_to_the_one_step_that_needs_it() -> None:
    given = [step["name"] for step in steps(COMMENTS) if "github.token" in str(step.get("env"))]
    assert given == ["Post the comment, or renew it"]


def test_the_two_workflows_name_each_other_and_the_artifact() -> None:
    assert workflow(COMMENTS)["on"]["workflow_run"]["workflows"] == [
        workflow(RUNS_THEIR_CODE)["name"]
    ]
    kept = [s["with"] for s in steps(RUNS_THEIR_CODE) if "upload-artifact" in s.get("uses", "")]
    assert {what["name"] for what in kept} == {"preview", NAME}

"""What keeps a pull request from harm, where a linter of workflows does not look."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
import yaml

from accelerator_automation.github.app import APP_ID, APP_KEY
from accelerator_automation.site_change_comment import ARTIFACT_NAME
from accelerator_automation.upstream.dispatch_round import _dispatch_request
from accelerator_automation.upstream.incoming import UPSTREAM, Change
from accelerator_automation.upstream.run_lists import WRITING_WORKFLOWS
from accelerator_portal.catalog.files.accelerator import OWN_WORKFLOW
from tests.automation.upstream.scene import RUNNER, entry
from tests.folders import REPOSITORY

FOLDER = REPOSITORY / ".github/workflows"
TEMPLATES = REPOSITORY / "workflow-templates"
FILES = sorted(path.name for path in FOLDER.glob("*.yml"))
EVERY = [*FILES, *sorted(path.name for path in TEMPLATES.glob("*.yml"))]

RUNS_THEIR_CODE = "pull-request.yml"
COMMENTS = "pull-request-comment.yml"


def workflow(name: str) -> Any:  # noqa: ANN401 - any YAML
    # YAML 1.1 takes the key `on` for true; read as texts it stays what it is.
    folder = FOLDER if name in FILES else TEMPLATES
    return yaml.load((folder / name).read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - safe


def jobs(name: str) -> list[Any]:
    """The jobs that have steps; others call a workflow."""
    return [job for job in workflow(name)["jobs"].values() if "uses" not in job]


def steps(name: str) -> list[Any]:
    return [step for job in jobs(name) for step in job["steps"]]


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_granted_but_by_the_job_that_needs_it(name: str) -> None:
    assert workflow(name)["permissions"] == {}
    assert all("timeout-minutes" in job for job in jobs(name))
    assert all("permissions" in job for job in workflow(name)["jobs"].values())


@pytest.mark.parametrize("name", EVERY)
def test_what_runs_twice_at_once_is_decided(name: str) -> None:
    found = workflow(name).get("concurrency") or jobs(name)[0]["concurrency"]
    assert found["group"]
    assert found["cancel-in-progress"] in {"true", "false"}


@pytest.mark.parametrize("name", EVERY)
def test_actions_are_pinned_and_checkouts_keep_no_token(name: str) -> None:
    for step in steps(name):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("name", EVERY)
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
    assert not any("uses" in step for step in steps("pytorch-sender.yml"))
    (job,) = workflow(COMMENTS)["jobs"].values()
    assert job["permissions"] == {"actions": "read", "contents": "read", "pull-requests": "write"}
    (checkout,) = (s for s in job["steps"] if s.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert "repository" not in checkout["with"]
    assert not any("download-artifact" in step.get("uses", "") for step in job["steps"])


def test_the_token_is_given_to_the_one_step_that_needs_it() -> None:
    given = [step["name"] for step in steps(COMMENTS) if "github.token" in str(step.get("env"))]
    assert given == ["Create or update the comment"]


def test_the_two_workflows_name_each_other_and_the_artifact() -> None:
    assert workflow(COMMENTS)["on"]["workflow_run"]["workflows"] == [
        workflow(RUNS_THEIR_CODE)["name"]
    ]
    kept = [s["with"] for s in steps(RUNS_THEIR_CODE) if "upload-artifact" in s.get("uses", "")]
    assert {what["name"] for what in kept} == {"preview", ARTIFACT_NAME}


def test_each_token_of_upstream_events_is_in_the_one_step_that_needs_it() -> None:
    given = {
        (name, step["name"]): sorted(
            variable for variable, value in step["env"].items() if "secrets." in value
        )
        for name in EVERY
        for step in steps(name)
        if "secrets." in str(step.get("env"))
    }
    assert given == {
        ("upstream-event.yml", "Send"): [APP_ID, APP_KEY],
        ("upstream-answer.yml", "Answer"): [APP_ID, APP_KEY],
        ("pytorch-sender.yml", "Send the event"): ["GH_TOKEN"],
    }


def test_jobs_that_get_secrets_run_in_the_environment_that_main_alone_may_use() -> None:
    for name in ("upstream-event.yml", "upstream-answer.yml"):
        for job in jobs(name):
            secret = "secrets." in str(job)
            assert job.get("environment") == ("upstream" if secret else None)


def test_what_runs_a_vendors_or_pytorchs_code_gets_no_secret_and_writes_nothing() -> None:
    text = (FOLDER / "validate.yml").read_text("utf-8")
    assert "secrets" not in workflow("validate.yml")["on"]["workflow_call"]
    assert "secrets." not in text
    assert "github.token" not in text
    callers = [
        job
        for name in EVERY
        for job in workflow(name)["jobs"].values()
        if "validate.yml" in job.get("uses", "")
    ]
    assert len(callers) == 2
    for job in [*callers, *jobs("validate.yml")]:
        assert job["permissions"] == {"contents": "read"}
        assert "secrets" not in job


def test_what_calls_the_validation_says_what_it_takes() -> None:
    known = workflow("validate.yml")["on"]["workflow_call"]["inputs"]
    required = {name for name, one in known.items() if one.get("required") == "true"}
    for name in ("upstream-run.yml", "vendor-receiver.yml"):
        (given,) = (j["with"] for j in workflow(name)["jobs"].values() if "with" in j)
        assert required <= set(given) <= set(known), name


def test_what_leaves_files_that_are_believed_runs_the_portals_own_code_alone() -> None:
    for name, path in WRITING_WORKFLOWS.items():
        file = path.rpartition("/")[2]
        kept = [s["with"] for s in steps(file) if "upload-artifact" in s.get("uses", "")]
        assert name in {one["name"] for one in kept} <= WRITING_WORKFLOWS.keys()
        assert len(jobs(file)) == len(workflow(file)["jobs"])
        checkouts = [s for s in steps(file) if "actions/checkout@" in s.get("uses", "")]
        assert len(checkouts) == len(jobs(file))
        for checkout in checkouts:
            assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"


def test_the_portals_own_run_takes_what_it_is_sent() -> None:
    known = workflow(OWN_WORKFLOW)["on"]["workflow_dispatch"]["inputs"]
    change = Change(occasion="push", delivery="a-delivery", repository=UPSTREAM, head="a" * 40)
    _, body = _dispatch_request(change, entry(run=RUNNER), "example/portal")
    assert set(body["inputs"]) == set(known)
    assert workflow(OWN_WORKFLOW)["run-name"] == "PyTorch ${{ inputs.run_name }}"


def test_the_parallel_jobs_run_every_part_of_the_checks() -> None:
    asked = subprocess.run(
        [REPOSITORY / ".ci/run", "nothing"], capture_output=True, text=True, check=False
    )
    assert asked.returncode == 2
    parts = asked.stderr.rpartition(": ")[2].split()
    assert len(parts) > 1
    assert sorted(workflow("checks.yml")["jobs"]["checks"]["strategy"]["matrix"]["part"]) == sorted(
        parts
    )

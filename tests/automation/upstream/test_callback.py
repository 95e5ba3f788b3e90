from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from accelerator_automation.upstream.callback import (
    completed_callback,
    conclusion,
    failed_tests,
    in_progress_callback,
    read_dispatched,
    result_counts,
    self_started_payload,
    workflow_job,
)
from accelerator_automation.upstream.incoming import RefusedEventError
from accelerator_reports.files.problem import ProblemsError
from tests.automation.upstream.relay_contract import (
    ENVELOPE,
    OPTIONAL_WORKFLOW_KEYS,
    SELF_STARTED,
    TRANSITIONS,
    WORKFLOW_KEYS,
    RelayDouble,
)
from tests.automation.upstream.scene import DELIVERY, HEAD, NOW, event, nested, pull_webhook, report

HERE = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "vendor/plugin",
    "GITHUB_RUN_ID": "12",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_WORKFLOW": "PyTorch",
    "GITHUB_JOB": "test",
}
PASSED = report({"a": "passed"})


def body_of(status: str, job_name: str | None = None) -> dict[str, Any]:
    """A callback of the job, in either state."""
    dispatched = read_dispatched(nested(pull_webhook()))
    job = workflow_job(HERE, "456", None, job_name)
    if status == "in_progress":
        return in_progress_callback(dispatched, job, NOW)
    return completed_callback(dispatched, job, PASSED, NOW)


def test_the_relay_gets_its_own_payload_back_and_the_counts_of_the_report() -> None:
    dispatched = read_dispatched(nested(pull_webhook()))
    found = report({"a": "passed", "b": "crashed", "c": "executed"})
    job = workflow_job(HERE, "456", "https://example.org/x")
    assert completed_callback(dispatched, job, found, NOW) == {
        "event_type": "pull_request",
        "delivery_id": DELIVERY,
        "payload": json.loads(json.dumps(pull_webhook())),
        "workflow": {
            "schema_version": "1",
            "status": "completed",
            "conclusion": "failure",
            "name": "PyTorch",
            "job_name": "test",
            "url": "https://github.com/vendor/plugin/actions/runs/12",
            "run_id": "12",
            "run_attempt": "2",
            "check_run_id": "456",
            "artifact_url": "https://example.org/x",
            "started_at": None,
            "completed_at": "2026-11-21T12:00:00Z",
            "test_results": {"passed": 1, "failed": 1, "skipped": 1},
            "failed_tests_detail": [
                {
                    "name": "made-up/b",
                    "classname": "made-up",
                    "message": "It says `why`.",
                    "duration": None,
                }
            ],
        },
    }


def test_a_job_that_starts_has_no_conclusion() -> None:
    workflow = body_of("in_progress")["workflow"]
    assert (workflow["started_at"], workflow["completed_at"]) == ("2026-11-21T12:00:00Z", None)
    assert workflow["conclusion"] is None


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_a_callback_has_the_keys_of_the_relay_s_action(status: str) -> None:
    body = body_of(status)
    assert set(body) == {*ENVELOPE, "workflow"}
    assert set(body["workflow"]) - set(OPTIONAL_WORKFLOW_KEYS) == set(WORKFLOW_KEYS)


@pytest.mark.parametrize(("states", "answer"), TRANSITIONS.items())
def test_the_relay_takes_the_states_of_a_job_in_order(states: tuple[str, ...], answer: int) -> None:
    relay = RelayDouble({DELIVERY})
    assert [relay.receive(body_of(state)) for state in states][-1] == answer


def test_each_leg_of_a_matrix_needs_its_own_job_name() -> None:
    states = ("in_progress", "in_progress", "completed", "completed")
    same = RelayDouble({DELIVERY})
    assert [same.receive(body_of(state)) for state in states] == [200, 400, 200, 400]
    names = ("test-fp32", "test-fp16") * 2
    unique = RelayDouble({DELIVERY})
    answers = [unique.receive(body_of(*leg)) for leg in zip(states, names, strict=True)]
    assert answers == [200] * 4


@pytest.mark.parametrize("event_type", SELF_STARTED)
def test_a_nightly_run_names_pytorch_s_commit_instead_of_a_delivery(event_type: Any) -> None:  # noqa: ANN401 - a literal
    body = completed_callback(
        self_started_payload(event_type, HEAD), workflow_job(HERE, None, None), PASSED, NOW
    )
    assert body["payload"] == {"repository": {"full_name": "pytorch/pytorch"}, "head_sha": HEAD}
    assert (body["delivery_id"], body["workflow"]["check_run_id"]) == (HEAD, "12-2")
    assert RelayDouble(set()).receive(body) == 200


@pytest.mark.parametrize("commit", ["", "abc1234", "A" * 40])
def test_a_nightly_run_without_a_full_commit_is_refused(commit: str) -> None:
    with pytest.raises(RefusedEventError, match="Pass it with --commit"):
        self_started_payload("nightly", commit)


@pytest.mark.parametrize(
    ("outcomes", "ended"),
    [
        ({"a": "passed"}, "success"),
        ({"a": "passed", "b": "skipped"}, "success"),
        ({"a": "skipped"}, "failure"),
        ({"a": "infrastructure-error"}, "failure"),
        ({}, "failure"),
    ],
)
def test_a_run_without_a_pass_is_no_success(outcomes: dict[str, str], ended: str) -> None:
    assert conclusion(report(outcomes)) == ended


def test_a_baseline_is_no_run() -> None:
    with pytest.raises(ProblemsError, match="a baseline is not a test run"):
        result_counts(report({"a": "passed"}, kind="baseline"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"GITHUB_RUN_ID": "x"}, "GITHUB_RUN_ID is missing or not valid"),
        ({"GITHUB_JOB": ""}, "--job-name or GITHUB_JOB is missing or not valid"),
        ({"GITHUB_SERVER_URL": "http://x"}, "GITHUB_SERVER_URL or GITHUB_REPOSITORY"),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_SERVER_URL or GITHUB_REPOSITORY"),
    ],
)
def test_a_job_outside_of_a_ci_system_is_refused(changed: dict[str, str], words: str) -> None:
    with pytest.raises(RefusedEventError, match=words):
        workflow_job({**HERE, **changed}, "456", None)


def test_all_that_is_missing_is_said_at_once() -> None:
    missing = (
        r"GITHUB_WORKFLOW, --job-name or GITHUB_JOB, GITHUB_SERVER_URL .*, GITHUB_RUN_ID are mis"
    )
    with pytest.raises(RefusedEventError, match=missing):
        workflow_job({}, None, None)
    with pytest.raises(RefusedEventError, match=r"--check-run is .*--artifact is .*https://"):
        workflow_job(HERE, "x", "ftp://x")


BUILDKITE = {
    "BUILDKITE": "true",
    "BUILDKITE_BUILD_ID": "0190f5a2-6a42-4e3d-9a6b-3b0d5d5d0c6f",
    "BUILDKITE_BUILD_NUMBER": "4711",
    "BUILDKITE_BUILD_URL": "https://buildkite.com/vendor/nightly/builds/4711",
    "BUILDKITE_PIPELINE_SLUG": "nightly",
    "BUILDKITE_LABEL": "operators",
    "BUILDKITE_RETRY_COUNT": "1",
}
ANY_SYSTEM = {
    "WORKFLOW_NAME": "nightly",
    "WORKFLOW_URL": "https://gitlab.example.org/vendor/plugin/-/jobs/4711",
    "JOB_NAME": "operators",
    "RUN_ID": "4711",
    "RUN_ATTEMPT": "2",
}


@pytest.mark.parametrize("variables", [BUILDKITE, ANY_SYSTEM])
def test_other_ci_systems_report_a_nightly_run(variables: dict[str, str]) -> None:
    job = workflow_job(variables, None, None)
    assert (job.name, job.job_name, job.run_id, job.run_attempt) == (
        "nightly",
        "operators",
        "4711",
        "2",
    )
    body = completed_callback(self_started_payload("nightly", HEAD), job, PASSED, NOW)
    assert body["workflow"]["check_run_id"] == "4711-2"
    assert RelayDouble(set()).receive(body) == 200


def test_the_id_of_a_build_is_a_number_as_the_relay_fails_for_another() -> None:
    for variables in (
        {**ANY_SYSTEM, "RUN_ID": BUILDKITE["BUILDKITE_BUILD_ID"]},
        {**BUILDKITE, "BUILDKITE_BUILD_NUMBER": ""},
        {**BUILDKITE, "BUILDKITE_RETRY_COUNT": "x"},
    ):
        with pytest.raises(
            RefusedEventError, match=r"(RUN_ID|BUILD_NUMBER|COUNT) is missing or not valid"
        ):
            workflow_job(variables, None, None)
    body = body_of("in_progress")
    body["workflow"]["run_id"] = BUILDKITE["BUILDKITE_BUILD_ID"]
    assert RelayDouble({DELIVERY}).receive(body) == 500


def test_a_run_that_was_cancelled_has_no_report() -> None:
    dispatched, job = read_dispatched(nested(pull_webhook())), workflow_job(HERE, None, None)
    workflow = completed_callback(dispatched, job, None, NOW, "timed_out")["workflow"]
    assert workflow["conclusion"] == "timed_out"
    assert "test_results" not in workflow


def test_failed_tests_are_listed_as_far_as_the_hud_keeps_them() -> None:
    many = report({f"t{n}": "failed" for n in range(60)})
    long = many.model_copy(
        update={"tests": tuple(t.model_copy(update={"reason": "x" * 900}) for t in many.tests)}
    )
    listed = failed_tests(long)
    assert len(listed) == 50
    assert {len(test["message"]) for test in listed} == {500}


@pytest.mark.parametrize("data", [b"", b"{}", event({}), event({"pull_request": {"number": 1}})])
def test_another_event_is_refused(data: bytes) -> None:
    with pytest.raises(
        RefusedEventError, match=r"^(the event|client_payload).* Pass the file of the "
    ):
        read_dispatched(data)


@pytest.mark.skipif(
    "PORTAL_TEST_INFRA" not in os.environ,
    reason="PORTAL_TEST_INFRA names no checkout of pytorch/test-infra",
)
@pytest.mark.parametrize("status", ["in_progress", "completed", "nightly"])
def test_pytorch_s_own_action_writes_the_same(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream's code is the judge; moments alone may differ."""
    ours = body_of("completed" if status == "nightly" else status)
    if status == "nightly":
        ours = completed_callback(
            self_started_payload("nightly", HEAD), workflow_job(HERE, "456", None), PASSED, NOW
        )
        monkeypatch.setenv("DELIVERY_ID_OVERRIDE", HEAD)
        monkeypatch.setenv("EVENT_TYPE_OVERRIDE", "nightly")
    workflow = ours["workflow"]
    names = ("status", "conclusion", "run_id", "run_attempt", "job_name", "check_run_id")
    given = {name.upper(): workflow[name] or "" for name in (*names, "schema_version")}
    given |= {"WORKFLOW_NAME": workflow["name"], "WORKFLOW_URL": workflow["url"]}
    given["TEST_RESULTS"] = json.dumps(workflow.get("test_results", ""))
    given["TEST_RESULTS"] = given["TEST_RESULTS"] if status != "in_progress" else ""
    given["CLIENT_PAYLOAD"] = json.dumps({key: ours[key] for key in ENVELOPE})
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    theirs = json.loads(_action().build_payload())
    for body in (ours, theirs):
        for moment in ("started_at", "completed_at"):
            body["workflow"][moment] = bool(body["workflow"][moment])
    assert {**theirs, "workflow": None} == {**ours, "workflow": None}
    assert sorted(theirs["workflow"].items()) == sorted(ours["workflow"].items())


def _action() -> Any:  # noqa: ANN401 - a module that is not here
    folder = Path(os.environ["PORTAL_TEST_INFRA"])
    file = folder / ".github/actions/cross-repo-ci-relay-callback/report_callback.py"
    spec = importlib.util.spec_from_file_location("report_callback", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

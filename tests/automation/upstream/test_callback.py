from __future__ import annotations

import json

import pytest

from accelerator_portal.automation.upstream.callback import callback, job_of, read_dispatched
from accelerator_portal.automation.upstream.change import RefusedEventError
from accelerator_portal.catalog import ProblemsError
from tests.automation.upstream.scene import DELIVERY, event, nested, pull_webhook, report

HERE = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "vendor/plugin",
    "GITHUB_RUN_ID": "12",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_WORKFLOW": "PyTorch",
    "GITHUB_JOB": "test",
}


def test_the_relay_gets_its_own_payload_back_and_what_the_report_says() -> None:
    dispatched = read_dispatched(nested(pull_webhook()))
    found = report({"a": "passed", "b": "crashed", "c": "executed"})
    assert callback(found, dispatched, job_of(HERE, "456", "https://example.org/x")) == {
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
            "started_at": "2026-11-21T11:00:00Z",
            "completed_at": "2026-11-21T11:30:00Z",
            "test_results": {"passed": 1, "failed": 1, "skipped": 1},
        },
    }


@pytest.mark.parametrize(
    ("outcomes", "conclusion"),
    [
        ({"a": "passed"}, "success"),
        ({"a": "passed", "b": "skipped"}, "success"),
        ({"a": "skipped"}, "failure"),
        ({"a": "infrastructure-error"}, "failure"),
        ({}, "failure"),
    ],
)
def test_what_says_nothing_is_no_success(outcomes: dict[str, str], conclusion: str) -> None:
    dispatched = read_dispatched(nested(pull_webhook()))
    body = callback(report(outcomes), dispatched, job_of(HERE, "456", None))
    assert body["workflow"]["conclusion"] == conclusion


def test_a_baseline_is_no_run() -> None:
    dispatched = read_dispatched(nested(pull_webhook()))
    with pytest.raises(ProblemsError, match="a baseline is not a test run"):
        callback(report({"a": "passed"}, kind="baseline"), dispatched, job_of(HERE, "4", None))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"GITHUB_RUN_ID": "x"}, "the run's run_id is missing or of another form"),
        ({"GITHUB_JOB": ""}, "the run's job_name is missing or of another form"),
        ({"GITHUB_SERVER_URL": "http://x"}, "the run's url is missing or of another form"),
    ],
)
def test_outside_of_github_s_runs_that_is_said(changed: dict[str, str], words: str) -> None:
    with pytest.raises(RefusedEventError, match=words):
        job_of({**HERE, **changed}, "456", None)
    with pytest.raises(RefusedEventError, match="the run's name is missing"):
        job_of({}, "456", None)


@pytest.mark.parametrize("data", [b"", b"{}", event({}), event({"pull_request": {"number": 1}})])
def test_another_event_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedEventError, match=r"^unreadable: .* is not in the relay's format$"):
        read_dispatched(data)

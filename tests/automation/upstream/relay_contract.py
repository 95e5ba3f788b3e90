"""The rules of PyTorch's cross-repository CI relay, recorded from its code in our own words.

Source: pytorch/test-infra at commit 61a77570f of 2026-08-21, read 2026-11-22: `action.yml` and
`report_callback.py` in `.github/actions/cross-repo-ci-relay-callback`; in
`aws/lambda/cross_repo_ci_relay` the files `callback/callback_handler.py`, `utils/redis_helper.py`,
`webhook/event_handler.py` and `utils/sha_validator.py`, which nothing calls. `failed_tests_detail`:
`torchci/lib/crcr/crcrUtils.ts`, a copy without a date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ENVELOPE = ("event_type", "delivery_id", "payload")
"""All keys of `client_payload` that the relay sends."""

WORKFLOW_KEYS = (
    "schema_version",
    "status",
    "conclusion",
    "name",
    "url",
    "run_id",
    "run_attempt",
    "job_name",
    "check_run_id",
    "started_at",
    "completed_at",
)
"""All keys of `workflow` that the action always sends; some of them are null."""

OPTIONAL_WORKFLOW_KEYS = ("test_results", "artifact_url", "failed_tests_detail")

SELF_STARTED = ("nightly", "periodic")
"""Events for which the action takes `completed` alone."""

# Callbacks of one job in their order, and the status that the relay answers to the last of them.
TRANSITIONS: Mapping[tuple[str, ...], int] = {
    ("in_progress",): 200,
    ("completed",): 400,
    ("in_progress", "in_progress"): 400,
    ("in_progress", "completed"): 200,
    ("in_progress", "completed", "completed"): 400,
    ("in_progress", "completed", "in_progress"): 400,
}


@dataclass
class RelayDouble:
    """The relay as far as it accepts or refuses a callback."""

    dispatched: set[str]
    """Deliveries that it sent."""
    states: dict[tuple[str, int, int, str], str] = field(default_factory=dict)

    def receive(self, body: Mapping[str, Any]) -> int:
        """Return the status of the answer to a callback."""
        workflow = body["workflow"]
        try:
            run, attempt = int(workflow["run_id"]), int(workflow["run_attempt"])
        except ValueError:
            return 500  # which upstream does not catch
        if body["event_type"] in SELF_STARTED:
            return 200 if workflow["status"] == "completed" else 400
        if body["delivery_id"] not in self.dispatched:
            return 400
        job = (str(body["delivery_id"]), run, attempt, str(workflow["job_name"]))
        required = {"in_progress": None, "completed": "in_progress"}[workflow["status"]]
        if self.states.get(job) != required:
            return 400
        self.states[job] = workflow["status"]
        return 200

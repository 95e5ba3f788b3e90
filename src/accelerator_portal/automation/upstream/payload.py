"""What a vendor's repository is sent: within GitHub's limits, identifiers whole.

`pull_request` has the form that older dispatchers use, so that a workflow that reads its number
goes on to work. Limits: npm @octokit/openapi, `repos/create-dispatch-event`: 10 keys, 64 kB.
"""

from __future__ import annotations

import json
from typing import Any

from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.planning import PlannedPlatform

MOST_KEYS = 10
MOST_BYTES = 60_000

REPORT = "accelerator-report"
"""The name of the artifact that a run leaves, and within it `report.json`."""

_LEAST = 40


def run_title(change: Change, accelerator: str) -> str:
    """Return what a run's title must hold so that it is found: `run-name` in its workflow."""
    return f"{change.delivery}/{accelerator}"


def client_payload(change: Change, entry: PlannedPlatform) -> dict[str, Any]:
    """Return what one platform is sent."""
    body: dict[str, Any] = {
        "schema_version": 1,
        "event_type": change.occasion,
        "delivery_id": change.delivery,
        "accelerator": entry.accelerator,
        "tasks": list(entry.tasks),
        "repository": change.repository,
        "sha": change.head,
        "run_name": run_title(change, entry.accelerator),
        "artifact": REPORT,
    }
    if change.number is not None:
        body["pull_request"] = {
            "number": change.number,
            "title": change.title,
            "head": {"sha": change.head},
            "base": {"sha": change.base},
            "labels": [{"name": label} for label in change.labels],
        }
    return fitted(body)


def fitted(body: dict[str, Any], most: int = MOST_BYTES) -> dict[str, Any]:
    """Return a body of at most `most` bytes: labels go first, then the title is cut.

    Raises ValueError where the rest alone is too long.
    """
    pull = body.get("pull_request")
    while size(body) > most:
        if not isinstance(pull, dict) or not (pull.get("labels") or len(pull["title"]) > _LEAST):
            raise ValueError(f"the event has {size(body):,} bytes, more than {most:,}")
        if pull.get("labels"):
            pull = {**pull, "labels": pull["labels"][: len(pull["labels"]) // 2]}
        else:
            pull = {**pull, "title": f"{pull['title'][: len(pull['title']) // 2]}…"}
        body = {**body, "pull_request": pull}
    return body


def size(body: dict[str, Any]) -> int:
    """Return how many bytes a body has as it is sent, other letters as escapes."""
    return len(json.dumps(body).encode())

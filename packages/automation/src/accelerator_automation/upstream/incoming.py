"""Reads which PyTorch change to test from GitHub's event `repository_dispatch`.

Two forms of `client_payload` are in use. PyTorch's cross-repository CI relay sends `event_type`,
`delivery_id` and `payload`, which contains PyTorch's webhook. The older dispatcher of
pytorch-fdn/oota sends only `pull_request` with its number. Anyone who may send events to this
repository can write any payload. The data is therefore confirmed with GitHub before it is used (see
`confirmed_change`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from accelerator_automation.github.models import GitHubModel, Label, Repository, User
from accelerator_automation.upstream.change import (
    BRANCH,
    UPSTREAM,
    Change,
    ChangeNumber,
    EventAction,
    EventId,
    RefusedEventError,
    Sha1,
)

MOST_BYTES = 1024 * 1024

CHECK_PREFIX = "accelerators/"
"""The prefix of the names of check runs; the platform's id follows."""

_ACTIONS = frozenset(get_args(EventAction))
_NO_COMMIT = "0" * 40
_NUMBER_IN_ID = re.compile(r":([1-9][0-9]{0,8})$", re.ASCII)


class _Head(GitHubModel):
    sha: Sha1


class _PullRequest(GitHubModel):
    number: ChangeNumber
    head: _Head | None = None


class _PullRequestEvent(GitHubModel):
    action: str
    pull_request: _PullRequest
    repository: Repository
    label: Label | None = None
    sender: User | None = None

    @property
    def labeling(self) -> dict[str, str]:
        """The fields of a change that say which label was added, and who added it."""
        if self.action != "labeled" or self.label is None:
            return {}
        if self.sender is None or self.pull_request.head is None:
            return {"added": self.label.name}
        return {"added": self.label.name, "sender": self.sender.login}


class _Push(GitHubModel):
    ref: str
    after: Sha1
    deleted: bool = False
    repository: Repository


class _CheckRun(GitHubModel):
    name: str
    head_sha: Sha1
    external_id: str | None = None
    pull_requests: tuple[_PullRequest, ...] = ()


class _CheckRunEvent(GitHubModel):
    action: str
    check_run: _CheckRun
    repository: Repository


class _RelayPayload(GitHubModel):
    event_type: str
    delivery_id: EventId
    payload: dict[str, Any]


class _ShortPayload(GitHubModel):
    pull_request: _PullRequest
    delivery_id: EventId | None = None
    action: str = "opened"


class _Dispatch(GitHubModel):
    client_payload: dict[str, Any]


def read_event(event: bytes, upstream: str = UPSTREAM) -> Change | str:
    """Return the change that an event describes, or a sentence that says why no tests start.

    Raises RefusedEventError if the event is unreadable or is not from the repository `upstream`.
    """
    if len(event) > MOST_BYTES:
        raise RefusedEventError("unreadable", f"the event has more than {MOST_BYTES:,} bytes")
    try:
        payload = _Dispatch.model_validate_json(event).client_payload
        if "payload" not in payload:
            return _change_of_short_payload(_ShortPayload.model_validate(payload), upstream)
        relay_payload = _RelayPayload.model_validate(payload)
        return _change_of_relay_payload(relay_payload, upstream)
    except ValidationError as error:
        field_path = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "the event"
        what = f"{_log_safe(field_path)} doesn't match GitHub's event format"
        raise RefusedEventError("unreadable", what) from None


def _change_of_relay_payload(event: _RelayPayload, upstream: str) -> Change | str:
    if event.event_type == "pull_request":
        return _change_of_pull_request_event(event, upstream)
    if event.event_type == "push":
        return _change_of_push(event, upstream)
    if event.event_type == "check_run":
        return _change_of_check_run(event, upstream)
    return f"No tests are started for an event {_log_safe(event.event_type)}."


def _change_of_pull_request_event(event: _RelayPayload, upstream: str) -> Change | str:
    webhook = _PullRequestEvent.model_validate(event.payload)
    _require_repository(webhook.repository, upstream)
    return _pull_request_change(
        webhook.pull_request, webhook.action, event.delivery_id, upstream, webhook.labeling
    )


def _change_of_short_payload(short_payload: _ShortPayload, upstream: str) -> Change | str:
    pull = short_payload.pull_request
    delivery = short_payload.delivery_id or _computed_delivery(pull, short_payload.action)
    return _pull_request_change(pull, short_payload.action, delivery, upstream, {})


def _computed_delivery(pull: _PullRequest, action: str) -> str:
    """Return a delivery number computed from the event; equal events get the same number."""
    commit = pull.head.sha if pull.head else "unknown"
    digest = hashlib.sha256(f"{pull.number} {commit} {action}".encode()).hexdigest()[:16]
    return f"pr-{pull.number}-{digest}"


def _pull_request_change(
    pull: _PullRequest, action: str, delivery: str, upstream: str, labeling: Mapping[str, str]
) -> Change | str:
    if action not in _ACTIONS:
        return f"No tests are started for a pull request that is {_log_safe(action)}."
    return Change.model_validate(
        {
            "occasion": "pull-request",
            "delivery": delivery,
            "repository": upstream,
            "head": pull.head.sha if pull.head else None,
            "number": pull.number,
            "action": action,
            **labeling,
        }
    )


def _change_of_push(event: _RelayPayload, upstream: str) -> Change | str:
    webhook = _Push.model_validate(event.payload)
    _require_repository(webhook.repository, upstream)
    if webhook.deleted or webhook.after == _NO_COMMIT or webhook.ref != f"refs/heads/{BRANCH}":
        return f"No tests are started for a push to {_log_safe(webhook.ref)}."
    return Change(
        occasion="push", delivery=event.delivery_id, repository=upstream, head=webhook.after
    )


def _change_of_check_run(event: _RelayPayload, upstream: str) -> Change | str:
    webhook = _CheckRunEvent.model_validate(event.payload)
    _require_repository(webhook.repository, upstream)
    check_run = webhook.check_run
    if webhook.action != "rerequested" or not check_run.name.startswith(CHECK_PREFIX):
        return f"No tests are started for a check run that is {_log_safe(webhook.action)}."
    number = _pull_request_number(check_run)
    if number is None:
        return "No tests are started for a check run without exactly one pull request."
    return Change(
        occasion="pull-request",
        delivery=event.delivery_id,
        repository=upstream,
        head=check_run.head_sha,
        number=number,
        action="rerequested",
        only=check_run.name.removeprefix(CHECK_PREFIX)[:100],
    )


def _pull_request_number(check_run: _CheckRun) -> int | None:
    """Return the number of a check run's pull request, or None if it is missing or ambiguous.

    If GitHub lists several pull requests, the number is ambiguous. If GitHub lists none, as for a
    fork's pull request, the number is read from `external_id`, where the portal's own check runs
    have it. The number is confirmed with GitHub later.
    """
    if check_run.pull_requests:
        return check_run.pull_requests[0].number if len(check_run.pull_requests) == 1 else None
    match = _NUMBER_IN_ID.search(check_run.external_id or "")
    return int(match[1]) if match else None


def _require_repository(repository: Repository, upstream: str) -> None:
    if repository.full_name != upstream:
        what = f"the event is from {_log_safe(repository.full_name)}, not from {upstream}"
        raise RefusedEventError("unknown repository", what)


def _log_safe(text: str) -> str:
    """Return at most 80 characters of untrusted text, with unusual characters replaced by `?`.

    A log could take such characters for a command.
    """
    return re.sub(r"[^\w./ -]", "?", text)[:80]

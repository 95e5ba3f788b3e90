"""Reads the change of PyTorch from GitHub's event `repository_dispatch`.

Two forms of `client_payload` are in use: the webhook nested beside `event_type` and `delivery_id`
(PyTorch's cross-repository CI relay), and `pull_request` alone with its number (the older
dispatcher of pytorch-fdn/oota). Anyone who may send events to this repository can write any
payload. The data is therefore confirmed with GitHub before it is used (see `confirmed_change`).
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, get_args

from pydantic import ValidationError

from accelerator_automation.events import Label, Part, Repository
from accelerator_automation.upstream.change import (
    BRANCH,
    UPSTREAM,
    Change,
    ChangeNumber,
    Delivery,
    EventAction,
    RefusedEventError,
    Sha1,
)

MOST_BYTES = 1024 * 1024

CHECK = "accelerators/"
"""The prefix of the names of check runs; the platform's id follows."""

_ACTIONS = frozenset(get_args(EventAction))
_NO_COMMIT = "0" * 40
_NUMBER_IN_ID = re.compile(r":([1-9][0-9]{0,8})$", re.ASCII)


class _Head(Part):
    sha: Sha1


class _PullRequest(Part):
    number: ChangeNumber
    head: _Head | None = None


class _PullRequestEvent(Part):
    action: str
    pull_request: _PullRequest
    repository: Repository
    label: Label | None = None


class _Push(Part):
    ref: str
    after: Sha1
    deleted: bool = False
    repository: Repository


class _Numbered(Part):
    number: ChangeNumber


class _CheckRun(Part):
    name: str
    head_sha: Sha1
    external_id: str | None = None
    pull_requests: tuple[_Numbered, ...] = ()


class _CheckRunEvent(Part):
    action: str
    check_run: _CheckRun
    repository: Repository


class _Nested(Part):
    event_type: str
    delivery_id: Delivery
    payload: dict[str, Any]


class _Trimmed(Part):
    pull_request: _PullRequest
    delivery_id: Delivery | None = None
    action: str = "opened"


class _Dispatch(Part):
    client_payload: dict[str, Any]


def read_event(event: bytes, upstream: str = UPSTREAM) -> Change | str:
    """Return the change that an event describes, or a sentence that says why no tests start.

    Raises RefusedEventError if the event is unreadable or is from another repository.
    """
    if len(event) > MOST_BYTES:
        raise RefusedEventError("unreadable", f"the event has more than {MOST_BYTES:,} bytes")
    try:
        payload = _Dispatch.model_validate_json(event).client_payload
        if "payload" not in payload:
            return _trimmed(_Trimmed.model_validate(payload), upstream)
        nested = _Nested.model_validate(payload)
        return _nested(nested, upstream)
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "the event"
        what = f"{_plain(place)} doesn't match GitHub's event format"
        raise RefusedEventError("unreadable", what) from None


def _nested(event: _Nested, upstream: str) -> Change | str:
    if event.event_type == "pull_request":
        return _of_pull_request(event, upstream)
    if event.event_type == "push":
        return _of_push(event, upstream)
    if event.event_type == "check_run":
        return _of_check_run(event, upstream)
    return f"No tests are started for an event {_plain(event.event_type)}."


def _of_pull_request(event: _Nested, upstream: str) -> Change | str:
    said = _PullRequestEvent.model_validate(event.payload)
    _same(said.repository, upstream)
    added = said.label.name if said.action == "labeled" and said.label else None
    return _change(said.pull_request, said.action, event.delivery_id, upstream, added)


def _trimmed(said: _Trimmed, upstream: str) -> Change | str:
    pull = said.pull_request
    delivery = said.delivery_id or _made_up(pull, said.action)
    return _change(pull, said.action, delivery, upstream, None)


def _made_up(pull: _PullRequest, action: str) -> str:
    """Return a delivery number computed from the event; equal events get the same number."""
    commit = pull.head.sha if pull.head else "unknown"
    digest = hashlib.sha256(f"{pull.number} {commit} {action}".encode()).hexdigest()[:16]
    return f"pr-{pull.number}-{digest}"


def _change(
    pull: _PullRequest, action: str, delivery: str, upstream: str, added: str | None
) -> Change | str:
    if action not in _ACTIONS:
        return f"No tests are started for a pull request that is {_plain(action)}."
    return Change.model_validate(
        {
            "occasion": "pull-request",
            "delivery": delivery,
            "repository": upstream,
            "head": pull.head.sha if pull.head else None,
            "number": pull.number,
            "action": action,
            "added": added,
        }
    )


def _of_push(event: _Nested, upstream: str) -> Change | str:
    said = _Push.model_validate(event.payload)
    _same(said.repository, upstream)
    if said.deleted or said.after == _NO_COMMIT or said.ref != f"refs/heads/{BRANCH}":
        return f"No tests are started for a push to {_plain(said.ref)}."
    return Change(occasion="push", delivery=event.delivery_id, repository=upstream, head=said.after)


def _of_check_run(event: _Nested, upstream: str) -> Change | str:
    said = _CheckRunEvent.model_validate(event.payload)
    _same(said.repository, upstream)
    check = said.check_run
    if said.action != "rerequested" or not check.name.startswith(CHECK):
        return f"No tests are started for a check run that is {_plain(said.action)}."
    number = _number(check)
    if number is None:
        return "No tests are started for a check run without exactly one pull request."
    return Change(
        occasion="pull-request",
        delivery=event.delivery_id,
        repository=upstream,
        head=check.head_sha,
        number=number,
        action="rerequested",
        only=check.name.removeprefix(CHECK)[:100],
    )


def _number(check: _CheckRun) -> int | None:
    """Return the number of a check run's pull request, or None without exactly one pull request.

    For a fork's pull request, GitHub lists none. The portal's own check runs have the number in
    `external_id`. The number is confirmed with GitHub later.
    """
    if check.pull_requests:
        return check.pull_requests[0].number if len(check.pull_requests) == 1 else None
    found = _NUMBER_IN_ID.search(check.external_id or "")
    return int(found[1]) if found else None


def _same(repository: Repository, upstream: str) -> None:
    if repository.full_name != upstream:
        what = f"the event is from {_plain(repository.full_name)}, not from {upstream}"
        raise RefusedEventError("unknown repository", what)


def _plain(text: str) -> str:
    """Return at most 80 characters of untrusted text, with unusual characters replaced by `?`.

    A log could take such characters for a command.
    """
    return re.sub(r"[^\w./ -]", "?", text)[:80]

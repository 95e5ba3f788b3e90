"""Reads which PyTorch change to test from GitHub's event, and confirms the change with GitHub.

Two forms of `client_payload` are in use. PyTorch's cross-repository CI relay sends `event_type`,
`delivery_id` and `payload`, which contains PyTorch's webhook. The older dispatcher of
pytorch-fdn/oota sends only `pull_request` with its number. Anyone who may send events to this
repository can write any payload. The data is therefore confirmed with GitHub before it is used (see
`confirmed_change`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, ValidationError

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import (
    FullName,
    GitHubModel,
    GitObject,
    Label,
    ListedCommit,
    Repository,
    User,
)
from accelerator_automation.upstream.approval import (
    LabelDelivery,
    UpstreamPullRequest,
    approval_of,
)
from accelerator_portal.catalog.files.accelerator import UpstreamTrigger
from accelerator_reports.files.fields import StrictModel

# Models a PyTorch pull request or commit that platforms test, and confirms it with GitHub.
#
# An event can be forged or repeated, and can come late or after a newer one. Before any test runs,
# GitHub is asked which commit a pull request has now, and whether a commit is on the main branch.

UPSTREAM = "pytorch/pytorch"
BRANCH = "main"

OLDEST_PUSH = dt.timedelta(days=1)
"""The maximum age of a commit of main in a push event; older ones are refused as out of order."""

_MISSING_STATUSES = {404, 422}

Sha1 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
EventId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{5,63}$")]
ChangeNumber = Annotated[int, Field(gt=0, lt=10**9)]
ShortText = Annotated[str, StringConstraints(max_length=1000)]

# The events of a pull request that are read; others are ignored. `closed` starts no tests.
EventAction = Literal["opened", "reopened", "synchronize", "labeled", "closed", "rerequested"]

RefusalReason = Literal["unreadable", "unknown repository", "forged", "out of order"]


class RefusedEventError(ValueError):
    """An event that is refused; `name` is one of `RefusalReason`, the message gives the details."""

    def __init__(self, name: RefusalReason, what: str) -> None:
        super().__init__(what if name == "unreadable" else f"{name}: {what}")
        self.name = name


class Change(StrictModel):
    """A change of PyTorch to test: a commit, and the event or schedule for which it is tested."""

    occasion: UpstreamTrigger
    """The kind of event or schedule for which the change is tested."""
    delivery: EventId
    """The sender's number of the event; a repeated event has the same number."""
    repository: FullName
    """The repository of the change."""
    head: Sha1 | None = None
    """The commit to test. If the event does not name it, None until it is read from GitHub."""
    base: Sha1 | None = None
    """The commit that a pull request is based on. None until it is read from GitHub. Always None
    for a change of the main branch."""
    number: ChangeNumber | None = None
    """The number of the pull request; None for a change of the main branch."""
    action: EventAction | None = None
    """The event of the pull request; None for other changes."""
    title: ShortText = ""
    """The title of the pull request, which its author chose. Empty until it is read from GitHub."""
    labels: Annotated[tuple[ShortText, ...], Field(max_length=100)] = ()
    """The labels of the pull request. Empty until they are read from GitHub."""
    added: ShortText | None = None
    """If the event is the addition of a label, this label; otherwise None."""
    sender: ShortText | None = None
    """The login of the account that added the label. None if the event does not name it, or does
    not name the commit: a label says nothing of a commit that the event does not name."""
    approval: ShortText | None = None
    """Why the commit of a pull request is approved (see `approval_of`). None if it is not, or until
    it is read from GitHub."""
    objection: ShortText = ""
    """Why the commit of a pull request is not approved. Empty if it is, or until it is read from
    GitHub."""
    only: ShortText | None = None
    """The id of the only platform that is to test the change, or None for all."""


class _Comparison(GitHubModel):
    status: Literal["ahead", "behind", "identical", "diverged"]
    merge_base_commit: ListedCommit


def confirmed_change(api: Api, change: Change, now: dt.datetime) -> Change:
    """Confirm a change with GitHub; return it with the data of the pull request, if it has one.

    Raises RefusedEventError if GitHub does not have the change, or if the change is outdated.
    Raises GitHubError.
    """
    try:
        if change.occasion == "pull-request":
            return _confirmed_pull_request(api, change)
        return _confirmed_push(api, change, now)
    except GitHubError as error:
        if error.status in _MISSING_STATUSES:
            raise RefusedEventError(
                "forged", f"GitHub doesn't have this change ({error})"
            ) from None
        raise


def main_branch_change(api: Api, occasion: Literal["daily", "weekly"], now: dt.datetime) -> Change:
    """Return the newest commit of the main branch as a daily or weekly change.

    The delivery number consists of the occasion, the day and the commit. If the job runs twice on a
    day, the same commit therefore gets the same number. Raises GitHubError.
    """
    head = read_response(api, f"repos/{UPSTREAM}/commits/{BRANCH}", GitObject).sha
    delivery = f"{occasion}-{now:%Y%m%d}-{head[:12]}"
    return Change(occasion=occasion, delivery=delivery, repository=UPSTREAM, head=head)


def _confirmed_pull_request(api: Api, change: Change) -> Change:
    pull = read_response(
        api, f"repos/{change.repository}/pulls/{change.number}", UpstreamPullRequest
    )
    if pull.base.repo is None or pull.base.repo.full_name != change.repository:
        raise RefusedEventError(
            "forged", f"pull request {change.number} belongs to another repository"
        )
    if change.head is not None and pull.head.sha != change.head:
        what = f"pull request {pull.number} has a newer commit than {change.head[:12]}"
        raise RefusedEventError("out of order", what)
    if pull.state != "open" and change.action != "closed":
        raise RefusedEventError(
            "out of order", f"pull request {pull.number} is already {pull.state}"
        )
    delivery = (
        LabelDelivery(change.added, change.sender) if change.added and change.sender else None
    )
    approval = approval_of(api, change.repository, pull, delivery)
    github_fields = {
        "head": pull.head.sha,
        "base": pull.base.sha,
        "title": pull.title[:1000],
        "labels": tuple(label.name for label in pull.labels),
        "approval": approval.why if approval.granted else None,
        "objection": "" if approval.granted else approval.why,
    }
    return Change.model_validate({**change.model_dump(), **github_fields})


def _confirmed_push(api: Api, change: Change, now: dt.datetime) -> Change:
    """Return the change if its commit is on the main branch and not older than OLDEST_PUSH.

    GitHub also finds commits of forks under the repository's name, so the commit is compared with
    the main branch, which must contain it. Raises RefusedEventError, GitHubError.
    """
    api_path = f"repos/{change.repository}/compare/{BRANCH}...{change.head}?per_page=1"
    comparison = read_response(api, api_path, _Comparison)
    if comparison.status not in {"behind", "identical"}:
        raise RefusedEventError("forged", f"commit {change.head} is not on {BRANCH}")
    committed = comparison.merge_base_commit.time
    if now - committed > OLDEST_PUSH:
        since_text = f"since {committed:%Y-%m-%d}, for more than a day"
        what = f"commit {change.head} has been on {BRANCH} {since_text}"
        raise RefusedEventError("out of order", what)
    return change


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

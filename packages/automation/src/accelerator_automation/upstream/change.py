"""Models a PyTorch pull request or commit that platforms test, and confirms it with GitHub.

An event can be forged or repeated, and can come late or after a newer one. Before any test runs,
GitHub is asked which commit a pull request has now, and whether a commit is on the main branch.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import FullName, GitHubModel, GitObject, ListedCommit
from accelerator_automation.upstream.approval import (
    LabelDelivery,
    UpstreamPullRequest,
    approval_of,
)
from accelerator_portal.catalog.files.upstream_events import UpstreamTrigger
from accelerator_reports.files.fields import StrictModel

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

"""Finds out whether somebody whom PyTorch trusts stands behind a pull request's newest commit.

Vendors' machines run the code of pull requests. PyTorch's relay forwards every pull request, also
a stranger's, before anybody has looked at it, and PyTorch's bots add labels for anybody. This
module therefore asks GitHub for signs that only a person with rights in the repository can give,
and that hold for exactly this commit. What GitHub does not state counts as no sign.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import AwareDatetime, Field

from accelerator_automation.github.api import (
    MOST_ITEMS,
    Api,
    none_if_missing,
    read_all_pages,
    read_response,
)
from accelerator_automation.github.models import (
    GitHubModel,
    Label,
    PullRequest,
    PullRequestBranch,
    Sha,
    User,
)

MEMBERS = frozenset({"OWNER", "MEMBER"})
"""GitHub's `author_association` of members of the organization that has the repository.

`COLLABORATOR` is not among them: a collaborator may have the right to read only. Source: GitHub's
documentation of the GraphQL API, `CommentAuthorAssociation`."""

_DECISIONS = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})

T = TypeVar("T")


class UpstreamPullRequest(PullRequest):
    """A pull request with its labels, and what GitHub knows of its author."""

    title: str = ""
    """The title of the pull request."""
    labels: tuple[Label, ...] = Field(default=(), max_length=100)
    """The labels of the pull request."""
    author_association: str = "NONE"
    """What the author is to the repository, such as `MEMBER`."""


@dataclass(frozen=True, slots=True)
class LabelDelivery:
    """The event that a label was added, as it was delivered: the label and who added it."""

    label: str
    sender: str
    """The login of the account that added the label."""


@dataclass(frozen=True, slots=True)
class Approval:
    """Whether a commit is approved (`granted`), and why or why not."""

    granted: bool
    why: str


class _Review(GitHubModel):
    user: User | None
    state: str
    commit_id: Sha | None = None
    author_association: str = "NONE"


class _IssueEvent(GitHubModel):
    event: str
    created_at: AwareDatetime
    actor: User | None = None
    label: Label | None = None
    # GitHub always states the App of a label, or null. Without the field, an App may have added it.
    performed_via_github_app: object = "unknown"


class _Activity(GitHubModel):
    after: str
    timestamp: AwareDatetime


def approval_of(
    api: Api, repository: str, pull: UpstreamPullRequest, delivery: LabelDelivery | None
) -> Approval:
    """Return whether the newest commit of a pull request is approved.

    It is approved if its branch is in the repository itself, if its author is a member of the
    organization and owns the branch's repository, or if a member's last review approves exactly
    this commit. It is also approved if a person has just added a label to it: GitHub lets only
    people with rights in the repository do so. `delivery` is the event of this label, or None for
    other events. Programs approve nothing. Raises GitHubError.
    """
    head, author = pull.head.repo, pull.user
    if head and head.full_name == repository:
        return Approval(granted=True, why=f"the branch is in {repository}")
    own_author = author if author and head and head.belongs_to(author.login) else None
    if own_author and own_author.is_person and pull.author_association in MEMBERS:
        return Approval(granted=True, why="the author is a member")
    review = _approval_by_review(api, repository, pull)
    if review.granted or delivery is None:
        return review
    return _approval_by_label(api, repository, pull, delivery)


def _approval_by_review(api: Api, repository: str, pull: UpstreamPullRequest) -> Approval:
    reviews = _complete_list(api, f"repos/{repository}/pulls/{pull.number}/reviews", _Review)
    if reviews is None:
        return Approval(granted=False, why="the pull request has too many reviews to read them all")
    last_by_member = {
        review.user: review
        for review in reviews
        if review.user and review.author_association in MEMBERS and review.state in _DECISIONS
    }
    if any(review.state == "CHANGES_REQUESTED" for review in last_by_member.values()):
        return Approval(granted=False, why="a member of PyTorch requests changes")
    for user, review in last_by_member.items():
        if user.is_person and review.state == "APPROVED" and review.commit_id == pull.head.sha:
            return Approval(granted=True, why=f"approved by {user.login}")
    return Approval(
        granted=False, why="nobody of PyTorch approved this commit: no review, label or member"
    )


def _approval_by_label(
    api: Api, repository: str, pull: UpstreamPullRequest, delivery: LabelDelivery
) -> Approval:
    """Return whether a person added the label of a delivery to the newest commit.

    GitHub's list of events can be older than the delivery, and the delivery can be forged. Both
    must therefore name the same account.
    """
    events = _complete_list(api, f"repos/{repository}/issues/{pull.number}/events", _IssueEvent)
    if events is None:
        return Approval(granted=False, why="the pull request has too many events to read them all")
    changes = [event for event in events if event.label and event.label.name == delivery.label]
    last = changes[-1] if changes else None
    is_listed = delivery.label in {label.name for label in pull.labels}
    if last is None or last.event != "labeled" or not is_listed:
        return Approval(granted=False, why="the new label is not on the pull request")
    adder = last.actor
    if adder is None or adder.login != delivery.sender:
        return Approval(granted=False, why="GitHub does not confirm who added the new label")
    if not adder.is_person or last.performed_via_github_app is not None:
        return Approval(granted=False, why="a program added the new label")
    if not _was_pushed_before(api, pull.head, last.created_at):
        return Approval(granted=False, why="the commit may be newer than the new label")
    return Approval(granted=True, why=f"labeled by {adder.login}")


def _was_pushed_before(api: Api, head: PullRequestBranch, time: dt.datetime) -> bool:
    """Return whether a branch got its newest commit before a time, by GitHub's own clock.

    The times in a commit prove nothing: its author chooses them.
    """
    if head.repo is None:
        return False
    query = urlencode({"ref": f"refs/heads/{head.ref}", "per_page": 1})
    path = f"repos/{head.repo.full_name}/activity?{query}"
    newest = none_if_missing(lambda: read_response(api, path, tuple[_Activity, ...])) or ()
    return any(one.after == head.sha and one.timestamp < time for one in newest)


def _complete_list(api: Api, path: str, model: type[T]) -> Sequence[T] | None:
    """Return a list of GitHub's, or None if it may be cut: what decides can be in the rest."""
    items = none_if_missing(lambda: list(read_all_pages(api, path, model))) or []
    return items if len(items) < MOST_ITEMS else None

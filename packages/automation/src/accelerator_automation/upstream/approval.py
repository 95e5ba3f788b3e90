"""Finds out whether somebody whom PyTorch trusts stands behind a pull request's newest commit.

Vendors' machines run the code of pull requests. PyTorch's relay forwards every pull request, also
a stranger's, before anybody has looked at it, and PyTorch's bots add labels for anybody. This
module therefore asks GitHub for signs that only a person with rights in the repository can give,
and that hold for exactly this commit.
"""

from __future__ import annotations

from pydantic import Field

from accelerator_automation.github.api import Api, none_if_missing, read_all_pages
from accelerator_automation.github.models import GitHubModel, Label, PullRequest, Sha

MEMBERS = frozenset({"OWNER", "MEMBER"})
"""GitHub's `author_association` of members of the organization that has the repository.

`COLLABORATOR` is not among them: a collaborator may have the right to read only. Source: GitHub's
documentation of the GraphQL API, `CommentAuthorAssociation`."""

# Accounts of programs that label for anybody who asks them, although GitHub lists them as people.
_PROGRAM_ACCOUNTS = frozenset({"facebook-github-bot", "pytorchbot", "pytorchmergebot"})

_DECISIONS = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})


class UpstreamPullRequest(PullRequest):
    """A pull request with its labels, and what GitHub knows of its author."""

    title: str = ""
    """The title of the pull request."""
    labels: tuple[Label, ...] = Field(default=(), max_length=100)
    """The labels of the pull request."""
    author_association: str = "NONE"
    """What the author is to the repository, such as `MEMBER`."""


class _Account(GitHubModel):
    login: str
    type: str = "User"


class _Review(GitHubModel):
    user: _Account | None
    state: str
    commit_id: Sha | None = None
    author_association: str = "NONE"


class _IssueEvent(GitHubModel):
    event: str
    actor: _Account | None = None
    label: Label | None = None


def approval_of(api: Api, repository: str, pull: UpstreamPullRequest, added: str) -> str | None:
    """Return why the newest commit of a pull request is approved, or None if it is not.

    It is approved if its branch is in the repository itself, if its author is a member of the
    organization, or if a member's last review approves exactly this commit. It is also approved if
    a person has just added the label `added` to it: GitHub lets only people with rights in the
    repository do so. `added` is empty for other events. Raises GitHubError.
    """
    if pull.head.repo and pull.head.repo.full_name == repository:
        return f"the branch is in {repository}"
    if pull.author_association in MEMBERS:
        return "the author is a member"
    if reviewer := _approving_reviewer(api, repository, pull):
        return f"approved by {reviewer}"
    if added and (person := _labeling_person(api, repository, pull.number, added)):
        return f"labeled by {person}"
    return None


def _approving_reviewer(api: Api, repository: str, pull: UpstreamPullRequest) -> str | None:
    path = f"repos/{repository}/pulls/{pull.number}/reviews"
    reviews = none_if_missing(lambda: list(read_all_pages(api, path, _Review))) or []
    last_by_member = {
        review.user.login: review
        for review in reviews
        if review.user and review.author_association in MEMBERS and review.state in _DECISIONS
    }
    approving = (
        login
        for login, review in last_by_member.items()
        if review.state == "APPROVED" and review.commit_id == pull.head.sha
    )
    if any(review.state == "CHANGES_REQUESTED" for review in last_by_member.values()):
        return None
    return next(approving, None)


def _labeling_person(api: Api, repository: str, number: int, label: str) -> str | None:
    """Return who added a label last; None if that was a program."""
    path = f"repos/{repository}/issues/{number}/events"
    events = none_if_missing(lambda: list(read_all_pages(api, path, _IssueEvent))) or []
    actors = [
        event.actor
        for event in events
        if event.event == "labeled" and event.label and event.label.name == label
    ]
    last = actors[-1] if actors else None
    is_person = last and last.type == "User" and last.login.casefold() not in _PROGRAM_ACCOUNTS
    return last.login if last and is_person else None

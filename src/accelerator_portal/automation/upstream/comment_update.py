"""From the runs of vendors to the one comment on the pull request, or to silence.

Everything here may come twice, late, or in another order: what was said already is in the comment,
what is of an older commit than the pull request has by now is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accelerator_portal.automation.events import Comment
from accelerator_portal.automation.github import Api, read, read_all
from accelerator_portal.automation.ownership import Maintainers
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.change_confirmation import UpstreamPullRequest
from accelerator_portal.automation.upstream.comment import (
    MOST_ANSWERS,
    MUTE,
    Memory,
    PlatformAnswer,
    comment,
    memory_of_comment,
)


@dataclass(frozen=True, slots=True)
class CommentAccess:
    """Where comments are written: with a token that may write there, and as whom."""

    api: Api
    login: str
    """The account of that token: only its own comments are renewed."""
    ask: Maintainers
    """Who answers for each platform."""


def update_comment(desk: CommentAccess, change: Change, answers: Sequence[PlatformAnswer]) -> str:
    """Write, renew or leave the comment; say in a sentence what was done, or why nothing.

    Raises GitHubError, and HarmfulError where the comment must not be posted.
    """
    place = f"repos/{change.repository}"
    pull = read(desk.api, f"{place}/pulls/{change.number}", UpstreamPullRequest)
    current = [one for one in answers if one.head == pull.head.sha]
    if reason := _silence(pull, current):
        return f"Pull request {pull.number} {reason}: no comment posted."
    own = _own(desk, f"{place}/issues/{pull.number}/comments")
    before = (memory_of_comment(own.body or "") if own else None) or Memory()
    after = merged_memory(before, current)
    if not after.answers:
        return f"No new failures in pull request {pull.number}: no comment posted."
    text = comment(after, desk.ask)
    if own is None:
        desk.api.send("POST", f"{place}/issues/{pull.number}/comments", {"body": text})
        return f"A comment on pull request {pull.number} was posted."
    if own.body == text:
        return f"The comment on pull request {pull.number} is already up to date."
    desk.api.send("PATCH", f"{place}/issues/comments/{own.id}", {"body": text})
    return f"The comment on pull request {pull.number} was updated."


def _silence(pull: UpstreamPullRequest, current: Sequence[PlatformAnswer]) -> str | None:
    if pull.state != "open":
        return f"is {pull.state}"
    if MUTE in {label.name for label in pull.labels}:
        return f"has the label {MUTE}"
    return None if current else "has a newer commit"


def merged_memory(before: Memory, answers: Iterable[PlatformAnswer]) -> Memory:
    """Return the memory with new answers.

    Who breaks nothing comes in only where that mends what was said before.
    """
    known = {one.accelerator: one for one in before.answers}
    for one in answers:
        if one.news.newly_broken or one.accelerator in known:
            known[one.accelerator] = one
    kept = sorted(known.values(), key=lambda one: (-one.news.newly_broken, one.accelerator))
    found = sorted(kept[:MOST_ANSWERS], key=lambda one: one.accelerator)
    return Memory(answers=tuple(found))


def _own(desk: CommentAccess, path: str) -> Comment | None:
    for found in read_all(desk.api, path, Comment):
        mine = found.user is not None and found.user.login == desk.login
        if mine and memory_of_comment(found.body or "") is not None:
            return found
    return None

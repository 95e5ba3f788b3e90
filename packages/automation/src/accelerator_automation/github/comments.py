"""Finds, posts and updates the one comment that the automation keeps on a pull request."""

from __future__ import annotations

from accelerator_automation.github.api import Api, read_all_pages
from accelerator_automation.github.models import Comment

BOT = "github-actions[bot]"
"""The account under which a workflow writes with its own token. The author of a comment, issue or
pull request proves that the automation wrote it, because people cannot use this account."""


def own_comment(api: Api, repository: str, number: int, login: str, prefix: str) -> Comment | None:
    """Return the first comment on a pull request that `login` wrote and that starts with `prefix`.

    `number` is the number of the pull request. Returns None if there is no such comment. Raises
    GitHubError.
    """
    for comment in read_all_pages(api, f"repos/{repository}/issues/{number}/comments", Comment):
        is_own = comment.user is not None and comment.user.login == login
        if is_own and (comment.body or "").startswith(prefix):
            return comment
    return None


def put_comment(api: Api, repository: str, number: int, existing: Comment | None, text: str) -> str:
    """Set the text of the comment `existing`, or post a new comment if `existing` is None.

    `number` is the number of the pull request. Returns a sentence that says what was done. Raises
    GitHubError.
    """
    issues_path = f"repos/{repository}/issues"
    if existing is None:
        api.send("POST", f"{issues_path}/{number}/comments", {"body": text})
        return f"A comment on pull request {number} was posted."
    if existing.body == text:
        return f"The comment on pull request {number} is already up to date."
    api.send("PATCH", f"{issues_path}/comments/{existing.id}", {"body": text})
    return f"The comment on pull request {number} was updated."

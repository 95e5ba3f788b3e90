"""Keeps one comment on a pull request: its text is checked, and it names maintainers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from accelerator_automation.github.api import Api, read_all_pages
from accelerator_automation.github.models import Comment
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_reports.files.folders import folder_fault
from accelerator_reports.files.problem import UserError
from accelerator_reports.files.text_file import HIDDEN_CHARACTER
from accelerator_reports.files.wording import count

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


# Checks that a Markdown text can be posted on GitHub: no mentions, references, HTML or links.
#
# The check is independent of the code that wrote the text. The modules that write comments, issues
# and pull requests put all data into code spans or code blocks. The check reads the finished text
# as Markdown. It refuses anything outside of code that has an effect on GitHub: mentions of users,
# references to issues, HTML, formulas, and links to addresses that the caller does not allow.

# GitHub accepts 65,536 characters.
MOST_CHARACTERS = 65_000

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

_ALLOWED_BLOCKS = {"paragraph", "heading", "bullet_list", "list_item"}
_ALLOWED_INLINE = {"text", "code_inline", "softbreak", "strong", "em", "link"}

# Mentions, references, HTML, formulas, and text that GitHub turns into links.
_ACTIVE_TEXT = re.compile(r"[@#<>&$\\\[\]]|://|www\.|\bGH-\d", re.IGNORECASE)


class HarmfulError(UserError, ValueError):
    """A text is not posted, because `faults` refuses it; the message says why."""


def require_harmless(name: str, text: str, marker: str, links: Iterable[str] = ()) -> None:
    """Raise HarmfulError if `faults` refuses a text; `name` names the text in the error message."""
    if problems := faults(text, marker, links):
        raise HarmfulError(f"{name} not posted: {'; '.join(problems[:5])}")


def faults(text: str, marker: str, links: Iterable[str] = ()) -> list[str]:
    """Return the reasons why a text must not be posted; empty if it may be posted.

    The text must begin with `marker`, the only HTML that is allowed. Links may only lead to the
    URLs in `links`.
    """
    problems = []
    if len(text) > MOST_CHARACTERS:
        problems.append(f"it has more than {MOST_CHARACTERS:,} characters")
    if hidden := HIDDEN_CHARACTER.search(text):
        problems.append(f"it has the character U+{ord(hidden[0]):04X}")
    if not text.startswith(f"{marker}\n\n"):
        problems.append("it does not start with the marker")
    body = text.removeprefix(marker)
    return problems + list(_faults(_PARSER.parse(body), set(links)))


def _faults(tokens: Iterable[Token], links: set[str]) -> Iterator[str]:
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if token.type == "inline":
            yield from _inline_faults(token.children or (), links)
        elif token.type != "fence" and kind not in _ALLOWED_BLOCKS:
            yield f"it has a {kind}"


def _inline_faults(tokens: Iterable[Token], links: set[str]) -> Iterator[str]:
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind not in _ALLOWED_INLINE:
            yield f"it has a {kind}"
        elif token.type == "link_open" and token.attrs.get("href") not in links:
            yield "it links elsewhere"
        elif token.type == "text" and (match := _ACTIVE_TEXT.search(token.content)):
            yield f'"{match[0]}" is not in a code span'


# Finds the platforms that a pull request changes, and their maintainers in the base commit.

MOST_FOLDERS = 20

Maintainers = Mapping[str, Sequence[str]]
"""The GitHub logins of a folder's maintainers, by the folder's name (the platform id)."""


def maintainers(catalog: Catalog) -> Maintainers:
    """Return the GitHub logins of each platform's maintainers, by platform id."""
    return {
        platform.id: [person.github for person in platform.accelerator.maintainers]
        for platform in catalog.platforms
    }


def changed_platforms(files: Iterable[str]) -> list[str]:
    """Return the ids of the platforms whose folders contain any of the files."""
    return sorted({name for name in map(platform_id_of, files) if not folder_fault(name)})


def notices(base: Maintainers, folders: Sequence[str], author: str) -> list[str]:
    """Return a sentence, in Markdown, for each folder whose maintainers do not include `author`.

    `base` has the maintainers in the base commit, by folder name. At most MOST_FOLDERS folders get
    a sentence. If there are more, a last sentence states how many are left out.
    """
    sentences = [
        sentence for folder in folders if (sentence := _notice(base.get(folder), folder, author))
    ]
    more = len(sentences) - MOST_FOLDERS
    last = [f"… and {count(more, 'more folder')}."] if more > 0 else []
    return sentences[:MOST_FOLDERS] + last


def _notice(people: Sequence[str] | None, folder: str, author: str) -> str | None:
    path, who = code_span(f"accelerators/{folder}/"), code_span(author)
    if people is None:
        return f"{path} is new and has no maintainer yet. The author is {who}."
    if not people:
        return f"{path} has no maintainer. The author is {who}."
    if author.casefold() in {person.casefold() for person in people}:
        return None
    return f"The author, {who}, is not a maintainer of {path}: {', '.join(map(code_span, people))}."

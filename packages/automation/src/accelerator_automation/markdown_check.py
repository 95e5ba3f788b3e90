"""Checks that a Markdown text can be posted on GitHub: no mentions, references, HTML or links.

The check is independent of the code that wrote the text. The modules that write comments, issues
and pull requests put all data into code spans or code blocks. This module reads the finished text
as Markdown. It refuses anything outside of code that has an effect on GitHub: mentions of users,
references to issues, HTML, formulas, and links to addresses that the caller does not allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from accelerator_reports.files.problem import UserError
from accelerator_reports.files.text_file import HIDDEN_CHARACTER

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

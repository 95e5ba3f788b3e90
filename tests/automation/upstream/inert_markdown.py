"""What of a Markdown text does something on GitHub: everything that is not in code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def active_parts(markdown: str) -> list[str]:
    """Return texts, HTML and addresses that GitHub reads as such, and not as code."""
    return list(_active(_PARSER.parse(markdown)))


def _active(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield from _active(token.children or ())
        yield from (str(token.attrs[name]) for name in ("href", "src") if name in token.attrs)
        if token.type in {"text", "html_inline", "html_block"}:
            yield token.content

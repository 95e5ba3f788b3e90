"""Links in guides and FAQs go to https addresses; pictures are not shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_file import MarkdownFile

# What stands in the lines is parsed only where there can be a link or a picture.
_BLOCKS = MarkdownIt("commonmark", {"html": False}).enable("table").disable("inline")
_LINES = MarkdownIt("commonmark", {"html": False})
_SIGN = re.compile(r"\]\(|<")


def check(catalog: Catalog) -> Iterator[Problem]:
    """Yield links that a reader could not follow, and pictures."""
    for platform in catalog.platforms:
        yield from _problems(platform.guide)
        yield from _problems(platform.faq)


def _problems(file: MarkdownFile) -> Iterator[Problem]:
    for section in file.sections:
        definitions: dict[str, object] = {}
        for token in _BLOCKS.parse(section.text, definitions):
            line = section.text_line + (token.map[0] if token.map else 0)
            for child in _children(token, definitions):
                line += child.type in {"softbreak", "hardbreak"}
                target = str(child.attrs.get("href", ""))
                if child.type == "link_open" and not target.startswith("https://"):
                    what = f'the link to "{target[:80]}" is not a web address'
                    yield Problem(file.path, line, what, "write a full https:// address")
                if child.type == "image":
                    what = "pictures are not shown"
                    yield Problem(file.path, line, what, "describe it in words, or link to it")


def _children(token: Token, definitions: dict[str, object]) -> Sequence[Token]:
    """Return what stands in a token's lines, nothing where that cannot be a link or a picture."""
    if token.type != "inline" or not (_SIGN.search(token.content) or definitions.get("references")):
        return ()
    return _LINES.parseInline(token.content, definitions)[0].children or ()

"""Links in guides and FAQs go to https addresses; pictures are not shown."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_file import MarkdownFile

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def check(catalog: Catalog) -> Iterator[Problem]:
    """Yield links that a reader could not follow, and pictures."""
    for platform in catalog.platforms:
        yield from _problems(platform.guide)
        yield from _problems(platform.faq)


def _problems(file: MarkdownFile) -> Iterator[Problem]:
    for section in file.sections:
        for token in _PARSER.parse(section.text):
            line = section.text_line + (token.map[0] if token.map else 0)
            for child in token.children or ():
                line += child.type in {"softbreak", "hardbreak"}
                target = str(child.attrs.get("href", ""))
                if child.type == "link_open" and not target.startswith("https://"):
                    what = f'the link to "{target[:80]}" is not a web address'
                    yield Problem(file.path, line, what, "write a full https:// address")
                if child.type == "image":
                    what = "pictures are not shown"
                    yield Problem(file.path, line, what, "describe it in words, or link to it")

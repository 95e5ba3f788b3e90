"""A vendor's section in parts that a page can close: the introduction, then each subsection.

Works on the safe HTML of `vendor_text`: well-formed, with few tags and every value quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>")
_HEADING = re.compile(r'<h3 id="([^"]*)">(.*?)</h3>\n?', re.DOTALL)
_CITATION = re.compile(r'<sup class="cite">.*?</sup>', re.DOTALL)
_EMPTY = frozenset({"br", "hr"})


@dataclass(frozen=True, slots=True)
class Subsection:
    """A part of a section; `title` has neither links nor citations."""

    anchor: str
    title: Markup
    body: Markup


@dataclass(frozen=True, slots=True)
class FoldedSection:
    """A section: what comes before its first subsection, and the subsections."""

    introduction: Markup
    subsections: tuple[Subsection, ...]


def fold_section(html: Markup) -> FoldedSection:
    """Return the section in parts; only headings outside lists, tables and quotes begin one."""
    text = str(html)
    headings = [match for place in _outermost(text) if (match := _HEADING.match(text, place))]
    ends = [*(match.start() for match in headings[1:]), len(text)]
    introduction = text[: headings[0].start()] if headings else text
    return FoldedSection(
        _safe(introduction),
        tuple(
            Subsection(match[1], _safe(_plain(match[2])), _safe(text[match.end() : end]))
            for match, end in zip(headings, ends, strict=bool(headings))
        ),
    )


def _outermost(text: str) -> list[int]:
    """The places of the headings that stand within no other element."""
    found: list[int] = []
    depth = 0
    for tag in _TAG.finditer(text):
        if tag[2] in _EMPTY:
            continue
        if tag[1]:
            depth -= 1
        else:
            if depth == 0 and tag[2] == "h3":
                found.append(tag.start())
            depth += 1
    return found


def _plain(title: str) -> str:
    """Without links: the title is what a reader clicks to open the part."""
    return re.sub(r"</?a\b[^<>]*>", "", _CITATION.sub("", title)).strip()


def _safe(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - a whole part of what was sanitized

"""Every guide has the same five headings in the same order, so links to them keep working.

Below its front matter, a guide has at most 200 lines of Markdown, blank lines included. This is the
limit of pytorch.org's Additional Platforms page.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_file import GUIDE_HEADINGS
from accelerator_portal.catalog.problem import did_you_mean

MAX_LINES = 200
"""Source: pytorch/pytorch.github.io, `scripts/gen_additional_platforms.py` at commit 3bb9fbf, read
2026-11-23. It counts the lines of the Markdown file before it is rendered; 201 are too many."""


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield missing, unknown, doubled, empty and misplaced headings, and guides too long."""
    for platform in catalog.platforms:
        guide = platform.guide
        titles = [section.title for section in guide.sections]
        for heading in GUIDE_HEADINGS:
            if heading not in titles:
                what = f'the heading "## {heading}" is missing'
                yield Problem(guide.path, 1, what, f"the guide needs {', '.join(GUIDE_HEADINGS)}")
        for section in guide.sections:
            if section.title not in GUIDE_HEADINGS:
                what = f'"## {section.title}" is not a valid heading in a guide'
                yield Problem(
                    guide.path, section.line, what, did_you_mean(section.title, GUIDE_HEADINGS)
                )
            elif not section.text:
                what = f'there is no text under "## {section.title}"'
                yield Problem(guide.path, section.line, what, "add text or remove the heading")
        if sorted(titles) == sorted(GUIDE_HEADINGS) and titles != list(GUIDE_HEADINGS):
            what = "the headings are not in the required order"
            yield Problem(
                guide.path, guide.sections[0].line, what, f"use {', '.join(GUIDE_HEADINGS)}"
            )
        if len(set(titles)) < len(titles):
            yield Problem(guide.path, 1, "a heading is used twice", "remove one of the two")
        if guide.length > MAX_LINES and guide.sections:
            what = f"the guide has {guide.length} lines of Markdown, more than {MAX_LINES}"
            line = guide.sections[-1].line
            yield Problem(guide.path, line, what, "shorten it and link to the vendor's own")

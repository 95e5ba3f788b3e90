"""Vendors' questions and answers, on the platform's page and on the page of all questions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from accelerator_portal.catalog import Platform
from accelerator_portal.site.anchors import Anchors, slug
from accelerator_portal.site.page import PLATFORMS
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.vendor_text import render_section


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """One question; `anchor` is its id on the platform's page."""

    platform: Platform
    anchor: str
    title: str
    answer: Markup
    text: str
    sources: SourceList


def questions(platform: Platform, sources: SourceList) -> list[PageQuestion]:
    """Return a platform's questions; anchors follow from the words and stay unique."""
    found: list[PageQuestion] = []
    anchors = Anchors()
    for section in platform.faq.sections:
        anchor = anchors.take(f"faq-{slug(section.title)}")
        answer = render_section(platform.faq, sources, section.text, _within(anchor))
        found.append(PageQuestion(platform, anchor, section.title, answer, section.text, sources))
    return found


def relocated(question: PageQuestion, to_root: str) -> PageQuestion:
    """Return the question for another page: its links lead back to the platform's page.

    `to_root` leads from that page to the site's root.
    """
    platform = question.platform
    page = f"{to_root}{PLATFORMS}/{platform.id}/"
    prefix = f"{platform.id}--{_within(question.anchor)}"
    answer = render_section(platform.faq, question.sources, question.text, prefix, page)
    return replace(question, answer=answer)


def _within(anchor: str) -> str:
    """What ids of headings in an answer begin with; no question's own id has two hyphens."""
    return f"{anchor}-"

"""Vendors' questions and answers, on the platform's page and on the page of all questions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from accelerator_portal.catalog import Platform
from accelerator_portal.site.page import PLATFORMS
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.vendor_text import render_section, slug


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `anchor` is its id on the platform's page."""

    platform: Platform
    anchor: str
    title: str
    answer: Markup


def questions(platform: Platform, sources: SourceList) -> list[Question]:
    """Return a platform's questions; anchors follow from the words and stay unique."""
    found: dict[str, Question] = {}
    for section in platform.faq.sections:
        anchor = base = f"faq-{slug(section.title)}"
        number = 1
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        answer = render_section(platform.faq, sources, section.text, anchor)
        found[anchor] = Question(platform, anchor, section.title, answer)
    return list(found.values())


def moved(question: Question, to_root: str) -> Question:
    """Return the question for another page: its links lead back to the platform's page.

    `to_root` leads from that page to the site's root.
    """
    page = f"{to_root}{PLATFORMS}/{question.platform.id}/"
    answer = str(question.answer).replace('href="#', f'href="{page}#')
    answer = answer.replace(' id="', f' id="{question.platform.id}-')
    return replace(question, answer=Markup(answer))  # noqa: S704 - sanitised when it was made

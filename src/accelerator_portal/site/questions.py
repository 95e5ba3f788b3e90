"""Questions and answers: those of all platforms, and each vendor's on the platform's page."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.site.anchors import Anchors, slug
from accelerator_portal.site.page import PLATFORMS
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.vendor_text import render_section

# What stands for the id of a platform where a question is about all of them.
ANY = "any"


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """One question; `anchor` is its id on the page of its sources: the platform's, if it has one.

    `group` is the platform's id, or `ANY`.
    """

    group: str
    file: MarkdownFile
    anchor: str
    title: str
    answer: Markup
    text: str
    sources: SourceList
    messages: tuple[str, ...] = ()
    """The error messages that the answer declares."""


def questions(platform: Platform, sources: SourceList) -> list[PageQuestion]:
    """Return a platform's questions."""
    return _questions(platform.id, platform.faq, sources)


def shared_questions(catalog: Catalog) -> list[PageQuestion]:
    """Return the questions about all platforms, for the page of all questions."""
    if not catalog.faq:
        return []
    return _questions(ANY, catalog.faq, SourceList([("faq.md", catalog.faq.sources)]))


def _questions(group: str, file: MarkdownFile, sources: SourceList) -> list[PageQuestion]:
    """Anchors follow from the words and stay unique."""
    found: list[PageQuestion] = []
    anchors = Anchors()
    for section in file.sections:
        anchor = anchors.take(f"faq-{slug(section.title)}")
        answer = render_section(file, sources, section.text, _within(anchor))
        declared = tuple(message.text for message in section.messages)
        found.append(
            PageQuestion(
                group, file, anchor, section.title, answer, section.text, sources, declared
            )
        )
    return found


def relocated(question: PageQuestion, to_root: str) -> PageQuestion:
    """Return a platform's question for another page: its links lead back to the platform's page.

    `to_root` leads from that page to the site's root.
    """
    page = f"{to_root}{PLATFORMS}/{question.group}/"
    prefix = f"{question.group}--{_within(question.anchor)}"
    answer = render_section(question.file, question.sources, question.text, prefix, page)
    return replace(question, answer=answer)


def _within(anchor: str) -> str:
    """What ids of headings in an answer begin with; no question's own id has two hyphens."""
    return f"{anchor}-"

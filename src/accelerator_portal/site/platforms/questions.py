"""Reads the questions and answers of FAQ files, and renders the answers as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.site.anchors import Anchors, slug
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.site_file import PLATFORMS
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.vendor_text import render_section

# The group of questions about all platforms, in place of a platform's id.
ANY_PLATFORM = "any"

# What stands for each device of a plugin in the messages of a question about all platforms.
DEVICE_PLACEHOLDER = "{device}"


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question of an FAQ file, with its answer.

    `group` is the platform's id, or `ANY_PLATFORM` for a question about all platforms. `anchor` is
    the id of the question on the platform's page, or on the page of all questions. `file` is the
    FAQ file. `sources` are the sources of the page. `text` is the answer in Markdown, and `answer`
    is the answer in HTML.
    """

    group: str
    file: MarkdownFile
    anchor: str
    title: str
    answer: Markup
    text: str
    sources: SourceList
    messages: tuple[str, ...] = ()
    """The error messages that the question is about, as its FAQ file declares."""
    language: str = ENGLISH.code
    is_older: bool = False
    """Whether the question is a translation of an English text that has changed since."""


def platform_questions(platform: Platform, sources: SourceList) -> list[PageQuestion]:
    """Return the questions of a platform's FAQ; `sources` are the sources of its page."""
    return _file_questions(platform.id, platform.faq, sources)


def translated_questions(
    questions: Sequence[PageQuestion], platform: Platform, language: Language
) -> list[PageQuestion]:
    """Return the `questions` of a platform, translated into `language`.

    Questions without a translation stay in English.
    """
    translation = platform.answers.get(language.code)
    if translation is None:
        return [*questions]
    sections = {section.title: section.text for section in translation.text.sections}
    is_older = translation.head.translates != platform.faq.fingerprint_of(sections)

    def translated(question: PageQuestion) -> PageQuestion:
        heading, _, text = sections[question.title].partition("\n")
        prefix = _heading_prefix(question.anchor)
        answer = render_section(question.file, question.sources, text, prefix, language=language)
        return replace(
            question,
            title=heading.removeprefix("### "),
            answer=answer,
            text=text,
            language=language.code,
            is_older=is_older,
        )

    return [
        translated(original) if original.title in sections else original for original in questions
    ]


def shared_questions(catalog: Catalog) -> list[PageQuestion]:
    """Return the questions about all platforms, for the page of all questions."""
    if not catalog.faq:
        return []
    questions = _file_questions(
        ANY_PLATFORM, catalog.faq, SourceList([("faq.md", catalog.faq.sources)]), "../"
    )
    devices = _plugin_devices(catalog.platforms)
    return [
        replace(question, messages=tuple(_with_devices(question.messages, devices)))
        for question in questions
    ]


def _plugin_devices(platforms: Sequence[Platform]) -> Sequence[str]:
    """Return the device types, such as `npu`, that only out-of-tree platforms use."""
    accelerators = [platform.accelerator for platform in platforms]
    in_tree_devices = {
        accelerator.device.value
        for accelerator in accelerators
        if accelerator.integration.value == "in-tree"
    }
    return [
        *dict.fromkeys(
            accelerator.device.value
            for accelerator in accelerators
            if accelerator.device.value not in in_tree_devices
        )
    ]


def _with_devices(messages: Sequence[str], devices: Sequence[str]) -> Iterator[str]:
    """Yield error messages. A message with `{device}` is yielded once for each of `devices`."""
    for text in messages:
        yield from (
            [text.replace(DEVICE_PLACEHOLDER, device) for device in devices]
            if DEVICE_PLACEHOLDER in text
            else [text]
        )


def _file_questions(
    group: str, file: MarkdownFile, sources: SourceList, to_root: str = "../../"
) -> list[PageQuestion]:
    """Return the questions of an FAQ file, in order.

    `group` is the `PageQuestion.group` of all questions. `sources` are the sources of the page that
    shows the questions. `to_root` is the relative address from that page to the site's root. The
    anchors of the questions are unique and start with `faq-`.
    """
    questions: list[PageQuestion] = []
    anchors = Anchors()
    for section in file.sections:
        anchor = anchors.take(f"faq-{slug(section.title)}")
        prefix = _heading_prefix(anchor)
        answer = render_section(file, sources, section.text, prefix, to_root=to_root)
        messages = tuple(message.text for message in section.messages)
        questions.append(
            PageQuestion(
                group, file, anchor, section.title, answer, section.text, sources, messages
            )
        )
    return questions


def question_on_other_page(
    question: PageQuestion, to_root: str, language: Language = ENGLISH
) -> PageQuestion:
    """Return a platform's question with its answer rendered for another page.

    In the answer, citations link to the sources on the platform's page. `to_root` is the relative
    address from the other page to the site's root.
    """
    page = f"{to_root}{PLATFORMS}/{question.group}/"
    prefix = f"{question.group}--{_heading_prefix(question.anchor)}"
    file, sources, text = question.file, question.sources, question.text
    answer = render_section(file, sources, text, prefix, page, language=language, to_root=to_root)
    return replace(question, answer=answer)


def _heading_prefix(anchor: str) -> str:
    """Return the prefix for the ids of the headings in an answer: `faq-install-`.

    `anchor` is the id of the question, such as `faq-install`. The id of a heading is the prefix, a
    hyphen and the heading as a slug: `faq-install--linux`. The two hyphens make the id different
    from the id of every question.
    """
    return f"{anchor}-"

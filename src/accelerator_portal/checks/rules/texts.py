"""Checks guides and FAQs of vendors: headings, citations, translations, links and letters."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import CITATION, GUIDE_HEADINGS, MarkdownFile, Section
from accelerator_portal.checks.look_alike_names import alphabet_faults, name_fault
from accelerator_portal.checks.rule import rule
from accelerator_reports.files.fields import is_public_https_url, is_site_path, url_fault
from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.sources import cited_ids
from accelerator_reports.files.yaml_file import YamlFile

MAX_LINES = 200
"""The maximum number of lines of a guide on pytorch.org's Additional Platforms page.

Source: pytorch/pytorch.github.io, `scripts/gen_additional_platforms.py` at commit 3bb9fbf, read
2026-11-23. The script counts the lines before rendering."""


@rule()
def guide_headings(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every guide has the same five headings in the same order, so links to them keep working.

    Below its front matter, a guide has at most 200 lines of Markdown, blank lines included. This is
    the limit of pytorch.org's Additional Platforms page.
    """
    guides = [
        text
        for platform in catalog.platforms
        for text in (
            platform.guide,
            *(translation.text for translation in platform.translations.values()),
        )
    ]
    for guide in guides:
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
            yield Problem(guide.path, line, what, "shorten it and link to the vendor's guide")


@rule()
def citations(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every source that a file cites is in its `sources`, and the file cites each source there."""
    for file in catalog.files.values():
        if isinstance(file.data, Mapping) and "sources" in file.data:
            yield from _yaml_citation_problems(file, file.data["sources"])
    for text in catalog.texts:
        yield from _markdown_citation_problems(text)


def _yaml_citation_problems(file: YamlFile, declared: object) -> Iterator[Problem]:
    declared_ids = list(declared) if isinstance(declared, Mapping) else []
    cited_ids_here = set()
    for location, name in cited_ids(file.data):
        cited_ids_here.add(name)
        if name not in declared_ids:
            what = f'the source "{name}" is not declared in this file'
            yield Problem(file.path, file.line(location), what, did_you_mean(name, declared_ids))
    for name in declared_ids:
        if name not in cited_ids_here:
            line = file.line(("sources", name))
            what = f'no fact cites the source "{name}"'
            yield Problem(file.path, line, what, "cite it where it is used, or remove it")


def _markdown_citation_problems(file: MarkdownFile) -> Iterator[Problem]:
    cited_ids_here = set()
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for name in CITATION.findall(line):
                cited_ids_here.add(name)
                if name not in file.sources:
                    what = f'the source "{name}" is not declared in the front matter'
                    yield Problem(file.path, number, what, did_you_mean(name, file.sources))
    for name in file.sources:
        if name not in cited_ids_here:
            what = f'the text never cites the source "{name}"'
            yield Problem(file.path, 1, what, f"cite it as [@{name}], or remove it")


@rule(level="warning")
def translated_guides(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A guide in another language says the same as the English one, and cites the same sources.

    `translates` in the front matter of the translation is the fingerprint of the English text that
    was translated. If the English text changes later, the translated page tells its readers.
    """
    for platform in catalog.platforms:
        english = platform.guide
        for translation in platform.translations.values():
            text = translation.text
            if translation.head.translates != english.fingerprint:
                what = "the English guide has changed since this translation"
                remedy = f"compare them, then write translates: {english.fingerprint}"
                yield Problem(text.path, 2, what, remedy)
            cited = {name for s in text.sections for name in CITATION.findall(s.text)}
            for name in sorted(cited ^ set(english.sources)):
                what = f'only one of the two guides cites the source "{name}"'
                yield Problem(text.path, 1, what, "cite the sources of guide.md")


@rule(level="warning")
def translated_answers(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """An answer in another language says the same as the English one, and cites the same sources.

    In `faq.<language>.md`, the heading of an answer is the English question, and a level-3 heading
    below it is the question in the other language. `translates` in the front matter is the
    fingerprint of the English questions and answers.
    """
    for platform in catalog.platforms:
        english_sections = {section.title: section for section in platform.faq.sections}
        for translation in platform.answers.values():
            text = translation.text
            current = platform.faq.fingerprint_of({section.title for section in text.sections})
            if translation.head.translates != current:
                what = "the English answers have changed since this translation"
                remedy = f"compare them, then write translates: {current}"
                yield Problem(text.path, 2, what, remedy)
            for section in text.sections:
                yield from _answer_problems(text.path, section, english_sections)


def _answer_problems(
    path: str, section: Section, english_sections: Mapping[str, Section]
) -> Iterator[Problem]:
    original = english_sections.get(section.title)
    if original is None:
        what = f'"{section.title}" is not a question of faq.md'
        yield Problem(path, section.line, what, did_you_mean(section.title, english_sections))
        return
    if not section.text.startswith("### "):
        what = "the question is missing in the language"
        yield Problem(path, section.line, what, "add it below the heading as a ### heading")
    if {*CITATION.findall(section.text)} != {*CITATION.findall(original.text)}:
        what = "the answer and the English one cite different sources"
        yield Problem(path, section.line, what, "cite the sources of the answer in faq.md")


@rule()
def text_links(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Links in guides and FAQs use https, or lead to a page of the site, as in `/hardware/`.

    Images are not allowed.
    """
    for file in (*catalog.texts, *catalog.translations):
        for target in file.targets:
            if target.is_picture:
                remedy = "describe it in words, or link to it"
                yield Problem(file.path, target.line, "images are not allowed", remedy)
            elif not is_public_https_url(target.address) and not is_site_path(target.address):
                what, remedy = url_fault(target.address)
                what = f'the link to "{target.address[:80]}" {what}'
                yield Problem(file.path, target.line, what, remedy)


@rule(level="warning")
def uncited_answers(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every answer in `faq.md` cites a source: the discussion or documentation it is based on.

    Without a source, readers can't check whether the answer is still correct.
    """
    for faq in catalog.faq_files:
        for section in faq.sections:
            if not CITATION.search(section.text):
                what = f'the answer to "{section.title[:60]}" cites no source'
                remedy = "add the source under sources, and cite it as [@its-id]"
                yield Problem(faq.path, section.line, what, remedy)


@rule()
def look_alikes(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Names contain no look-alike letters from other alphabets.

    For example, `cuda` with a Cyrillic letter looks like `cuda`. The rule follows Unicode Technical
    Standard 39, Security Mechanisms, as far as Python's Unicode data allows. The standard has a
    table of confusable characters; the rule uses only the letters that IDs can contain.
    """
    for platform in catalog.platforms:
        yield from _yaml_alphabet_problems(platform)
        if letters_fault := name_fault(platform.accelerator.name):
            yield platform.problem("accelerator.yaml", ("name",), *letters_fault)
    for file in (*catalog.texts, *catalog.translations):
        for line, text in _numbered_lines(file):
            for what in alphabet_faults(text):
                yield Problem(file.path, line, what, "use one alphabet")


def _yaml_alphabet_problems(platform: Platform) -> Iterator[Problem]:
    for name, file in platform.files.items():
        for location, value in file.values():
            for text in (*location[-1:], value):
                if isinstance(text, str) and not text.isascii():
                    for what in alphabet_faults(text):
                        yield platform.problem(name, location, what, "use one alphabet")


def _numbered_lines(file: MarkdownFile) -> Iterator[tuple[int, str]]:
    for section in file.sections:
        yield section.line, section.title
        yield from enumerate(section.text.split("\n"), section.text_line)

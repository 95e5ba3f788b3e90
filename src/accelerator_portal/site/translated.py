"""Renders pages in a language, with links to translated pages or marked links to English ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from accelerator_portal.site.languages import (
    ENGLISH,
    LOCALE,
    SCRIPT_MESSAGES,
    Language,
    Links,
    script_messages,
)
from accelerator_portal.site.page import PLATFORMS, SiteFile, to_root
from accelerator_portal.site.templates import Templates

# The pages that other languages have; `*` stands for any name.
TRANSLATED = (
    "index.md",
    "get-started.md",
    "questions.md",
    f"{PLATFORMS}/index.md",
    f"{PLATFORMS}/*.md",
    "hardware.md",
    "compare.md",
    "features.md",
    "versions/index.md",
    "versions/[0-9]*.md",
    "glossary.md",
    "other-ways.md",
    "run-anywhere.md",
    "results/index.md",
    "results/dashboard.md",
    "results/by-model/index.md",
    "results/by-model/*.md",
    "contribute/index.md",
)


def page_in(
    templates: Templates, path: str, context: Mapping[str, Any], template: str = "", edit: str = ""
) -> SiteFile:
    """Return a page in the language of the templates, from the arguments of `Templates.page`."""
    language = templates.language
    if language == ENGLISH:
        return templates.page(path, edit, template, **context)
    own = language.path(path)
    edit = edit or f"{LOCALE}/{language.code}.po"
    page = templates.page(own, edit, template or f"{path}.j2", **context)
    links, above = Links(language, TRANSLATED), to_root(own)
    content = links.localized(page.content, path, above) + _messages_box(language, above)
    return replace(page, content=content, language=language.code)


def messages_file(language: Language) -> SiteFile:
    """Return the file of messages that scripts read on all pages of a language."""
    said = script_messages(Links(language, TRANSLATED))
    return SiteFile(language.path(SCRIPT_MESSAGES), said)


def _messages_box(language: Language, above: str) -> str:
    file = f"{above}{language.path(SCRIPT_MESSAGES)}"
    box = f'<div id="messages" data-file="{file}" data-root="{above}" hidden></div>'
    return f"\n<!--raw html-->\n{box}\n<!--end of raw html-->\n"

"""What a platform's page shows, computed from its folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.commands_table import commands_table
from accelerator_portal.site.selector_view import selector_view
from accelerator_portal.site.source_list import Entry, SourceList
from accelerator_portal.site.vendor_text import render_vendor_text, slug
from accelerator_portal.site.versions_table import versions_table


def platform_context(platform: Platform, selector: Selector) -> dict[str, Any]:
    """Return the variables of the template; `selector` is the platform's own."""
    sources = SourceList(platform.sourced_files())
    return {
        "platform": platform,
        "a": platform.accelerator,
        "selector": selector,
        "view": selector_view(selector, selector.starts[0]) if selector.starts else None,
        "commands": commands_table(selector, selector.rows),
        "versions": versions_table(platform, sources),
        "guide": {
            section.title: _rendered(platform.guide, sources, section.text, slug(section.title))
            for section in platform.guide.sections
        },
        "faq": _questions(platform.faq, sources),
        "sources": sources,
        "cited": _citer(sources),
    }


def _questions(faq: MarkdownFile, sources: SourceList) -> list[tuple[str, str, Markup]]:
    """Return anchor, question and answer; anchors follow from the words and stay unique."""
    found: dict[str, tuple[str, str, Markup]] = {}
    for section in faq.sections:
        anchor = base = f"faq-{slug(section.title)}"
        number = 1
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        answer = _rendered(faq, sources, section.text, anchor)
        found[anchor] = (anchor, section.title, answer)
    return list(found.values())


def _rendered(file: MarkdownFile, sources: SourceList, text: str, prefix: str) -> Markup:
    name = file.path.rsplit("/", 1)[-1]
    html = render_vendor_text(text, prefix, lambda source: sources.entry(name, source))
    return Markup(html)  # noqa: S704 - sanitised there


def _citer(sources: SourceList) -> Any:  # noqa: ANN401 - a function for the template
    def cited(file: str, names: Iterable[str] | None) -> list[Entry]:
        return sources.cited(file, names)

    return cited

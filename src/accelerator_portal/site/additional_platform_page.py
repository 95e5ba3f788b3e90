"""Converts a platform's guide to a page of pytorch.org's Additional Platforms, in Markdown.

`scripts/gen_additional_platforms.py` in `pytorch/pytorch.github.io` (commit 3bb9fbf) refuses a page
of more than 200 lines, and renders the others with Python-Markdown. Guides are CommonMark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape

import nh3
from markdown import Markdown
from markdown_it import MarkdownIt

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.markdown_file import CITATION, Section
from accelerator_portal.install.additional_platforms import MAX_PAGE_LINES
from accelerator_portal.site.site_file import PLATFORMS
from accelerator_portal.site.text_formats import prose_list
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source

SOURCES = "Sources"

_LEAST_NEEDED_FIRST = (SOURCES, "Deploy", "Help", "Prepare", "Start", "Install")
_SITE_LINK = re.compile(r"\]\(/([^)\s]*)\)")
_SPECIAL = re.compile(r"([\\`*_\[\]])")
_OWN_PART = re.compile(r"\*Versions\* on this page")
_COMMONMARK = MarkdownIt("commonmark", {"html": False}).enable("table")
_UPSTREAM_EXTENSIONS = ("codehilite", "fenced_code", "tables", "toc")


@dataclass(frozen=True, slots=True)
class PlatformPage:
    """A page in Markdown, and the titles of the guide's sections that it leaves out."""

    text: str
    left_out: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of lines, as the script at pytorch.org counts them."""
        return len(self.text.splitlines())


def page_address(platform: Platform, site: str) -> str:
    """Return the address of a platform's page. `site` is the site's address and ends with `/`."""
    return f"{site}{PLATFORMS}/{platform.id}/"


def platform_page(platform: Platform, site: str) -> PlatformPage:
    """Return a platform's guide as a page of at most 200 lines.

    If the guide is longer, the page leaves out whole sections, the least needed first: the list of
    sources, Deploy, Help, Prepare, Start, Install. It links to the complete guide at `site`, the
    site's address, which ends with `/`.
    """
    sections = _sections(platform, site)
    pages = (
        _page(platform, site, sections, _LEAST_NEEDED_FIRST[:count])
        for count in range(len(_LEAST_NEEDED_FIRST) + 1)
    )
    # Without sections, a page has seven lines.
    return next(page for page in pages if page.length <= MAX_PAGE_LINES)


def _page(
    platform: Platform, site: str, sections: dict[str, str], dropped: tuple[str, ...]
) -> PlatformPage:
    left_out = tuple(title for title in sections if title in dropped)
    kept = (f"## {title}\n\n{text}" for title, text in sections.items() if title not in dropped)
    more = [*left_out, "commands for all versions", "answers to questions"]
    accelerator = platform.accelerator
    blocks = (
        f"# Installing on {plain_text(accelerator.name)}",
        plain_text(accelerator.summary),
        *kept,
        f"The [complete guide]({page_address(platform, site)}) also has: {prose_list(more)}.",
    )
    return PlatformPage("\n\n".join(blocks) + "\n", left_out)


def _sections(platform: Platform, site: str) -> dict[str, str]:
    """Return the Markdown of each section by title, with numbered links instead of citations."""
    guide = platform.guide
    numbers: dict[str, int] = {}

    def linked(citation: re.Match[str]) -> str:
        number = numbers.setdefault(citation[1], len(numbers) + 1)
        address = guide.sources[citation[1]].address
        return f"[[{number}]]({_link(address)})" if address else f"[{number}]"

    def text_of(section: Section) -> str:
        text = _OWN_PART.sub(f"[*Versions*]({page_address(platform, site)}#versions)", section.text)
        return CITATION.sub(linked, _SITE_LINK.sub(rf"]({site}\1)", text))

    sections = {section.title: text_of(section) for section in guide.sections}
    items = (f"1. {source_link(guide.sources[name])}" for name in numbers)
    return sections | ({SOURCES: "\n".join(items)} if numbers else {})


def source_link(source: Source) -> str:
    """Return the title of a source as a Markdown link, or with its package instead of a link."""
    title = plain_text(source.title)
    if source.address:
        return f"[{title}]({_link(source.address)})"
    return f"{title} (package `{source.package}`)"


def plain_text(text: str) -> str:
    """Return text in Markdown that shows it unchanged, without HTML and emphasis."""
    return _SPECIAL.sub(r"\\\1", escape(text, quote=False))


def _link(address: str) -> str:
    return address.replace("(", "%28").replace(")", "%29")


def rendering_problems(platform: Platform, site: str) -> Iterator[Problem]:
    """Yield a problem for each section of a guide that pytorch.org would show with other words.

    For example, Python-Markdown shows a list as text if no blank line precedes it.
    """
    sections = _sections(platform, site)
    for section in platform.guide.sections:
        text = sections[section.title]
        shown = _words(Markdown(extensions=_UPSTREAM_EXTENSIONS).convert(text))
        meant = _words(_COMMONMARK.render(text))
        what = f'pytorch.org\'s script does not show "## {section.title}" as written'
        if "{:" in text:
            yield Problem(
                platform.guide.path, section.line, f"{what}: it removes {{:…}}", "write { : instead"
            )
        elif shown != meant:
            place = next(
                (i for i, (a, b) in enumerate(zip(shown, meant, strict=False)) if a != b),
                min(len(shown), len(meant)),
            )
            near = " ".join(meant[max(0, place - 3) : place + 3])
            remedy = "put blank lines around lists, tables and code, and code outside of lists"
            yield Problem(platform.guide.path, section.line, f'{what}, near "{near[:80]}"', remedy)


def _words(html: str) -> list[str]:
    return unescape(nh3.clean(html, tags=set())).split()

"""Renders pages in English or a translation, and redirects links in translated pages."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from html import escape
from itertools import chain

from accelerator_portal.site.languages import ENGLISH, LOCALE_FOLDER, Language
from accelerator_portal.site.pages import declared
from accelerator_portal.site.site import Page
from accelerator_portal.site.site_file import SiteFile, to_root
from accelerator_portal.site.templates import Templates

# One file for all pages of a language: browsers load it once.
_MESSAGES_FILE = "messages.json"


def render_page(page: Page, all_templates: Iterable[Templates]) -> Iterator[SiteFile]:
    """Yield a page in English and, if it is translated, in the other languages.

    `all_templates` has the templates of each language.
    """
    for templates in all_templates:
        language = templates.language
        if page.language not in (None, language):
            continue
        if language == ENGLISH:
            file = templates.page(page.path, edit=page.edit, template=page.template, **page.context)
            yield replace(file, platform=page.platform)
        elif _is_translated(page.path):
            yield replace(_translated_page(page, templates), platform=page.platform)


def _translated_page(page: Page, templates: Templates) -> SiteFile:
    language = templates.language
    path = language.path(page.path)
    file = templates.page(
        path,
        edit=page.edit or f"{LOCALE_FOLDER}/{language.code}.po",
        template=page.template or f"{page.path}.j2",
        **page.context,
    )
    root_address = to_root(path)
    content = redirect_links(file.content, page.path, root_address, language) + _messages_box(
        language, root_address
    )
    return replace(file, content=content, language=language.code)


def redirect_links(content: str, path: str, root_address: str, language: Language) -> str:
    """Return a translated page's content with its links redirected.

    A link to a page that is translated leads to the translation. A link to any other page leads to
    the English page and is marked as English. A link to a data file still leads to this file.
    `path` is the path of the English page. `root_address` is the relative address of the site's
    root from the translated page. HTML links of templates start with `root_address`. HTML links in
    vendors' texts start with the relative address of the root from the English page.
    """

    def replace_html_link(match: re.Match[str]) -> str:
        address, rest = match[1], match[2]
        if address and not address.endswith("/"):
            return f'href="{root_address}{address}{rest}"'  # data, not a page
        if _is_translated(f"{address}index.md") or _is_translated(f"{address.rstrip('/')}.md"):
            return f'href="{root_address}{language.code}/{address}{rest}"'
        return f'href="{root_address}{address}{rest}" {english_attributes}'

    def replace_markdown_link(match: re.Match[str]) -> str:
        text, link_path, anchor = match.groups(default="")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link_path))
        if _is_translated(target):
            return match[0]
        address = re.sub(r"(?:(?<=/)index)?\.md$", "", target).rstrip("/")
        return f'<a href="{root_address}{address}/{anchor}" {english_attributes}>{text}</a>'

    note = escape(language.gettext("{title} (English)").format(title=""))
    english_attributes = f'hreflang="en" data-language="{note}"'
    roots = rf"(?:{re.escape(root_address)}|{re.escape(to_root(path))}(?!\.\./))"
    content = re.sub(rf'href="{roots}([^"?#]*)([^"]*)"', replace_html_link, content)
    return re.sub(r"\[([^\]]*)\]\(([\w./-]+\.md)(#[\w-]+)?\)", replace_markdown_link, content)


@cache  # pages have thousands of links to the same few hundred pages
def _is_translated(path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in _translated_paths())


def _translated_paths() -> Iterator[str]:
    """Yield the paths of the pages that other languages have; `*` stands for any name."""
    return chain.from_iterable(declared("TRANSLATED"))


def messages_file(language: Language) -> SiteFile:
    """Return `messages.json`, which scripts read on all pages of a language.

    It has the keys `texts` and `pages`. `texts` has the translated messages. `pages` has patterns
    of the addresses of translated pages, such as `results/by-model/*/`.
    """
    pages = [
        re.sub(r"(^|/)index\.md$|\.md$", "/", path).lstrip("/") for path in _translated_paths()
    ]
    data = {"texts": language.in_scripts, "pages": pages}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    return SiteFile(language.path(_MESSAGES_FILE), text)


def _messages_box(language: Language, root_address: str) -> str:
    file = f"{root_address}{language.path(_MESSAGES_FILE)}"
    box = f'<div id="messages" data-file="{file}" data-root="{root_address}" hidden></div>'
    return f"\n<!--raw html-->\n{box}\n<!--end of raw html-->\n"

"""Writes the index of the search from the content of the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from accelerator_portal.site.languages import ENGLISH
from accelerator_portal.site.search import SEARCH_FOLDER, SearchedPage, write_search_index

# The key of the configuration for what the search finds, by language, of the pages rendered so far.
SEARCHED_KEY = "portal_searched"


def on_page_context(
    context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Store what the search finds of a page.

    English pages without a translation are found in other languages, too. hooks/languages.py has
    set `language` and `versions`.
    """
    options = page.meta.get("search") or {}
    if options.get("exclude"):
        return context
    found = SearchedPage(
        page.url,
        str(page.title),
        page.content or "",
        tuple(map(str, page.meta.get("tags") or ())),
        options.get("boost", 1),
        split=bool(options.get("split")),
    )
    own = context["language"].code
    known = {version["code"] for version in context["versions"]}
    others = () if own != ENGLISH.code else config.extra.get("languages") or ()
    for code in (own, *(other for other in others if other not in known)):
        config.extra.setdefault(SEARCHED_KEY, {}).setdefault(code, []).append(found)
    return context


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write the index of each language. Raises PluginError if that fails."""
    for code, pages in config.extra.pop(SEARCHED_KEY, {}).items():
        try:
            write_search_index(pages, code, Path(config.site_dir, SEARCH_FOLDER, code))
        except ChildProcessError as error:
            raise PluginError(str(error)) from None

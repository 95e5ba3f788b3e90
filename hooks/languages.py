"""Translates the navigation and the theme's texts, and links the translations of each page.

`languages` in mkdocs.yml lists the languages. hooks/portal.py adds the translated pages, each in
the folder of its language.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from babel import Locale
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page

from accelerator_portal.site.languages import ENGLISH, Language, published_languages
from accelerator_portal.site.templates import template_cache

# Keys of the configuration. `LANGUAGES_KEY` has the `Language`, the navigation and the translated
# configuration of each language except English, by code.
LANGUAGES_KEY = "portal_languages"
NAVIGATION_KEY = "portal_navigation"
FILES_KEY = "portal_files"


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
    """Store the navigation for `on_env`, which runs when the titles of all pages are known."""
    config.extra[NAVIGATION_KEY] = nav
    return nav


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
    """Add the function `gettext` to the theme's templates, and prepare each language."""
    env.globals["gettext"] = _gettext
    env.bytecode_cache = template_cache()  # the theme takes a second to compile
    config.extra[FILES_KEY] = files
    nav = config.extra.pop(NAVIGATION_KEY)
    root = Path(config.config_file_path).parent
    config.extra[LANGUAGES_KEY] = {
        language.code: (
            language,
            _translated_navigation(nav, language, files),
            _translated_config(config, language),
        )
        for language in published_languages(root, config.extra.get("languages"))
    }
    return env


def on_page_context(
    context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Set the template variables of a page's language, and the links to its translations."""
    languages = config.extra[LANGUAGES_KEY]
    first, _, rest = page.file.src_uri.partition("/")
    own, path = (first, rest) if first in languages else (ENGLISH.code, page.file.src_uri)
    context["language"] = ENGLISH
    if own != ENGLISH.code:
        context["language"], context["nav"], context["config"] = languages[own]
    every = [ENGLISH, *(language for language, _, _ in languages.values())]
    context["versions"] = [
        _translation_link(version, language)
        for language in every
        if language.code != own
        and (version := config.extra[FILES_KEY].get_file_from_path(language.path(path)))
    ]
    return context


@pass_context
def _gettext(context: Context, text: str) -> str:
    language: Language = context.get("language", ENGLISH)
    return language.gettext(text)


def _translation_link(file: File, language: Language) -> dict[str, str]:
    """Return the template variables of a link to a page in another language."""
    name = Locale.parse(language.code).get_language_name(language.code) or language.code
    offer = language.gettext("This page is available in {language}.").format(language=name)
    return {
        "code": language.code,
        "name": name,
        "url": (file.page.canonical_url if file.page else None) or file.url,
        "address": file.url,
        "offer": offer,
        "dismiss": language.gettext("Do not offer this again"),
    }


def _translated_navigation(nav: Navigation, language: Language, files: Files) -> Navigation:
    """Return the navigation in a language; links to pages without a translation say "English"."""
    pages: list[Page] = []

    def translated(item: Any) -> Any:  # noqa: ANN401 - a page, a section or a link
        english: str = item.title or ""
        title = language.gettext(english)
        if item.is_section:
            section = Section(title, [translated(child) for child in item.children])
            for child in section.children:
                child.parent = section
            return section
        file = files.get_file_from_path(language.path(item.file.src_uri)) if item.is_page else None
        if file is None or file.page is None:
            return Link(language.gettext("{title} (English)").format(title=title), item.url)
        file.page.title = title
        pages.append(file.page)
        return file.page

    translated_nav = Navigation([translated(item) for item in nav], pages)
    home = files.get_file_from_path(language.path("index.md"))
    translated_nav.homepage = home.page if home else nav.homepage
    return translated_nav


def _translated_config(config: MkDocsConfig, language: Language) -> MkDocsConfig:
    """Return a copy of the configuration with the theme's texts in a language."""

    def translated(toggle: dict[str, str]) -> dict[str, str]:
        return {name: language.gettext(text) for name, text in toggle.items()}

    palette = [{**one, "toggle": translated(one["toggle"])} for one in config.theme["palette"]]
    translated_config = copy.copy(config)
    theme = {**config.theme, "language": language.code, "palette": palette}
    translated_config.data.update(
        theme=theme,
        copyright=config.copyright and language.gettext(config.copyright),
        repo_name=config.repo_name and language.gettext(config.repo_name),
    )
    return translated_config

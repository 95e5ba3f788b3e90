"""Reads the messages of a language, and translates texts.

A language is one file, `site_src/locale/<code>.po`. It is published if `languages` in `mkdocs.yml`
has its code. English needs no file: messages are English.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fnmatch import fnmatchcase
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from accelerator_portal.catalog.message import Translatable

LOCALE = "site_src/locale"

# One file for all pages of a language: browsers load it once.
SCRIPT_MESSAGES = "messages.json"

_SPACES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Language:
    """The messages of a language; messages without a translation stay in English."""

    code: str
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The translations of each message: one, or one for each plural form."""
    plural: Callable[[int], int] = field(default=lambda count: int(count != 1))
    """The function that returns the index of the plural form for a count."""
    in_scripts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """The translations of messages in scripts."""

    def gettext(self, text: str) -> str:
        """Return the translation of a message; line breaks in the message are ignored."""
        found = self.forms.get(trimmed(text))
        return found[0] if found else text

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Return the translation of a message with plural forms, for a count."""
        found = self.forms.get(trimmed(one))
        if found is None or len(found) <= self.plural(count):
            return one if count == 1 else many
        return found[self.plural(count)]

    def say(self, text: str) -> str:
        """Return the translation of a `Translatable` text; other texts are returned unchanged."""
        if not isinstance(text, Translatable) or not self.forms:
            return str(text)
        said = {
            name: self.say(value) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        one, *many = text.forms
        found = self.ngettext(one, many[0], text.number) if many else self.gettext(one)
        return found.format(**said) if said else found

    def said(self, data: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return JSON data with each `Translatable` text in this language."""
        if isinstance(data, str):
            return self.say(data)
        if is_dataclass(data) and not isinstance(data, type):
            return {f.name: self.said(getattr(data, f.name)) for f in fields(data)}
        if isinstance(data, Mapping):
            return {name: self.said(value) for name, value in data.items()}
        return [self.said(value) for value in data] if isinstance(data, (list, tuple)) else data

    def json(self, data: Any) -> str:  # noqa: ANN401 - any data
        """Return data as a JSON text, with each `Translatable` text in this language."""
        return json.dumps(self.said(data))

    def path(self, path: str) -> str:
        """Return the path of a page in this language: `zh/index.md`."""
        return path if self == ENGLISH else f"{self.code}/{path}"


ENGLISH = Language("en")


def search_index(index: Mapping[str, Any], code: str, others: Collection[str]) -> dict[str, Any]:
    """Return the part of MkDocs' search index that the pages of a language search.

    It contains the language's own pages, and the English pages without a translation. `others` are
    the codes of all languages except English.
    """
    pages = {entry["location"].partition("#")[0] for entry in index["docs"]}

    def is_searched(location: str) -> bool:
        page = location.partition("#")[0]
        folder = page.partition("/")[0]
        if folder in others:
            return folder == code
        return f"{code}/{page}" not in pages

    docs = [entry for entry in index["docs"] if is_searched(entry["location"])]
    return {**index, "docs": docs}


def trimmed(text: str) -> str:
    """Return a message as in the translation files: without the line breaks of its template."""
    return _SPACES.sub(" ", text.strip())


def read_language(root: Path, code: str) -> Language:
    """Return the language with this code. Raises OSError if its file is missing."""
    from gettext import c2py

    from babel.messages.pofile import read_po

    with (root / LOCALE / f"{code}.po").open("rb") as file:
        catalog = read_po(file, locale=code)
    forms: dict[str, tuple[str, ...]] = {}
    in_scripts: dict[str, str | tuple[str, ...]] = {}
    for entry in catalog:
        found = (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())
        if not entry.id or entry.fuzzy or not all(found):
            continue
        name = entry.id if isinstance(entry.id, str) else entry.id[0]
        forms[name] = found
        if any(str(place).endswith(".js") for place, _ in entry.locations):
            in_scripts[name] = found[0] if isinstance(entry.id, str) else found
    return Language(code, forms, c2py(catalog.plural_expr), in_scripts)


def published_languages(root: Path, codes: Iterable[str] | None) -> list[Language]:
    """Return the languages with these codes, which the site's configuration lists."""
    return [read_language(root, code) for code in codes or ()]


@dataclass(frozen=True)
class Links:
    """Redirects the links of a translated page, which templates write as on the English page.

    A link to a page that is translated leads to the translation. Other links lead to the English
    page and say so.
    """

    language: Language
    translated: Collection[str]
    """The paths of the English pages that are translated; `*` stands for any name."""

    def localized(self, content: str, path: str, to_root: str) -> str:
        """Return a translated page's content with its links redirected.

        `path` is the path of the English page, `to_root` the way from the new page to the root.
        """

        def in_html(match: re.Match[str]) -> str:
            address, rest = match[1], match[2]
            if self._has(f"{address}index.md") or self._has(f"{address.rstrip('/')}.md"):
                return f'href="{to_root}{self.language.code}/{address}{rest}"'
            if address and not address.endswith("/"):
                return match[0]  # data, not a page
            return f"{match[0]} {in_english}"

        def in_markdown(match: re.Match[str]) -> str:
            text, place, anchor = match.groups(default="")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
            if self._has(target):
                return match[0]
            address = re.sub(r"(?:(?<=/)index)?\.md$", "", target).rstrip("/")
            return f'<a href="{to_root}{address}/{anchor}" {in_english}>{text}</a>'

        note = escape(self.language.gettext("{title} (English)").format(title=""))
        in_english = f'hreflang="en" data-language="{note}"'
        content = re.sub(rf'href="{re.escape(to_root)}([^"?#]*)([^"]*)"', in_html, content)
        return re.sub(r"\[([^\]]*)\]\(([\w./-]+\.md)(#[\w-]+)?\)", in_markdown, content)

    def _has(self, path: str) -> bool:
        return _is_among(path, tuple(self.translated))


@cache  # pages have thousands of links to the same few hundred pages
def _is_among(path: str, translated: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, known) for known in translated)


def script_messages(links: Links) -> str:
    """Return the JSON for scripts of a language's pages: messages, and the translated pages."""
    pages = [re.sub(r"(^|/)index\.md$|\.md$", "/", path).lstrip("/") for path in links.translated]
    said = {"texts": links.language.in_scripts, "pages": pages}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n"

"""Reads the translations of the site's texts for each language, and translates texts.

The translations of a language are in `site_src/locale/<code>.po`. English needs no file, because
the messages are English. A language is published if `languages` in `mkdocs.yml` has its code.
`<code>.vendors.yaml` can translate notes and requirements in vendors' files. Notes and requirements
without a translation stay in English.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from accelerator_portal.catalog.message import Translatable, translatable
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.yaml_file import edit_error, parse_yaml

LOCALE_FOLDER = "site_src/locale"

_SPACES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Language:
    """A language of the site, with its translations.

    Messages without a translation stay in English.
    """

    code: str
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The translations of each message, by its English text (the singular). There is one
    translation, or one for each plural form."""
    plural: Callable[[int], int] = field(default=lambda count: int(count != 1))
    """The function that returns, for a count, the index of the right translation in `forms`."""
    in_scripts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """The translations that scripts load, by English text. These are the translations of messages
    in scripts and of vendors' texts. A tuple has one translation for each plural form."""

    def gettext(self, text: str) -> str:
        """Return the translation of a message, or the message itself if there is none.

        Line breaks in the message are ignored.
        """
        translations = self.forms.get(normalize_message(text))
        return translations[0] if translations else text

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Return the translation of a message with a number, in the plural form for `count`.

        `one` and `many` are the English forms. Without a translation, the right English form is
        returned.
        """
        translations = self.forms.get(normalize_message(one))
        if translations is None or len(translations) <= self.plural(count):
            return one if count == 1 else many
        return translations[self.plural(count)]

    def translate(self, text: str) -> str:
        """Return a text in this language.

        Only a `Translatable`, which stores its message and values, is translated. Other texts are
        returned unchanged.
        """
        if not isinstance(text, Translatable) or not self.forms:
            return str(text)
        translated_values = {
            name: self.translate(value) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        singular, *plurals = text.forms
        translation = (
            self.ngettext(singular, plurals[0], text.number) if plurals else self.gettext(singular)
        )
        return translation.format(**translated_values) if translated_values else translation

    def translate_data(self, data: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a copy of data with each `Translatable` text in this language.

        Dataclasses become mappings, tuples become lists and dates become texts, as JSON needs it.
        """
        if isinstance(data, str):
            return self.translate(data)
        if is_dataclass(data) and not isinstance(data, type):
            return {f.name: self.translate_data(getattr(data, f.name)) for f in fields(data)}
        if isinstance(data, Mapping):
            return {name: self.translate_data(value) for name, value in data.items()}
        if isinstance(data, (list, tuple)):
            return [self.translate_data(value) for value in data]
        return data.isoformat() if isinstance(data, dt.date) else data

    def json(self, data: Any) -> str:  # noqa: ANN401 - any data
        """Return data as a JSON text, with each `Translatable` text in this language."""
        return json.dumps(self.translate_data(data))

    def is_translated(self, text: str) -> bool:
        """Return whether the text of a message or of a vendor differs in this language."""
        return self.translate(translatable(text)) != text

    def path(self, path: str) -> str:
        """Return the path of a page in this language: `zh/index.md`, or `index.md` in English."""
        return path if self == ENGLISH else f"{self.code}/{path}"


ENGLISH = Language("en")


def normalize_message(text: str) -> str:
    """Return a message on one line, as in the translation files."""
    return _SPACES.sub(" ", text.strip())


def read_language(root: Path, code: str) -> Language:
    """Return the language with the code `code`.

    Raises ProblemsError if the language has no file, or if vendors' texts cannot be read.
    """
    from gettext import c2py

    from babel.messages.pofile import read_po

    path = f"{LOCALE_FOLDER}/{code}.po"
    if not (root / path).is_file():
        raise edit_error(path, 1, "file not found", "run: make messages")
    with (root / path).open("rb") as file:
        catalog = read_po(file, locale=code)
    forms: dict[str, tuple[str, ...]] = {}
    in_scripts: dict[str, str | tuple[str, ...]] = {}
    for entry in catalog:
        translations = (
            (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())
        )
        if not entry.id or entry.fuzzy or not all(translations):
            continue
        message_id = entry.id if isinstance(entry.id, str) else entry.id[0]
        forms[message_id] = translations
        if any(str(path).endswith(".js") for path, _ in entry.locations):
            in_scripts[message_id] = translations[0] if isinstance(entry.id, str) else translations
    for text, translation in _vendor_translations(root, code).items():
        forms[text] = (translation,)
        in_scripts[text] = translation
    return Language(code, forms, c2py(catalog.plural_expr), in_scripts)


def _vendor_translations(root: Path, code: str) -> dict[str, str]:
    path = f"{LOCALE_FOLDER}/{code}.vendors.yaml"
    if not (root / path).exists():
        return {}
    file, problems = parse_yaml(path, (root / path).read_text(encoding="utf-8"))
    if not file or problems:
        raise ProblemsError(problems)
    if not isinstance(file.data, dict) or not all(isinstance(t, str) for t in file.data.values()):
        raise edit_error(path, 1, "not pairs of texts", 'write "English text": "translation"')
    return file.data


def published_languages(root: Path, codes: Iterable[str] | None) -> list[Language]:
    """Return the language for each of `codes`, which are the codes listed in `mkdocs.yml`.

    The result is empty if `codes` is None or empty.
    Raises ProblemsError if the file of a language is missing, or if vendors' texts cannot be read.
    """
    return [read_language(root, code) for code in codes or ()]

"""Names contain no look-alike letters from other alphabets.

For example, `cuda` with a Cyrillic letter looks like `cuda`. The rule follows Unicode Technical
Standard 39, Security Mechanisms, as far as Python's Unicode data allows. Of the table of confusable
characters, it covers the letters that IDs can contain.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.names import alphabet_faults, name_fault


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield words of two alphabets, and names in others than Latin."""
    for platform in catalog.platforms:
        yield from _of_words(platform)
        yield from _of_name(platform)
    for file in catalog.texts:
        for line, text in _lines(file):
            for what in alphabet_faults(text):
                yield Problem(file.path, line, what, "use one alphabet")


def _of_words(platform: Platform) -> Iterator[Problem]:
    for name, file in platform.files.items():
        for location, text in _texts(file.data, ()):
            for what in alphabet_faults(text):
                yield platform.problem(name, location, what, "use one alphabet")


def _texts(value: object, location: Location) -> Iterator[tuple[Location, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*location, key), key
            yield from _texts(inner, (*location, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _texts(inner, (*location, place))
    elif isinstance(value, str) and not value.isascii():
        yield location, value


def _lines(file: MarkdownFile) -> Iterator[tuple[int, str]]:
    for section in file.sections:
        yield section.line, section.title
        yield from enumerate(section.text.split("\n"), section.text_line)


def _of_name(platform: Platform) -> Iterator[Problem]:
    if wrong := name_fault(platform.accelerator.name):
        yield platform.problem("accelerator.yaml", ("name",), *wrong)

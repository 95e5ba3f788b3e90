"""Every fact cites a declared source, and every declared source is cited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.yaml_file import Location, YamlFile


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield unknown and unused source ids of every file."""
    for file in catalog.files.values():
        if isinstance(file.data, Mapping) and "sources" in file.data:
            yield from _yaml_problems(file, file.data)
    for text in catalog.texts:
        yield from _markdown_problems(text)


def _yaml_problems(file: YamlFile, data: Mapping[str, object]) -> Iterator[Problem]:
    declared = data["sources"]
    known = list(declared) if isinstance(declared, Mapping) else []
    named = set()
    for location, name in _named(data, ()):
        named.add(name)
        if name not in known:
            what = f'the source "{name}" is not declared in this file'
            yield Problem(file.path, file.line(location), what, did_you_mean(name, known))
    for name in known:
        if name not in named:
            line = file.line(("sources", name))
            what = f'no fact cites the source "{name}"'
            yield Problem(file.path, line, what, "cite it where it is used, or remove it")


def _named(value: object, location: Location) -> Iterator[tuple[Location, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "source":
                names = inner if isinstance(inner, list) else [inner]
                yield from (((*location, key), name) for name in names if isinstance(name, str))
            else:
                yield from _named(inner, (*location, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _named(inner, (*location, place))


def _markdown_problems(file: MarkdownFile) -> Iterator[Problem]:
    named = set()
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for name in CITATION.findall(line):
                named.add(name)
                if name not in file.sources:
                    what = f'the source "{name}" is not declared in the front matter'
                    yield Problem(file.path, number, what, did_you_mean(name, file.sources))
    for name in file.sources:
        if name not in named:
            what = f'the text never cites the source "{name}"'
            yield Problem(file.path, 1, what, f"cite it as [@{name}], or remove it")

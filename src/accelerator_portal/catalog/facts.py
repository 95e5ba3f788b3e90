"""Lists every fact of the catalog with its place and sources, for audits by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog.catalog import Catalog
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.catalog.sources import Source
from accelerator_portal.catalog.yaml_file import Location, YamlFile

# What stands in a record but is not of its own fact, or is too long to read.
_INNER = frozenset({"source", "models", "builds", "tests", "aliases", "sources"})


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement, where it stands, and the documents that it names."""

    path: str
    line: int
    text: str
    sources: tuple[Source, ...]


def facts(catalog: Catalog) -> Iterator[Fact]:
    """Yield every sourced record of the YAML files and every sourced line of the texts."""
    for path, file in sorted(catalog.files.items()):
        declared = file.data.get("sources") if isinstance(file.data, Mapping) else None
        if isinstance(declared, Mapping):
            sources = {str(name): Source.model_validate(item) for name, item in declared.items()}
            for location, record in _records(file.data, ()):
                yield _fact(path, file, location, record, sources)
    for text in catalog.texts:
        yield from _of_text(text)


def _records(value: object, location: Location) -> Iterator[tuple[Location, Mapping[str, object]]]:
    if isinstance(value, Mapping):
        if "source" in value:
            yield location, value
        for key, inner in value.items():
            yield from _records(inner, (*location, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _records(inner, (*location, place))


def _fact(
    path: str,
    file: YamlFile,
    location: Location,
    record: Mapping[str, object],
    sources: Mapping[str, Source],
) -> Fact:
    named = record["source"]
    names = named if isinstance(named, list) else [named]
    own = {key: value for key, value in record.items() if key not in _INNER}
    place = ".".join(str(part) for part in location if isinstance(part, str))
    text = f"{place}: " + ", ".join(f"{key} {_short(value)}" for key, value in own.items())
    return Fact(path, file.line(location), text, tuple(sources[str(name)] for name in names))


def _short(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_short, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_short(inner)}" for key, inner in value.items())
    return " ".join(str(value).split())


def _of_text(file: MarkdownFile) -> Iterator[Fact]:
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            names = [name for name in CITATION.findall(line) if name in file.sources]
            if names:
                text = f"{section.title}: {CITATION.sub('', line).strip()}"
                yield Fact(file.path, number, text, tuple(file.sources[name] for name in names))

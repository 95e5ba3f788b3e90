"""The reference of the vendor files' format, read off the models themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from accelerator_portal.catalog.schema import SCHEMAS


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One key of a record."""

    name: str
    kind: str
    required: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class RecordReference:
    """One record: the whole file, or a mapping inside it."""

    name: str
    meaning: str
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class FileReference:
    """One kind of file; the first record is the file itself."""

    name: str
    records: tuple[RecordReference, ...]


FILES = {
    "accelerators/<id>/accelerator.yaml": "accelerator",
    "accelerators/<id>/install.yaml": "install",
    "accelerators/<id>/compatibility.yaml": "compatibility",
    "accelerators/<id>/guide.md, faq.md (front matter)": "front-matter",
    "accelerators/<id>/known-issues.yaml": "known-issues",
    "accelerators/<id>/validation.yaml": "validation",
    "data/releases.yaml": "releases",
    "data/selector.yaml": "selector",
    "data/suites/<id>.yaml": "suite",
    "data/models.yaml": "models",
    "data/model-families.yaml": "model-families",
    "data/criteria.yaml": "criteria",
    "data/exceptions.yaml": "exceptions",
    "data/hosts.yaml": "hosts",
    "data/own-runs.yaml": "own-runs",
    "data/relay.yaml": "relay",
    "data/executorch-goals.yaml": "executorch-goals",
    "data/other-backends.yaml": "other-backends",
}


def format_reference() -> list[FileReference]:
    """Return the reference of every contributed file."""
    return [reference(path, SCHEMAS[name]) for path, name in FILES.items()]


def reference(name: str, model: type[BaseModel]) -> FileReference:
    """Return the reference of any model."""
    return FileReference(name, tuple(_records(model)))


def _records(model: type[BaseModel]) -> Iterator[RecordReference]:
    schema = model.model_json_schema(by_alias=True)
    yield _record("the file", schema)
    for title, inner in schema.get("$defs", {}).items():
        yield _record(title, inner)


def _record(name: str, schema: dict[str, Any]) -> RecordReference:
    required = schema.get("required", [])
    fields = tuple(
        FieldRow(key, _kind(field), key in required, _one_line(field.get("description", "")))
        for key, field in schema.get("properties", {}).items()
    )
    return RecordReference(name, _one_line(schema.get("description", "")), fields)


def _kind(field: dict[str, Any]) -> str:
    """Say in words what a value is."""
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "enum" in field or "const" in field:
        return " or ".join(map(str, field.get("enum", [field.get("const")])))
    if "anyOf" in field:
        kinds = [_kind(member) for member in field["anyOf"] if member.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    inner = {"array": "items", "object": "additionalProperties"}.get(field.get("type", ""))
    if inner:
        return f"{_TYPES[field['type']]} {_kind(field.get(inner, {}))}"
    return _TYPES.get(field.get("format", ""), _TYPES.get(field.get("type", ""), "text"))


_TYPES = {
    "array": "list of",
    "object": "mapping to",
    "uri": "https address",
    "date": "date",
    "boolean": "true or false",
}


def _one_line(text: str) -> str:
    return " ".join(text.split())

"""Lists the keys of each kind of contributed file, from pydantic models, for the reference page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from accelerator_portal.catalog.schema import FILE_FORMATS, WHOLE_FILE_HEADING, described_schema

_TYPE_WORDS = {
    "array": "list of",
    "object": "mapping to",
    "uri": "https address",
    "date": "date",
    "boolean": "true or false",
    "number": "number",
    "integer": "whole number",
}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A key of a mapping in a file. `kind` is the type of the value in words: `list of text`."""

    name: str
    kind: str
    required: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class RecordReference:
    """A mapping in a file, with its keys: the mapping of the whole file, or one inside it."""

    name: str
    meaning: str
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class FileReference:
    """A kind of file, such as `install.yaml`. The first record describes the whole file."""

    name: str
    records: tuple[RecordReference, ...]


def format_reference() -> list[FileReference]:
    """Return the references of all files that people contribute: vendors' files and shared data."""
    return [file_reference(path, model) for path, (_, model) in FILE_FORMATS.items()]


def file_reference(name: str, model: type[BaseModel]) -> FileReference:
    """Return the reference of a kind of file, such as `install.yaml`.

    `name` is the title of the reference. `model` is the pydantic model of the whole file.
    """
    schema = described_schema(model)
    records = {WHOLE_FILE_HEADING: schema, **schema.get("$defs", {})}
    return FileReference(name, tuple(_record(*record) for record in records.items()))


def _record(name: str, schema: dict[str, Any]) -> RecordReference:
    required = schema.get("required", [])
    fields = tuple(
        FieldRow(key, _type_words(field), key in required, _one_line(field.get("description", "")))
        for key, field in schema.get("properties", {}).items()
    )
    return RecordReference(name, _one_line(schema.get("description", "")), fields)


def _type_words(field: dict[str, Any]) -> str:
    """Return the type of the values that a JSON schema allows, in words: `list of text`."""
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "enum" in field or "const" in field:
        return " or ".join(map(str, field.get("enum", [field.get("const")])))
    if "anyOf" in field:
        kinds = [_type_words(member) for member in field["anyOf"] if member.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    element_key = {"array": "items", "object": "additionalProperties"}.get(field.get("type", ""))
    if element_key:
        names = field.get("propertyNames", {}).get("enum")
        keys = f" (keys: {', '.join(names)})" if names else ""
        return f"{_TYPE_WORDS[field['type']]} {_type_words(field.get(element_key, {}))}{keys}"
    kind = _TYPE_WORDS.get(field.get("format", ""), _TYPE_WORDS.get(field.get("type", ""), "text"))
    return ", ".join(filter(None, (kind, field.get("unit"), _limit_words(field))))


def _limit_words(field: dict[str, Any]) -> str:
    """Return the limits of a number or of a text's length, in words: `1 to 100`.

    The result is empty if the JSON schema has no upper limit.
    """
    if max_length := field.get("maxLength"):
        return f"up to {max_length:,} characters"
    high = field.get("maximum")
    if high is None:
        return ""
    if "minimum" in field:
        return f"{field['minimum']:,} to {high:,}"
    above = f"above {field['exclusiveMinimum']:,}, " if "exclusiveMinimum" in field else ""
    return f"{above}up to {high:,}"


def _one_line(text: str) -> str:
    return " ".join(text.split())

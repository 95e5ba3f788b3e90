"""Lists the keys of each kind of contributed file, from pydantic models, for the reference page."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from accelerator_portal.catalog.schema import WHOLE_FILE_HEADING, described_schema

_TYPE_WORDS = {
    "array": "list of",
    "object": "mapping to",
    "uri": "https address",
    "date": "date",
    "boolean": "true or false",
    "number": "number",
    "integer": "whole number",
}


def record_schemas(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of the mappings in a kind of file, by the name of the mapping.

    `model` is the pydantic model of the whole file. Its schema comes first.
    """
    schema = described_schema(model)
    return {WHOLE_FILE_HEADING: schema, **schema.get("$defs", {})}


def type_words(field: dict[str, Any]) -> str:
    """Return the type of the values that a JSON schema allows, in words: `list of text`."""
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "enum" in field or "const" in field:
        return " or ".join(map(str, field.get("enum", [field.get("const")])))
    if "anyOf" in field:
        kinds = [type_words(member) for member in field["anyOf"] if member.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    element_key = {"array": "items", "object": "additionalProperties"}.get(field.get("type", ""))
    if element_key:
        names = field.get("propertyNames", {}).get("enum")
        keys = f" (keys: {', '.join(names)})" if names else ""
        return f"{_TYPE_WORDS[field['type']]} {type_words(field.get(element_key, {}))}{keys}"
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

"""Validates parsed YAML with pydantic models, and reports each error with its line."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError, create_model
from pydantic_core import ErrorDetails

from accelerator_reports.files.problem import Fix, Problem, did_you_mean
from accelerator_reports.files.yaml_file import Location, YamlFile

M = TypeVar("M", bound=BaseModel)

_SEE_REFERENCE = "see the format reference"
_MAPPING = "a mapping (key: value)"
_EXPECTED = {
    "string_type": "a text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "mapping_type": _MAPPING,
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
}
# What other tools call a choice.
_OTHER_WORDS = {
    "amd64": "x86_64",
    "arm64": "aarch64",
    "darwin": "macos",
    "mac": "macos",
    "osx": "macos",
    "win": "windows",
    "x64": "x86_64",
    "x86-64": "x86_64",
}
_NUMBER_ERRORS = {"float_parsing", "int_parsing", "float_type", "int_type", "int_from_float"}
_NUMBER_WITH_UNIT = re.compile(r"(\d{1,12}(?:\.\d{1,12})?) ?[A-Za-z/]{1,8}")
_BOUNDS = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("of at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("of at most", "le"),
}


def validate(model: type[M], file: YamlFile) -> tuple[M | None, list[Problem]]:
    """Return the file's data as an instance of `model`, and the problems of the file.

    If there are problems, the first value is None.
    """
    try:
        return model.model_validate(file.data), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        primary_details = [detail for detail in details if not _follows_from_items(detail, details)]
        return None, sorted({_problem(model, file, detail) for detail in primary_details})


def _follows_from_items(error: ErrorDetails, all_errors: list[ErrorDetails]) -> bool:
    """Return whether an error only follows from errors in the items of a list.

    Pydantic leaves out invalid items, and may then report that the list is too short.
    """
    location = error["loc"]
    return error["type"] == "too_short" and any(
        len(other["loc"]) > len(location) and other["loc"][: len(location)] == location
        for other in all_errors
    )


def _problem(model: type[BaseModel], file: YamlFile, error: ErrorDetails) -> Problem:
    location = _file_location(file, error)
    what, remedy = _error_texts(model, file, location, error)
    fix, record = _quoting_fix(file, location, error), _record_name(model, location)
    return Problem(file.path, file.line(location), what, remedy, fix=fix, record=record)


def _quoting_fix(file: YamlFile, location: Location, error: ErrorDetails) -> Fix | None:
    """Return the fix for a text that YAML reads as another type, such as a number.

    The fix puts the text in quotes. Return None if the error has a different cause. Also return
    None for `~` and `null`, because they usually stand for a value that is missing.
    """
    written = file.written.get(location)
    if error["type"] != "string_type" or not written or error["input"] is None:
        return None
    return Fix(written, f'"{written}"')


def _file_location(file: YamlFile, error: ErrorDetails) -> Location:
    """Return the location of an error in the file.

    Pydantic adds parts to a location that are not in the file, such as the name of a union member.
    """
    location: Location = ()
    for part in error["loc"]:
        if (*location, part) in file.lines:
            location = (*location, part)
    return (*location, error["loc"][-1]) if error["type"] == "missing" else location


def _error_texts(
    model: type[BaseModel], file: YamlFile, location: Location, error: ErrorDetails
) -> tuple[str, str]:
    """Return what is wrong at `location`, and the fix."""
    if error["type"] == "portal":
        context = error["ctx"]
        return f"{_dotted_name(location)}: {context['what']}", str(context["remedy"])
    if error["type"] == "missing":
        return f'"{location[-1]}" is missing', f"add {_dotted_name(location)}"
    if error["type"] == "extra_forbidden":
        key = str(location[-1])
        return f'unknown key "{key}"', did_you_mean(key, _valid_keys(model, location))
    if error["type"] == "literal_error" and error["loc"][-1] == "[key]":
        known_keys = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        key = str(error["input"])
        return f'{_dotted_name(location[:-1])}: unknown key "{key}"', did_you_mean(key, known_keys)
    if error["type"] == "tuple_type" and file.written.get(location):
        what = f"{_dotted_name(location)}: expected a list"
        return what, _list_remedy(model, location, file.written[location])
    return _value_error_texts(_dotted_name(location), file.written.get(location), error)


def _list_remedy(model: type[BaseModel], location: Location, text: str) -> str:
    """Return the fix for a text or number in place of a list: the list, if it would be valid."""
    list_model = _model_of_key(_model_at(model, location[:-1]), location[-1])
    if list_model is None:
        return _SEE_REFERENCE
    faults = []
    for items in ([text], [part.strip() for part in text.split(",")]):
        _, problems = validate(list_model, YamlFile("", {location[-1]: items}))
        if not problems:
            return f"write [{', '.join(map(_flow_text, items))}]"
        faults.append(problems[0].remedy)
    return faults[0] if _SEE_REFERENCE in faults else f"write a list; in each entry, {faults[0]}"


@cache
def _model_of_key(model: type[BaseModel] | None, key: str | int) -> type[BaseModel] | None:
    """Return a model with only the field of `model` that has this key, or None without one."""
    fields = model.model_fields.items() if model else ()
    return next(
        (
            create_model("Value", **{name: (field.annotation, field)})  # type: ignore[call-overload]
            for name, field in fields
            if key in {name, field.alias}
        ),
        None,
    )


def _flow_text(text: str) -> str:
    """Return a text as YAML in a list on one line, in quotes if it needs them."""
    is_plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", text) and yaml.safe_load(text) == text
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _value_error_texts(name: str, written: str | None, error: ErrorDetails) -> tuple[str, str]:
    kind = error["type"]
    if kind == "string_type" and written:
        what = f"{name}: {written} is read as {_parsed_value_text(error['input'])}"
        return what, f'put it in quotes: "{written}"'
    if kind == "literal_error" and written:
        choices = str(error["ctx"]["expected"]).replace("'", '"')
        word = _OTHER_WORDS.get(written.lower(), written.lower())
        meant = [c for c in re.findall(r'"([^"]*)"', choices) if c.lower() == word]
        remedy = f'write "{meant[0]}"' if meant else f"use {choices}"
        return f'{name}: "{written}" is not known', remedy
    if kind in {"string_too_long", "too_long"}:
        unit = "characters" if isinstance(error["input"], str) else "entries"
        return f"{name}: more than {error['ctx']['max_length']} {unit}", "shorten it"
    if kind in {"string_too_short", "too_short"}:
        return f"{name}: the value is empty", "enter a value or remove the key"
    if texts := _number_error_texts(name, written, error):
        return texts
    expected = _EXPECTED.get(kind) or error["msg"].removeprefix("Input should be ")
    return f"{name}: expected {expected}".replace("'", '"'), _SEE_REFERENCE


def _number_error_texts(
    name: str, written: str | None, error: ErrorDetails
) -> tuple[str, str] | None:
    kind = error["type"]
    if kind in _NUMBER_ERRORS and (digits := _NUMBER_WITH_UNIT.fullmatch(str(error["input"]))):
        return f"{name}: expected a number", f"write {digits[1]}, without a unit"
    if kind in _BOUNDS:
        bound_text, key = _BOUNDS[kind]
        remedy = f"write a number {bound_text} {error['ctx'][key]:,}"
        return f"{name}: {written or error['input']} is out of range", remedy
    return None


def _dotted_name(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".") or "the file"


def _parsed_value_text(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    return f"the {'number' if isinstance(value, int | float) else 'date'} {value}"


def _valid_keys(model: type[BaseModel], location: Location) -> list[str]:
    """Return the valid keys of the mapping around `location`; empty if the mapping has no model."""
    record_model = _model_at(model, location[:-1])
    return (
        [field.alias or name for name, field in record_model.model_fields.items()]
        if record_model
        else []
    )


def _record_name(model: type[BaseModel], location: Location) -> str:
    """Return the name of the model that describes the part of the file around `location`.

    For example, `("options", 0, "id")` → `Option`. Empty if only the model of the whole file
    describes this part.
    """
    for end in range(len(location) - 1, 0, -1):
        if record_model := _model_at(model, location[:end]):
            return record_model.__name__
    return ""


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel] | None:
    """Return the model of the mapping at `location` of a file, or None if it has no model."""
    annotation: object = model
    for part in location:
        annotation = next(iter(_child_annotations(annotation, part)), None)
    models = (
        m for m in _union_members(annotation) if isinstance(m, type) and issubclass(m, BaseModel)
    )
    return next(models, None)


def _child_annotations(annotation: object, part: str | int) -> Iterator[object]:
    for member in _union_members(annotation):
        origin, arguments = typing.get_origin(member), typing.get_args(member)
        if isinstance(member, type) and issubclass(member, BaseModel):
            for name, field in member.model_fields.items():
                if part in {name, field.alias}:
                    yield field.annotation
        elif origin is tuple and isinstance(part, int):
            yield arguments[0]
        elif isinstance(origin, type) and issubclass(origin, Mapping):
            yield arguments[1]


def _union_members(annotation: object) -> Iterator[object]:
    """Yield the types in a union or an Annotated type."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _union_members(typing.get_args(annotation)[0])
    elif origin is typing.Union or origin is UnionType:
        for member in typing.get_args(annotation):
            yield from _union_members(member)
    else:
        yield annotation

"""From parsed YAML to a typed record: every fault with its line, in words that help."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from accelerator_portal.catalog.problem import Problem, did_you_mean
from accelerator_portal.catalog.yaml_file import Location, YamlFile

M = TypeVar("M", bound=BaseModel)


def validate(model: type[M], file: YamlFile) -> tuple[M | None, list[Problem]]:
    """Return the record, or None and every problem of the file."""
    try:
        return model.model_validate(file.data), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        return None, sorted({_problem(model, file, detail) for detail in details})


def _problem(model: type[BaseModel], file: YamlFile, error: ErrorDetails) -> Problem:
    location = tuple(part for part in error["loc"] if not _is_branch(part))
    location = _existing(file, location, error["type"])
    what, remedy = _words(model, file, location, error)
    return Problem(file.path, file.line(location), what, remedy)


def _is_branch(part: int | str) -> bool:
    """Whether pydantic put this part in to say which member of a union it tried."""
    return isinstance(part, str) and ("[" in part or "(" in part or part == "str")


def _existing(file: YamlFile, location: Location, kind: str) -> Location:
    if kind == "missing" or location in file.lines:
        return location
    return next((location[:n] for n in range(len(location), 0, -1) if location[:n] in file.lines), ())


def _words(
    model: type[BaseModel], file: YamlFile, location: Location, error: ErrorDetails
) -> tuple[str, str]:
    """Say what is wrong and what would be right."""
    name = _name(location)
    context = error.get("ctx", {})
    written = file.written.get(location)
    kind = error["type"]
    if kind == "portal":
        return f"{name}: {context['what']}", str(context["remedy"])
    if kind == "missing":
        return f'"{location[-1]}" is missing', f"add {_name(location)}"
    if kind == "extra_forbidden":
        return f'unknown key "{location[-1]}"', did_you_mean(str(location[-1]), _keys(model, location))
    if kind == "string_type" and written is not None and not isinstance(error["input"], str):
        what = f"{name}: {written} is read as {_read_as(error['input'])}"
        return what, f'put it in quotes: "{written}"'
    if kind in {"string_type", "int_type", "bool_type", "date_type"}:
        return f"{name}: a {kind.removesuffix('_type')} is expected", "see the format reference"
    if kind == "literal_error":
        known = str(context["expected"]).replace("'", '"')
        return f'{name}: "{written}" is not known', f"use {known}"
    if kind in {"tuple_type", "mapping_type", "model_type", "model_attributes_type", "dict_type"}:
        wanted = "a list" if kind == "tuple_type" else "a mapping (key: value)"
        return f"{name}: {wanted} is expected", "see the format reference"
    if kind in {"string_too_long", "too_short", "too_long", "string_too_short"}:
        message = error["msg"].replace("Value", "it").replace("Tuple", "it").replace("String", "it")
        return f"{name}: {message}", "shorten or complete it"
    return f"{name}: {error['msg']}", "see the format reference"


def _name(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".") or "the file"


def _read_as(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    return f"the {'number' if isinstance(value, int | float) else 'date'} {value}"


def _keys(model: type[BaseModel], location: Location) -> list[str]:
    """The keys that the record around `location` knows."""
    annotation: Any = model
    for part in location[:-1]:
        annotation = next(iter(_inside(annotation, part)), None)
    found = next(_models(annotation), None)
    if found is None:
        return []
    return [field.alias or name for name, field in found.model_fields.items()]


def _inside(annotation: Any, part: str | int) -> Iterator[Any]:
    for member in _members(annotation):
        origin, arguments = typing.get_origin(member), typing.get_args(member)
        if isinstance(member, type) and issubclass(member, BaseModel):
            for name, field in member.model_fields.items():
                if part in {name, field.alias}:
                    yield field.annotation
        elif origin is tuple and isinstance(part, int):
            yield arguments[0]
        elif isinstance(origin, type) and issubclass(origin, Mapping):
            yield arguments[1]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel):
            yield member


def _members(annotation: Any) -> Iterator[Any]:
    """Unwrap Annotated and unions."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _members(typing.get_args(annotation)[0])
    elif origin is typing.Union or origin is UnionType:
        for member in typing.get_args(annotation):
            yield from _members(member)
    else:
        yield annotation

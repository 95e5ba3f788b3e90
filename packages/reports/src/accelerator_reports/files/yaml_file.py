"""Parses YAML with line numbers, validates it with pydantic models, and helps to edit its text.

Only one document of mappings, lists and scalars is accepted. Anchors, aliases and tags are refused
and never resolved, so that no document can grow in memory or create objects. Duplicate keys are
refused, because YAML would silently keep the last one.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ValidationError, create_model
from pydantic_core import ErrorDetails

from accelerator_reports.files.problem import Fix, Problem, ProblemsError, did_you_mean

Location = tuple[str | int, ...]

MAX_DEPTH = 12
MAX_NODES = 20_000
MAX_NUMBER = 40

_STRING_TAG = "tag:yaml.org,2002:str"
_INTEGER_TAG = "tag:yaml.org,2002:int"

# YAML 1.1 reads `1:30` as 90, `010` as 8 and `0x10` as 16.
_ODD_INTEGER = re.compile(r"[-+]?(?:.*:.*|0[0-7_]+|0[bx].*)", re.IGNORECASE)

# Spaces that look like those of an indentation, but are text to YAML.
_ODD_SPACE = re.compile(r"[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_INDENTED_WITH_ODD_SPACE = re.compile(rf"[ -]*{_ODD_SPACE.pattern}|.*:{_ODD_SPACE.pattern}")
_ODD_SPACE_REMEDY = "use normal spaces"

# If these are not closed, libyaml reports the line at which it gives up.
_OPENING_CONTEXTS = frozenset({"while scanning a simple key", "while scanning a quoted scalar"})
_INDENTATION_REASONS = frozenset(
    {"did not find expected key", "did not find expected '-' indicator"}
)

_READ_DATE = re.compile(r"""(\bread:\s*["']?)\d{4}-\d{2}-\d{2}""")

FileModel = TypeVar("FileModel", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The data of one YAML file, with the line and the raw text of each value.

    `lines` and `written` map the location of a value to its line and its raw text. A location is
    the tuple of keys and list indexes that lead to the value: `("options", 0, "id")`.
    """

    path: str
    data: object
    lines: Mapping[Location, int] = field(default_factory=dict)
    written: Mapping[Location, str] = field(default_factory=dict)

    def line(self, location: Location) -> int:
        """Return the line of a location, or of the nearest container that has a line."""
        for end in range(len(location), -1, -1):
            if location[:end] in self.lines:
                return self.lines[location[:end]]
        return 1

    def values(self) -> Iterator[tuple[Location, object]]:
        """Yield each value of the file with its location.

        Mappings and lists are values, too, and come before their items.
        """
        return values_in(self.data)


def values_in(data: object, location: Location = ()) -> Iterator[tuple[Location, object]]:
    """Yield each value in `data` with its location, as `YamlFile.values` does.

    `location` is the location of `data` itself.
    """
    yield location, data
    if isinstance(data, Mapping):
        for key, inner in data.items():
            yield from values_in(inner, (*location, key))
    elif isinstance(data, list):
        for index, inner in enumerate(data):
            yield from values_in(inner, (*location, index))


def parse_yaml(path: str, text: str, first_line: int = 1) -> tuple[YamlFile | None, list[Problem]]:
    """Return the parsed YAML with its line numbers, and the problems.

    The first value is None if the text cannot be used at all. Problems such as duplicate keys do
    not prevent parsing. `first_line` is the line of the file at which `text` begins: 2 for front
    matter.
    """
    reader = _YamlReader(path, text, first_line)
    try:
        data = reader.read()
    except _TooLargeError:
        return None, reader.problems
    except yaml.YAMLError as error:
        return None, [*reader.problems, reader.syntax_problem(error)]
    if reader.refused:
        return None, reader.problems
    if not reader.lines:
        return None, [
            Problem(path, first_line, "the value is empty", "enter a value or remove the key")
        ]
    return YamlFile(path, data, reader.lines, reader.written), reader.problems


class _TooLargeError(Exception):
    """A YAML text has too many levels, values or documents."""


class _YamlReader:
    """Reads one YAML document, and collects lines, raw texts and problems.

    `refused` becomes true if the document contains an anchor, an alias or a tag.
    """

    def __init__(self, path: str, text: str, first_line: int) -> None:
        self.path = path
        self.first_line = first_line
        self._text_lines = text.split("\n")
        self.last = text.rstrip().count("\n")  # libyaml reports some errors after the last line
        self.lines: dict[Location, int] = {}
        self.written: dict[Location, str] = {}
        self.problems: list[Problem] = []
        self.refused = False
        self._node_count = 0
        self._flow_depth = 0  # of collections in braces and brackets
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.CSafeLoader)
        self._scalar_loader = yaml.CSafeLoader("")

    def read(self) -> object:
        """Return the data of the only document, or None if there is none."""
        data: object = None
        document_count = 0
        for event in self._events:
            document_count += isinstance(event, yaml.DocumentStartEvent)
            if document_count > 1:
                self._raise_too_large(event)
            if isinstance(event, yaml.NodeEvent):
                data = self._read_value(event, ())
        return data

    def syntax_problem(self, error: yaml.YAMLError) -> Problem:
        """Return the problem for a text that is not valid YAML."""
        is_open = getattr(error, "context", None) in _OPENING_CONTEXTS
        mark = getattr(error, "context_mark" if is_open else "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        line = min(mark.line, self.last) if mark else 0
        remedy = "check the indentation, the quotes and the brackets around this line"
        for near in (line, max(line - 1, 0)):
            if _INDENTED_WITH_ODD_SPACE.match(self._text_lines[near]):
                line, remedy = near, _ODD_SPACE_REMEDY
                reason = _odd_space_text(self._text_lines[near])
        if mark and self._is_wrongly_indented(line, mark.column, reason):
            reason = "the indentation does not match the lines above"
            remedy = "indent the line with as many spaces as the other lines on its level"
        return Problem(self.path, line + self.first_line, f"not valid YAML: {reason}", remedy)

    def _is_wrongly_indented(self, line: int, column: int, reason: str) -> bool:
        text = self._text_lines[line]
        if reason in _INDENTATION_REASONS:
            return not text[:column].strip(" ")
        above = self._text_lines[line - 1] if line else text
        is_deeper = len(above) - len(above.lstrip(" ")) < len(text) - len(text.lstrip(" "))
        return reason.startswith("mapping values") and ":" not in text[:column] and is_deeper

    def _read_value(self, event: yaml.Event, location: Location) -> object:
        self._node_count += 1
        too_deep = isinstance(event, yaml.CollectionStartEvent) and len(location) >= MAX_DEPTH
        if too_deep or self._node_count > MAX_NODES:
            self._raise_too_large(event)
        self._refuse(event)
        self.lines.setdefault(location, self._line_of(event))
        if isinstance(event, yaml.ScalarEvent):
            self.written[location] = event.value
            return self._parse_scalar(event)
        data: object = None
        self._flow_depth += bool(getattr(event, "flow_style", False))
        if isinstance(event, yaml.MappingStartEvent):
            data = dict(self._mapping_items(location))
        elif isinstance(event, yaml.SequenceStartEvent):
            indexed_events = enumerate(self._events_until(yaml.SequenceEndEvent))
            data = [self._read_value(item, (*location, index)) for index, item in indexed_events]
        self._flow_depth -= bool(getattr(event, "flow_style", False))
        return data

    def _refuse(self, event: yaml.Event) -> None:
        value = event.value if isinstance(event, yaml.ScalarEvent) and event.implicit[0] else ""
        if self._flow_depth and "?" in value:
            # libyaml reads it, but PyYAML's own parser and others do not.
            what = "a ? within braces or brackets is not read by all YAML parsers"
            self._add_problem(self._line_of(event), what, "put the text in quotes")
        for what, remedy in _refused_features(event):
            self._add_problem(self._line_of(event), what, remedy)
            self.refused = True

    def _mapping_items(self, location: Location) -> Iterator[tuple[str, object]]:
        line_by_key: dict[str, int] = {}
        for event in self._events_until(yaml.MappingEndEvent):
            # As written: YAML 1.1 would read `on` as true.
            key = str(event.value) if isinstance(event, yaml.ScalarEvent) else None
            line = self._line_of(event)
            if key is not None:
                self._refuse(event)
            if key is None:
                self._read_value(event, (*location, "?"))
                self._add_problem(
                    line, "a key must be text, not a list or a mapping", "use plain text as key"
                )
            elif _ODD_SPACE.match(key):
                self._add_problem(line, _odd_space_text(key), _ODD_SPACE_REMEDY)
                self.refused = True
            elif key in line_by_key:
                what = f'the key "{key}" is already used in line {line_by_key[key]}'
                self._add_problem(line, what, "remove one of the two")
            if key is None or key in line_by_key:
                self._read_value(next(self._events), (*location, "?"))
                continue
            line_by_key[key] = line
            value_location = (*location, key)
            self.lines[value_location] = line
            yield key, self._read_value(next(self._events), value_location)

    def _events_until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event

    def _parse_scalar(self, event: yaml.ScalarEvent) -> object:
        tag = self._scalar_loader.resolve(  # type: ignore[no-untyped-call]
            yaml.ScalarNode, event.value, event.implicit
        )
        if tag == _STRING_TAG:  # most scalars
            return event.value
        if len(event.value) > MAX_NUMBER:  # Python reads huge numbers slowly and can't print them
            what = f'"{event.value[:MAX_NUMBER]}…" is too long for a number or a date'
            self._add_problem(self._line_of(event), what, "quote it if it is text")
            return event.value
        if tag == _INTEGER_TAG and _ODD_INTEGER.fullmatch(event.value):
            what = f'"{event.value}" would be read as a different number'
            self._add_problem(
                self._line_of(event), what, "write plain digits, or quote it if it is text"
            )
            return event.value
        try:
            return self._scalar_loader.construct_object(yaml.ScalarNode(tag, event.value))
        except (ValueError, OverflowError, yaml.YAMLError) as error:
            what = f'"{event.value}" cannot be read ({error})'
            self._add_problem(self._line_of(event), what, "quote it if it is text")
            return event.value

    def _raise_too_large(self, event: yaml.Event) -> NoReturn:
        limit = f"one document, at most {MAX_DEPTH} levels and {MAX_NODES:,} values"
        self._add_problem(self._line_of(event), "the file is too deep or too large", f"use {limit}")
        raise _TooLargeError

    def _line_of(self, event: yaml.Event) -> int:
        # libyaml also counts line breaks of Unicode, such as U+2028.
        line = event.start_mark.line if event.start_mark else 0
        return min(line, self.last) + self.first_line

    def _add_problem(self, line: int, what: str, remedy: str) -> None:
        self.problems.append(Problem(self.path, line, what, remedy))


def _odd_space_text(text: str) -> str:
    space = _ODD_SPACE.findall(text)[0]
    name = "a tab" if space == "\t" else f"the character U+{ord(space):04X}"
    return f"{name} is not a space in YAML"


def _refused_features(event: yaml.Event) -> Iterator[tuple[str, str]]:
    if isinstance(event, yaml.AliasEvent):
        yield f"the alias *{event.anchor} is not allowed", "repeat the text"
        return
    anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
    if anchor:
        yield f"the anchor &{anchor} is not allowed", "repeat the text instead"
    if tag:
        yield f"the tag {tag} is not allowed", "write plain text, lists and mappings"


def read_for_edit(
    path: str, text: str, model: type[FileModel], entry: str
) -> tuple[FileModel, YamlFile]:
    """Return a YAML text as an instance of `model`, and the parsed text with its line numbers.

    Raises ProblemsError if the text is not valid. The error message contains `entry`, a noun for
    what the caller wants to add, such as `release`.
    """
    file, problems = parse_yaml(path, text)
    if file is None or problems:
        raise ProblemsError(problems)
    try:
        return model.model_validate(file.data), file
    except ValidationError:
        what = f"the file is not valid, so no {entry} can be added"
        raise edit_error(path, 1, what, "fix what `accelerator-portal check` reports") from None


def edit_error(path: str, line: int, what: str, remedy: str) -> ProblemsError:
    """Return the error for a text that cannot be edited."""
    return ProblemsError([Problem(path, line, what, remedy)])


def replace_read_date(line: str, day: dt.date) -> str:
    """Return a line such as `read: 2026-11-21` with `day` in place of its date."""
    return _READ_DATE.sub(rf"\g<1>{day}", line, count=1)


def comment_start(lines: list[str], at: int) -> int:
    """Return the index of the first comment line directly above `lines[at]`.

    If there is no comment, return `at`.
    """
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


# Validates parsed YAML with pydantic models, and reports each error with its line.

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

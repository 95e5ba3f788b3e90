"""YAML as contributors write it, turned into plain data that remembers its lines.

Only what the portal's files need is accepted: one document of mappings, lists and scalars. Anchors,
aliases and tags are refused before anything is built, so no document can grow in memory or make
objects; duplicate keys are refused because YAML would silently keep the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from accelerator_portal.catalog.problem import Problem

Location = tuple[str | int, ...]

MAX_DEPTH = 12
MAX_NODES = 20_000

_TEXT = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The data of one file. `lines` and `written` map a location to its line and its raw text."""

    path: str
    data: object
    lines: Mapping[Location, int] = field(default_factory=dict)
    written: Mapping[Location, str] = field(default_factory=dict)

    def line(self, location: Location) -> int:
        """Return the line of `location`, or of the nearest thing around it that was written."""
        for end in range(len(location), -1, -1):
            if location[:end] in self.lines:
                return self.lines[location[:end]]
        return 1


def parse_yaml(path: str, text: str, first_line: int = 1) -> tuple[YamlFile | None, list[Problem]]:
    """Parse `text`; `first_line` is its line in `path` (front matter starts at 2).

    The file is None when the text is no YAML at all; otherwise problems may still stand beside it.
    """
    reader = _Reader(path, text, first_line)
    try:
        reader.survey(text)
        if reader.problems:
            return None, reader.problems
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        return None, [*reader.problems, reader.syntax_problem(error)]
    except RecursionError:
        return None, [Problem(path, first_line, "nested too deeply", "flatten it")]
    if node is None:
        return None, [Problem(path, first_line, "there is nothing here", "fill it or remove it")]
    data = reader.build(node, ())
    return YamlFile(path, data, reader.lines, reader.written), reader.problems


class _Reader:
    """Walks one document; collects lines, raw texts and problems."""

    def __init__(self, path: str, text: str, first_line: int) -> None:
        self.path = path
        self.first_line = first_line
        self.last = text.rstrip().count("\n")  # libyaml finds what is missing after the end
        self.lines: dict[Location, int] = {}
        self.written: dict[Location, str] = {}
        self.problems: list[Problem] = []
        self._scalars = yaml.CSafeLoader("")

    def survey(self, text: str) -> None:
        """Refuse what must not be built: anchors, aliases, tags, depth, number, more documents."""
        depth = nodes = documents = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            line = event.start_mark.line if event.start_mark else 0
            if isinstance(event, yaml.NodeEvent):
                nodes += 1
                depth += isinstance(event, yaml.CollectionStartEvent)
                for what, remedy in _refusals(event):
                    self._add(line, what, remedy)
            else:
                depth -= isinstance(event, yaml.CollectionEndEvent)
                documents += isinstance(event, yaml.DocumentStartEvent)
            if depth > MAX_DEPTH or nodes > MAX_NODES or documents > 1:
                limit = f"one document, at most {MAX_DEPTH} levels and {MAX_NODES:,} values"
                self._add(line, "the file is too deep or too large", f"use {limit}")
                return

    def syntax_problem(self, error: yaml.YAMLError) -> Problem:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        line = min(mark.line, self.last) if mark else 0
        remedy = "check the indentation, the quotes and the brackets around this line"
        return Problem(self.path, line + self.first_line, f"not valid YAML: {what}", remedy)

    def build(self, node: yaml.Node, location: Location) -> object:
        line = min(node.start_mark.line, self.last)
        self.lines.setdefault(location, line + self.first_line)
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, location))
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*location, i)) for i, child in enumerate(node.value)]
        self.written[location] = node.value
        return self._scalar(node)

    def _items(self, node: yaml.MappingNode, location: Location) -> Iterator[tuple[str, object]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line
            if not isinstance(key_node, yaml.ScalarNode):
                self._add(line, "a key is a list or a mapping", "use plain text as key")
                continue
            key = str(key_node.value)  # as written: YAML 1.1 would read `on` as true
            if key in seen:
                what = f'the key "{key}" stands already in line {seen[key] + self.first_line}'
                self._add(line, what, "keep one of the two")
                continue
            seen[key] = line
            self.lines[(*location, key)] = line + self.first_line
            yield key, self.build(value_node, (*location, key))

    def _scalar(self, node: yaml.Node) -> object:
        if node.tag == _TEXT:  # most of them
            return node.value
        try:
            return self._scalars.construct_object(node)
        except (ValueError, OverflowError, yaml.YAMLError) as error:
            what = f'"{str(node.value)[:40]}" cannot be read ({error})'
            self._add(node.start_mark.line, what, "put it in quotes if it is text")
            return node.value

    def _add(self, line: int, what: str, remedy: str) -> None:
        line = min(line, self.last) + self.first_line
        self.problems.append(Problem(self.path, line, what, remedy))


def _refusals(event: yaml.NodeEvent) -> Iterator[tuple[str, str]]:
    if isinstance(event, yaml.AliasEvent):
        yield f"the alias *{event.anchor} is not allowed", "repeat the text"
        return
    if event.anchor:
        yield f"the anchor &{event.anchor} is not allowed", "repeat the text where it is needed"
    tag = getattr(event, "tag", None)
    if tag:
        yield f"the tag {tag} is not allowed", "write plain text, lists and mappings"

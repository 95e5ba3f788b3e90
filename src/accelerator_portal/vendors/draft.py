"""A vendor's folder as data, from what is known so far; and the texts of its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from accelerator_portal.catalog.markdown_file import CITATION, GUIDE_HEADINGS

Record = Mapping[str, Any]

_NEXT = "# Next: "
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Hint:
    """What to fill in next in a file; in a Markdown file under which heading."""

    file: str
    words: str
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a platform; what is not known is left out.

    `sources` are all of them by id: each file declares those that it names. `accelerator`,
    `install` and `rows` are the keys of the YAML files; `guide` is Markdown by heading, `questions`
    are the answers by question.
    """

    sources: Mapping[str, Record]
    accelerator: Record
    install: Record
    rows: Sequence[Record]
    guide: Mapping[str, str]
    questions: Mapping[str, str]
    hints: Sequence[Hint] = field(default=())


def folder_files(draft: Draft) -> dict[str, str]:
    """Return the text of each file by its name."""
    return {
        "accelerator.yaml": _yaml_file(draft, "accelerator.yaml", draft.accelerator),
        "install.yaml": _yaml_file(draft, "install.yaml", draft.install),
        "compatibility.yaml": _yaml_file(draft, "compatibility.yaml", {"rows": [*draft.rows]}),
        "guide.md": _markdown_file(
            draft, {h: draft.guide[h] for h in GUIDE_HEADINGS if h in draft.guide}
        ),
        "faq.md": _markdown_file(draft, draft.questions),
    }


def places(draft: Draft, files: Mapping[str, str]) -> Iterator[tuple[Hint, int]]:
    """Yield each hint with the line of its file where it stands."""
    for hint in draft.hints:
        line = f"## {hint.heading}" if hint.heading else _NEXT + hint.words
        yield hint, files[hint.file].split("\n").index(line) + 1


def _yaml_file(draft: Draft, name: str, record: Record) -> str:
    schema = f"../../data/schema/{name.removesuffix('.yaml')}.schema.json"
    hints = [f"{_NEXT}{hint.words}\n" for hint in draft.hints if hint.file == name]
    sources = _used(draft, _named(record))
    text = _yaml({"sources": sources, **record})
    return f"# yaml-language-server: $schema={schema}\n{text}{''.join(hints)}"


def _markdown_file(draft: Draft, sections: Mapping[str, str]) -> str:
    body = "\n".join(f"## {title}\n\n{text}\n" for title, text in sections.items())
    sources = _used(draft, CITATION.findall(body))
    return f"---\n{_yaml({'sources': sources})}---\n\n{body}"


def _used(draft: Draft, named: Sequence[str]) -> dict[str, Record]:
    """The sources that are named; all of them where none is, as a file must have one."""
    return {id_: s for id_, s in draft.sources.items() if id_ in named} or dict(draft.sources)


def _named(value: object) -> list[str]:
    if isinstance(value, Mapping):
        own = value.get("source", [])
        inner = [name for key, item in value.items() if key != "source" for name in _named(item)]
        return [*([own] if isinstance(own, str) else own), *inner]
    if isinstance(value, list | tuple):
        return [name for item in value for name in _named(item)]
    return []


class _Dumper(yaml.SafeDumper):
    """As people write it: lists further in than their key, short ones in a line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002 - PyYAML's
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if text[:1].isdigit() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    short = all(isinstance(item, str) for item in items) and sum(map(len, items)) < _SHORT
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=short)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def _yaml(data: Record) -> str:
    text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return str(text)

"""Writes data as YAML text in the style of the portal's files."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import BaseModel

_MAX_INLINE_LENGTH = 60


class _PortalDumper(yaml.SafeDumper):
    """A YAML dumper that indents lists below their key; short lists of texts are on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002 - PyYAML's
        super().increase_indent(flow, indentless=False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if text[:1].isdigit() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    short = (
        all(isinstance(item, str) for item in items) and sum(map(len, items)) < _MAX_INLINE_LENGTH
    )
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=short)


_PortalDumper.add_representer(str, _represent_text)
_PortalDumper.add_representer(list, _represent_list)


def yaml_text(data: object) -> str:
    """Return data as YAML text, with a line for each value that is not short."""
    text = yaml.dump(data, Dumper=_PortalDumper, sort_keys=False, allow_unicode=True, width=120)
    return str(text)


def yaml_lines(data: object, indent: str) -> list[str]:
    """Return the lines of `yaml_text`, each after `indent`."""
    return [f"{indent}{line}" for line in yaml_text(data).removesuffix("\n").split("\n")]


def yaml_line(data: object) -> str:
    """Return data as YAML on one line, such as `{variant: cu130, arch: [x86_64]}`."""
    text = yaml.dump(
        data,
        Dumper=_PortalDumper,
        sort_keys=False,
        allow_unicode=True,
        width=10**6,
        default_flow_style=True,
    )
    return str(text).rstrip("\n")


def cited_record(record: BaseModel) -> dict[str, Any]:
    """Return the fields of a record that differ from their defaults; `source` comes last.

    A single source is an id, not a list of ids.
    """
    fields = record.model_dump(exclude_defaults=True)
    data = {key: [*value] if isinstance(value, tuple) else value for key, value in fields.items()}
    if source := data.pop("source", None):
        data["source"] = source[0] if len(source) == 1 else source
    return data

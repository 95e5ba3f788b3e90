"""Lists what was added, removed or changed between two JSON values of any structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Literal

from accelerator_reports.files.fields import StrictModel

ItemChange = Literal["added", "gone", "changed"]

DifferenceSection = Literal[
    "commands", "outcomes", "versions", "facts", "texts", "reports", "evidence", "pages"
]

MOST_CHARACTERS = 300
"""Longer texts are cut."""

# Keys that name an entry of a list; the first key whose value is a text counts.
_NAME_KEYS = ("id", "name", "title", "github", "question", "version", "command")

# Keys that together name a version row. A row with a newer plugin is the same row.
_VERSION_ROW_KEYS = ("torch", "variant")

# The number of characters shown before the first difference of two long texts.
_CONTEXT_LENGTH = 40

_FALSE_AND_TRUE = ("no", "yes")


class Item(StrictModel):
    """A command, fact, text, report or page that is new, removed or changed."""

    section: DifferenceSection
    """Where it is listed."""
    change: ItemChange
    """Whether it is new, removed or changed."""
    name: str
    """Its name, for example `hardware: Hopper`, or the selections of a command."""
    before: str | None = None
    """The text before, shortened if long. None if the item is new or its text isn't shown."""
    after: str | None = None
    """The text now, in the same form."""
    is_new_failure: bool = False
    """Whether it is a test that passed before and fails now."""


def change_kind(before: object, after: object) -> ItemChange:
    """Return `added`, `gone` or `changed` for two values; None stands for an absent value."""
    if before is None:
        return "added"
    return "gone" if after is None else "changed"


def changes(section: DifferenceSection, before: Any, after: Any, name: str = "") -> Iterator[Item]:  # noqa: ANN401 - any JSON
    """Yield the parts of a value that were added, removed or changed, in the order of `after`.

    `name` is the name of the whole value, such as `hardware`. The names of all yielded items start
    with it: `hardware: Hopper`. Mappings in a list are matched by name, not by position. Lists
    with other entries are compared as texts.
    """
    if before == after or (_is_empty(before) and _is_empty(after)):
        return
    old, new = (_by_name(value) if _is_table(value) else value for value in (before, after))
    if (old is None and _is_collection(new)) or (new is None and _is_collection(old)):
        old, new = old or {}, new or {}
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*new, *old)):
            full_name = shortened(f"{name}: {key}" if name else key)
            yield from changes(section, old.get(key), new.get(key), full_name)
        if old.keys() == new.keys() and list(old) != list(new) and _is_table(after):
            full_name = shortened(f"{name}: order" if name else "order")
            yield Item(section=section, change="changed", name=full_name)
        return
    old_text, new_text = (None if v is None else _plain_text(v) for v in (before, after))
    if old_text and new_text and max(len(old_text), len(new_text)) > MOST_CHARACTERS:
        equal = takewhile(lambda pair: pair[0] == pair[1], zip(old_text, new_text, strict=False))
        if (start := sum(1 for _ in equal) - _CONTEXT_LENGTH) > 0:
            old_text, new_text = f"…{old_text[start:]}", f"…{new_text[start:]}"
    change = change_kind(before, after)
    yield Item(
        section=section,
        change=change,
        name=name,
        before=old_text and shortened(old_text),
        after=new_text and shortened(new_text),
    )


def shortened(text: str) -> str:
    """Return a text, or its first `MOST_CHARACTERS` characters and `…` if it is longer."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _is_empty(value: object) -> bool:
    return value is None or value in ([], (), {}, "")


def _is_table(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _is_collection(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(v, Mapping) for v in value.values())


def _by_name(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the mappings of a list by name, in their order.

    If several mappings have the same name, a number is appended: `Hopper (2)`, `Hopper`. The last
    one has none, because new entries come first.
    """
    entry_by_name: dict[str, Mapping[str, Any]] = {}
    for entry in reversed(entries):
        name = base = _entry_name(entry)
        number = 1
        while name in entry_by_name:
            number += 1
            name = f"{base} ({number})"
        entry_by_name[name] = entry
    return dict(reversed(entry_by_name.items()))


def _entry_name(entry: Mapping[str, Any]) -> str:
    """Return a name for a mapping in a list, such as the value of its key `id` or `title`.

    The name is the first text among the values of the keys `_NAME_KEYS`. Without such a text, the
    name has the keys and values of `_VERSION_ROW_KEYS`: `torch 2.9.0, variant cu130`. If the
    mapping has none of these keys, the name lists all keys and values of the mapping.
    """
    for key in _NAME_KEYS:
        if isinstance(entry.get(key), str):
            return str(entry[key])
    parts = [f"{key} {entry[key]}" for key in _VERSION_ROW_KEYS if key in entry]
    return ", ".join(parts) or _plain_text(entry)


def _plain_text(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, bool):
        return _FALSE_AND_TRUE[value]
    if isinstance(value, Mapping):
        items = ((k, v) for k, v in value.items() if k != "source" and not _is_empty(v))
        return "; ".join(f"{key}: {_plain_text(inner)}" for key, inner in items)
    if isinstance(value, list):
        return ", ".join(
            _entry_name(entry) if isinstance(entry, Mapping) else _plain_text(entry)
            for entry in value
        )
    return str(value)

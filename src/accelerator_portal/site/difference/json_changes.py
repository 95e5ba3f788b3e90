"""Compares two JSON values of any structure, and lists what was added, removed or changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from accelerator_portal.site.difference.shapes import MOST_CHARACTERS, Item, change_kind

# Keys that name an entry of a list; the first key whose value is a text counts.
_NAME_KEYS = ("id", "name", "title", "github", "question", "version", "command")

# Keys that together name a version row.
_VERSION_ROW_KEYS = ("torch", "plugin", "variant")

# The number of characters shown before the first difference of two long texts.
_CONTEXT_LENGTH = 40

_FALSE_AND_TRUE = ("no", "yes")


def changes(before: Any, after: Any, name: str = "") -> Iterator[Item]:  # noqa: ANN401 - any JSON
    """Yield the parts of a value that were added, removed or changed, in the order of `after`.

    `name` is the name of the whole value, such as `hardware`. The names of all yielded items start
    with it: `hardware: Hopper`. Mappings in a list are matched by name, not by position. Lists
    with other entries are compared as texts.
    """
    if before == after or (_is_absent_or_empty(before) and _is_absent_or_empty(after)):
        return
    if before is None or after is None:
        change = change_kind(before, after)
        yield Item(change=change, name=name, before=short_text(before), after=short_text(after))
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _entry_changes(before, after, name)
    elif _is_table(before) and _is_table(after):
        yield from _table_changes(_by_name(before), _by_name(after), name)
    else:
        old_text, new_text = _from_first_difference(_plain_text(before), _plain_text(after))
        yield Item(
            change="changed", name=name, before=shortened(old_text), after=shortened(new_text)
        )


def short_text(value: Any) -> str | None:  # noqa: ANN401 - any JSON
    """Return a value as a short text; None if the value is None."""
    return None if value is None else shortened(_plain_text(value))


def shortened(text: str) -> str:
    """Return a text, or its first `MOST_CHARACTERS` characters and `…` if it is longer."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _from_first_difference(old: str, new: str) -> tuple[str, str]:
    """Return two texts, both shortened at the start so that their first difference is visible.

    `…` replaces the beginning that is the same in both texts. The last `_CONTEXT_LENGTH` characters
    before the difference are kept. If neither text has more than `MOST_CHARACTERS` characters, both
    texts are returned unchanged.
    """
    if max(len(old), len(new)) <= MOST_CHARACTERS:
        return old, new
    common_length = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    )
    start = common_length - _CONTEXT_LENGTH
    return (f"…{old[start:]}", f"…{new[start:]}") if start > 0 else (old, new)


def _table_changes(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> Iterator[Item]:
    yield from _entry_changes(old, new, name)
    if old.keys() == new.keys() and list(old) != list(new):
        yield Item(change="changed", name=_full_name(name, "order"))


def _entry_changes(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> Iterator[Item]:
    for key in dict.fromkeys((*new, *old)):
        yield from changes(old.get(key), new.get(key), _full_name(name, key))


def _full_name(name: str, key: str) -> str:
    return shortened(f"{name}: {key}" if name else key)


def _is_absent_or_empty(value: object) -> bool:
    return value is None or value in ([], {}, "")


def _is_table(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _by_name(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the mappings of a list by name.

    If several mappings have the same name, a number is appended from the second one on: `Hopper`,
    `Hopper (2)`.
    """
    entry_by_name: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        name = base = _entry_name(entry)
        number = 1
        while name in entry_by_name:
            number += 1
            name = f"{base} ({number})"
        entry_by_name[name] = entry
    return entry_by_name


def _entry_name(entry: Mapping[str, Any]) -> str:
    """Return a name for a mapping in a list, such as the value of its key `id` or `title`.

    The name is the first text among the values of the keys `_NAME_KEYS`. Without such a text, the
    name has the keys and values of `_VERSION_ROW_KEYS`: `torch 2.9.0, plugin 2.9.0`. If the mapping
    has none of these keys, the name lists all keys and values of the mapping.
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
        items = ((k, v) for k, v in value.items() if k != "source" and not _is_absent_or_empty(v))
        return "; ".join(f"{key}: {_plain_text(inner)}" for key, inner in items)
    if isinstance(value, list):
        entry_texts = (
            _entry_name(entry) if isinstance(entry, Mapping) else _plain_text(entry)
            for entry in value
        )
        return ", ".join(entry_texts)
    return str(value)

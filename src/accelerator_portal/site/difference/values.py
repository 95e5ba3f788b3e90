"""Compares two JSON values of any shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from accelerator_portal.site.difference.shapes import MOST_CHARACTERS, Item, change_of

# Keys that name an entry of a list; the first key whose value is a text counts.
_NAMES = ("id", "name", "title", "github", "question", "version", "command")

# Keys that together name a version row.
_VERSION_ROW = ("torch", "plugin", "variant")

# The number of characters shown before the first difference of two long texts.
_CONTEXT = 40

_FALSE_AND_TRUE = ("no", "yes")


def changes(before: Any, after: Any, name: str = "") -> Iterator[Item]:  # noqa: ANN401 - any JSON
    """Yield the items that were added, removed or changed, in the order of the newer value.

    Mappings in a list are matched by name, not by position. Other lists are compared as texts. The
    names of all items begin with `name`, the name of the compared value: `hardware: Hopper`.
    """
    if before == after or (_is_nothing(before) and _is_nothing(after)):
        return
    if before is None or after is None:
        change = change_of(before, after)
        yield Item(change=change, name=name, before=words(before), after=words(after))
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _entries(before, after, name)
    elif _is_table(before) and _is_table(after):
        yield from _tables(_by_name(before), _by_name(after), name)
    else:
        old, new = _apart(_words(before), _words(after))
        yield Item(change="changed", name=name, before=shortened(old), after=shortened(new))


def words(value: Any) -> str | None:  # noqa: ANN401 - any JSON
    """Return a value as a short text; None if the value is None."""
    return None if value is None else shortened(_words(value))


def shortened(text: str) -> str:
    """Return a text, or its first `MOST_CHARACTERS` characters and `…` if it is longer."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _apart(old: str, new: str) -> tuple[str, str]:
    """Return two texts from shortly before their first difference.

    `…` stands for the omitted start. If neither text has more than `MOST_CHARACTERS` characters,
    both texts are returned unchanged.
    """
    if max(len(old), len(new)) <= MOST_CHARACTERS:
        return old, new
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    start = same - _CONTEXT
    return (f"…{old[start:]}", f"…{new[start:]}") if start > 0 else (old, new)


def _tables(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> Iterator[Item]:
    yield from _entries(old, new, name)
    if old.keys() == new.keys() and list(old) != list(new):
        yield Item(change="changed", name=_joined(name, "order"))


def _entries(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> Iterator[Item]:
    for key in dict.fromkeys((*new, *old)):
        yield from changes(old.get(key), new.get(key), _joined(name, key))


def _joined(name: str, key: str) -> str:
    return shortened(f"{name}: {key}" if name else key)


def _is_nothing(value: object) -> bool:
    return value is None or value in ([], {}, "")


def _is_table(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _by_name(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return entries by name. The second entry with the same name becomes `name (2)`."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        name = base = _name(entry)
        number = 1
        while name in found:
            number += 1
            name = f"{base} ({number})"
        found[name] = entry
    return found


def _name(entry: Mapping[str, Any]) -> str:
    """Return the name of an entry: the text under the first key of `_NAMES` that has a text.

    Other entries are named by the versions of a version row (`torch 2.9.0, plugin 2.9.0`). If an
    entry has no versions, its name consists of all its values.
    """
    for key in _NAMES:
        if isinstance(entry.get(key), str):
            return str(entry[key])
    parts = [f"{key} {entry[key]}" for key in _VERSION_ROW if key in entry]
    return ", ".join(parts) or _words(entry)


def _words(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, bool):
        return _FALSE_AND_TRUE[value]
    if isinstance(value, Mapping):
        told = ((k, v) for k, v in value.items() if k != "source" and not _is_nothing(v))
        return "; ".join(f"{key}: {_words(inner)}" for key, inner in told)
    if isinstance(value, list):
        named = (_name(entry) if isinstance(entry, Mapping) else _words(entry) for entry in value)
        return ", ".join(named)
    return str(value)

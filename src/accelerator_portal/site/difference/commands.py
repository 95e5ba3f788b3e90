"""Compares a platform's install commands on two sites, for each selection of settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

from accelerator_portal.catalog.wording import count
from accelerator_portal.install.axes import AXES
from accelerator_portal.install.formats import STATED
from accelerator_portal.site.api_shapes import InstallData
from accelerator_portal.site.difference.shapes import MOST_PLACES, CommandChange, Item, ItemChange
from accelerator_portal.site.difference.values import changes, shortened
from accelerator_portal.site.words import listed, python_range

# Limits on the lines of a command, and on the values of an axis that are listed.
MOST_LINES = 40
MOST_VALUES = 4

_BESIDE = ("needs", "check", "note", "lifecycle")
_SHOWN_WHEN_NEW = ("needs", "note")
_ANY = ""


class ReaderChoice(NamedTuple):
    """A reader's selection in the install selector, as ids of values.

    `system` is an operating system and an architecture: `linux x86_64`. `build` is a release or
    `preview`. `python` is empty if every Python version gets the same commands. `variant` is empty
    if the platform has no variants.
    """

    system: str
    method: str
    python: str
    build: str
    variant: str


class ShownCommand(NamedTuple):
    """The commands for a selection, and the texts next to the commands.

    `commands` has one entry for each line. `beside` has the requirements, the check, the note and
    the lifecycle. An absent text is None.
    """

    commands: tuple[str, ...]
    beside: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The commands for every selection of a platform, and the labels of values.

    `shown` has the commands by selection. The keys of `labels` are pairs of a field of
    `ReaderChoice` and a value id: `("method", "pip")`.
    """

    shown: Mapping[ReaderChoice, ShownCommand]
    labels: Mapping[tuple[str, str], str]


_Box = tuple[frozenset[str], ...]
"""A set of values for each field of `ReaderChoice`; stands for all combinations of these values."""

# Sets are merged along the axes in this order: Python first, which has the most values.
_GROWING = ("python", "system", "method", "variant", "build")


_Lines = tuple[tuple[str, ...], tuple[str, ...]]
"""The commands before and after the change."""

_Edit = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""The replaced words of commands, each with the words that replace them."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A change that several commands can share, such as the commands for several releases.

    `edit` has the replaced words, or all lines of a new or removed command. If only the texts next
    to the command changed, `edit` is empty. `beside` has the changes of these texts.
    """

    change: ItemChange
    edit: _Edit | _Lines
    beside: tuple[Item, ...]


def choices(data: InstallData) -> Choices:
    """Return the commands for every selection of a platform.

    Methods that the portal derives from other methods are omitted. Raises LookupError, TypeError or
    ValueError if an install row lacks a value or contains an invalid index.
    """
    found: dict[ReaderChoice, ShownCommand] = {}
    labels: dict[tuple[str, str], str] = {}
    for numbers in zip(*data.rows.values(), strict=True):
        row = dict(zip(data.rows, numbers, strict=True))
        if _value(data.axes["method"], row["method"])[0] not in STATED:
            continue  # derived from another row, and changes together with it
        shown = _shown(data, row)
        for choice in _choices(data, row, labels):
            found.setdefault(choice, shown)
    return Choices(found, labels)


def variants(found: Choices) -> dict[str, str]:
    """Return the labels of a platform's variants by variant id.

    The result is empty if the platform has no variants.
    """
    return {value: label for (axis, value), label in found.labels.items() if axis == "variant"}


def command_changes(before: Choices, after: Choices) -> list[CommandChange]:
    """Return the changed commands.

    Selections whose commands changed in the same way share one entry.
    """
    ways: dict[_Way, dict[_Lines, list[ReaderChoice]]] = {}
    for choice in dict.fromkeys((*after.shown, *before.shown)):
        old, new = before.shown.get(choice), after.shown.get(choice)
        if old != new:
            way, lines = _way(old, new)
            ways.setdefault(way, {}).setdefault(lines, []).append(choice)
    labels = {**before.labels, **after.labels}
    return [_change(way, alike, labels) for way, alike in ways.items()]


def described(found: Sequence[ReaderChoice], labels: Mapping[tuple[str, str], str]) -> list[str]:
    """Return descriptions of selections. One description can cover several selections.

    For example, `Linux x86-64, pip, Python 3.11–3.14, PyTorch 2.15.0`. `labels` has the form of
    `Choices.labels`.
    """
    boxes: dict[_Box, None] = {
        tuple(frozenset((value,)) for value in choice): None for choice in found
    }
    for axis in map(ReaderChoice._fields.index, _GROWING):
        together: dict[_Box, frozenset[str]] = {}
        for box in boxes:
            rest = (*box[:axis], *box[axis + 1 :])
            together[rest] = together.get(rest, frozenset()) | box[axis]
        boxes = {(*rest[:axis], values, *rest[axis:]): None for rest, values in together.items()}
    return [_words(box, found, labels) for box in boxes]


def _value(values: Sequence[Any], place: int) -> Any:  # noqa: ANN401 - an entry of a table
    if place == -1:
        return None
    if place < 0:
        raise LookupError(place)
    return values[place]


def _shown(data: InstallData, row: Mapping[str, int]) -> ShownCommand:
    needs = _value(data.needs, row["needs"]) or ()
    check = _value(data.check, row["check"])
    stage = _value(data.stage, row["stage"])
    return ShownCommand(
        tuple((_value(data.commands, row["commands"]) or "").split("\n")),
        (
            "; ".join(" ".join(filter(None, need)) for need in needs) or None,
            f"{check[0]} prints {' / '.join(check[1].split())}" if check else None,
            _value(data.note, row["note"]),
            " until ".join(filter(None, stage)) if stage else None,
        ),
    )


def _choices(
    data: InstallData, row: Mapping[str, int], labels: dict[tuple[str, str], str]
) -> Iterator[ReaderChoice]:
    """Yield the selections to which an install row applies, one for each Python version.

    The function also adds the labels of the selected values to `labels`.
    """
    axes = data.axes
    platform = _value(axes["platform"], row["platform"])[0]
    variant = _value(data.variants.get(platform, ()), row["variant"]) or (_ANY, _ANY)
    build = _value(axes["build"], row["build"])
    parts = [_value(axes[axis], row[axis]) or (_ANY, _ANY) for axis in _system_axes(axes)]
    system = (" ".join(part[0] for part in parts), " ".join(part[1] for part in parts).strip())
    method = _value(axes["method"], row["method"])
    picked = {"system": system, "method": method, "build": build, "variant": variant}
    for axis, value in picked.items():
        labels[axis, value[0]] = value[1]
    pythons = _value(data.pythons, row["pythons"])
    for place in (None,) if pythons is None else pythons:
        python = _ANY if place is None else _value(axes["python"], place)[0]
        yield ReaderChoice(system[0], method[0], python, build[0], variant[0])


def _system_axes(axes: Iterable[str]) -> list[str]:
    """Return the axes that form `ReaderChoice.system`: `os` and `arch`."""
    return [axis.id for axis in AXES if not axis.own_column and axis.id in axes]


def _way(old: ShownCommand | None, new: ShownCommand | None) -> tuple[_Way, _Lines]:
    if old is None or new is None:
        before, after = (shown.commands if shown else () for shown in (old, new))
        said = zip(_BESIDE, new.beside, strict=True) if new else ()
        beside = tuple(
            Item(change="added", name=name, after=shortened(text))
            for name, text in said
            if text and name in _SHOWN_WHEN_NEW
        )
        return _Way("added" if new else "gone", (before, after), beside), (before, after)
    said_before, said_now = (dict(zip(_BESIDE, s.beside, strict=True)) for s in (old, new))
    beside = tuple(changes(said_before, said_now))
    if old.commands == new.commands:
        return _Way("changed", (), beside), ((), ())
    return _Way("changed", _edit(old.commands, new.commands), beside), (old.commands, new.commands)


@cache
def _edit(before: tuple[str, ...], after: tuple[str, ...]) -> _Edit:
    old, new = ("\n".join(lines).replace("\n", " \n ").split(" ") for lines in (before, after))
    return tuple(
        (tuple(old[i1:i2]), tuple(new[j1:j2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def _bounded(lines: tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - MOST_LINES
    kept = tuple(map(shortened, lines[:MOST_LINES]))
    return (*kept, f"… and {count(more, 'more line')}") if more > 0 else kept


def _change(
    way: _Way, alike: Mapping[_Lines, Sequence[ReaderChoice]], labels: Mapping[tuple[str, str], str]
) -> CommandChange:
    before, after = next(iter(alike))
    found = [choice for choices in alike.values() for choice in choices]
    where = described(found, labels)
    return CommandChange(
        change=way.change,
        commands=len(alike),
        choices=len(found),
        where=tuple(map(shortened, where[:MOST_PLACES])),
        where_left_out=max(0, len(where) - MOST_PLACES),
        before=_bounded(before),
        after=_bounded(after),
        beside=way.beside,
    )


def _words(box: _Box, found: Sequence[ReaderChoice], labels: Mapping[tuple[str, str], str]) -> str:
    """Return a set of selections in words: `Linux x86-64, pip, any Python, PyTorch 2.15.0`.

    Values are in the order of `found`. `labels` has the form of `Choices.labels`.
    """
    said: dict[str, list[str]] = {}
    for place, axis in enumerate(ReaderChoice._fields):
        values = (value for value in dict.fromkeys(c[place] for c in found) if value in box[place])
        said[axis] = [labels.get((axis, value), value) for value in values]
    parts = (
        _few(said["system"]),
        _few(said["method"]),
        "any Python" if _ANY in said["python"] else f"Python {_pythons(said['python'])}",
        f"PyTorch {_few(said['build'])}",
        _few(filter(None, said["variant"])),
    )
    return ", ".join(filter(None, parts))


def _few(values: Iterable[str]) -> str:
    words = list(values)
    more = len(words) - MOST_VALUES
    return listed([*words[:MOST_VALUES], f"{more} more"] if more > 0 else words)


def _pythons(versions: Sequence[str]) -> str:
    try:
        return python_range(versions)
    except ValueError:  # unusual version numbers are listed unchanged
        return _few(versions)

"""Compares a platform's install commands on two built sites, for each possible selection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

from accelerator_portal.install.axes import AXES
from accelerator_portal.install.derived_formats import VENDOR_METHODS
from accelerator_portal.site.api_shapes import InstallData
from accelerator_portal.site.difference.json_changes import changes, shortened
from accelerator_portal.site.difference.shapes import MOST_PLACES, CommandChange, Item, ItemChange
from accelerator_portal.site.text_formats import prose_list, python_range
from accelerator_reports.files.wording import count

# Limits on the lines of a command, and on the values of an axis that are listed.
MOST_LINES = 40
MOST_VALUES = 4

_BESIDE_NAMES = ("needs", "check", "note", "lifecycle")
_SHOWN_WHEN_NEW = ("needs", "note")
_ANY = ""


class ReaderChoice(NamedTuple):
    """The values that a reader selects in the install selector, as ids.

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

    `commands` has one entry for each line. `beside` has four texts: the requirements, the check,
    the note and the lifecycle. A text that the selector does not show is None.
    """

    commands: tuple[str, ...]
    beside: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CommandsByChoice:
    """The commands for every possible selection of a platform, and the labels of values.

    `shown` has the commands by selection. `labels` has the label of each value. A key of `labels`
    is the name of a field of `ReaderChoice`, and the id of the value: `("method", "pip")`.
    """

    shown: Mapping[ReaderChoice, ShownCommand]
    labels: Mapping[tuple[str, str], str]


_ChoiceSet = tuple[frozenset[str], ...]
"""A set of values for each field of `ReaderChoice`. It stands for every combination of these
values."""

# Sets are merged along the axes in this order: Python first, which has the most values.
_MERGE_ORDER = ("python", "system", "method", "variant", "build")


_ChangedLines = tuple[tuple[str, ...], tuple[str, ...]]
"""The lines of the commands before the change, and those after it."""

_ReplacedWords = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""For each place that changed: the words before, and the words that replace them."""


@dataclass(frozen=True, slots=True)
class _SharedChange:
    """A change that one or more commands have in common.

    For example, the commands for several releases can change in the same way. `change` says whether
    the commands are new, removed or changed. `edit` has the replaced words of a changed command, or
    all lines of a new or removed command. `beside` has the changes of the texts next to the
    command. If only the texts changed, `edit` is empty.
    """

    change: ItemChange
    edit: _ReplacedWords | _ChangedLines
    beside: tuple[Item, ...]


def commands_by_choice(data: InstallData) -> CommandsByChoice:
    """Return the commands for every possible selection of a platform.

    Methods that the portal derives from a vendor's method, such as conda, are omitted. Raises
    LookupError, TypeError or ValueError if an install row lacks a value or contains an invalid
    index.
    """
    command_by_choice: dict[ReaderChoice, ShownCommand] = {}
    labels: dict[tuple[str, str], str] = {}
    for numbers in zip(*data.rows.values(), strict=True):
        row = dict(zip(data.rows, numbers, strict=True))
        if _value_at(data.axes["method"], row["method"])[0] not in VENDOR_METHODS:
            continue  # derived from another row, and changes together with it
        shown = _shown_command(data, row)
        for choice in _choices_of_row(data, row, labels):
            command_by_choice.setdefault(choice, shown)
    return CommandsByChoice(command_by_choice, labels)


def variant_labels(commands: CommandsByChoice) -> dict[str, str]:
    """Return the labels of a platform's variants by variant id.

    The result is empty if the platform has no variants.
    """
    return {value: label for (axis, value), label in commands.labels.items() if axis == "variant"}


def command_changes(before: CommandsByChoice, after: CommandsByChoice) -> list[CommandChange]:
    """Return the new, removed and changed commands of a platform.

    Selections whose commands changed in the same way are combined.
    """
    choices_by_change: dict[_SharedChange, dict[_ChangedLines, list[ReaderChoice]]] = {}
    for choice in dict.fromkeys((*after.shown, *before.shown)):
        old, new = before.shown.get(choice), after.shown.get(choice)
        if old != new:
            shared_change, lines = _shared_change(old, new)
            choices_by_change.setdefault(shared_change, {}).setdefault(lines, []).append(choice)
    labels = {**before.labels, **after.labels}
    return [
        _command_change(shared_change, choices_by_lines, labels)
        for shared_change, choices_by_lines in choices_by_change.items()
    ]


def choice_descriptions(
    choices: Sequence[ReaderChoice], labels: Mapping[tuple[str, str], str]
) -> list[str]:
    """Return texts that together describe the selections `choices`.

    A text such as `Linux x86-64, pip, Python 3.11–3.14, PyTorch 2.15.0` covers several selections.
    `labels` has the form of `CommandsByChoice.labels`.
    """
    choice_sets: dict[_ChoiceSet, None] = {
        tuple(frozenset((value,)) for value in choice): None for choice in choices
    }
    for index in map(ReaderChoice._fields.index, _MERGE_ORDER):
        values_by_rest: dict[_ChoiceSet, frozenset[str]] = {}
        for choice_set in choice_sets:
            rest = (*choice_set[:index], *choice_set[index + 1 :])
            values_by_rest[rest] = values_by_rest.get(rest, frozenset()) | choice_set[index]
        choice_sets = {
            (*rest[:index], values, *rest[index:]): None for rest, values in values_by_rest.items()
        }
    return [_choice_set_words(choice_set, choices, labels) for choice_set in choice_sets]


def _value_at(values: Sequence[Any], position: int) -> Any:  # noqa: ANN401 - an entry of a table
    if position == -1:
        return None
    if position < 0:
        raise LookupError(position)
    return values[position]


def _shown_command(data: InstallData, row: Mapping[str, int]) -> ShownCommand:
    needs = _value_at(data.needs, row["needs"]) or ()
    check = _value_at(data.check, row["check"])
    stage = _value_at(data.stage, row["stage"])
    return ShownCommand(
        tuple((_value_at(data.commands, row["commands"]) or "").split("\n")),
        (
            "; ".join(" ".join(filter(None, need)) for need in needs) or None,
            f"{check[0]} prints {' / '.join(check[1].split())}" if check else None,
            _value_at(data.note, row["note"]),
            "; ".join(filter(None, stage)) if stage else None,
        ),
    )


def _choices_of_row(
    data: InstallData, row: Mapping[str, int], labels: dict[tuple[str, str], str]
) -> Iterator[ReaderChoice]:
    """Yield the selections to which an install row applies, one for each Python version.

    The function also adds the labels of the selected values to `labels`.
    """
    axes = data.axes
    platform = _value_at(axes["platform"], row["platform"])[0]
    variant = _value_at(data.variants.get(platform, ()), row["variant"]) or (_ANY, _ANY)
    build = _value_at(axes["build"], row["build"])
    parts = [_value_at(axes[axis], row[axis]) or (_ANY, _ANY) for axis in _system_axes(axes)]
    system = (" ".join(part[0] for part in parts), " ".join(part[1] for part in parts).strip())
    method = _value_at(axes["method"], row["method"])
    value_by_axis = {"system": system, "method": method, "build": build, "variant": variant}
    for axis, value in value_by_axis.items():
        labels[axis, value[0]] = value[1]
    pythons = _value_at(data.pythons, row["pythons"])
    for python_index in (None,) if pythons is None else pythons:
        python = _ANY if python_index is None else _value_at(axes["python"], python_index)[0]
        yield ReaderChoice(system[0], method[0], python, build[0], variant[0])


def _system_axes(axes: Iterable[str]) -> list[str]:
    """Return the axes that form `ReaderChoice.system`: `os` and `arch`."""
    return [axis.id for axis in AXES if not axis.own_column and axis.id in axes]


def _shared_change(
    old: ShownCommand | None, new: ShownCommand | None
) -> tuple[_SharedChange, _ChangedLines]:
    if old is None or new is None:
        before, after = (shown.commands if shown else () for shown in (old, new))
        texts = zip(_BESIDE_NAMES, new.beside, strict=True) if new else ()
        beside = tuple(
            Item(change="added", name=name, after=shortened(text))
            for name, text in texts
            if text and name in _SHOWN_WHEN_NEW
        )
        return _SharedChange("added" if new else "gone", (before, after), beside), (before, after)
    texts_before, texts_now = (dict(zip(_BESIDE_NAMES, s.beside, strict=True)) for s in (old, new))
    beside = tuple(changes(texts_before, texts_now))
    if old.commands == new.commands:
        return _SharedChange("changed", (), beside), ((), ())
    return _SharedChange("changed", _replaced_words(old.commands, new.commands), beside), (
        old.commands,
        new.commands,
    )


@cache
def _replaced_words(before: tuple[str, ...], after: tuple[str, ...]) -> _ReplacedWords:
    old_words, new_words = (
        "\n".join(lines).replace("\n", " \n ").split(" ") for lines in (before, after)
    )
    return tuple(
        (tuple(old_words[i1:i2]), tuple(new_words[j1:j2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(
            None, old_words, new_words, autojunk=False
        ).get_opcodes()
        if tag != "equal"
    )


def _limited_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    omitted_count = len(lines) - MOST_LINES
    shown_lines = tuple(map(shortened, lines[:MOST_LINES]))
    return (
        (*shown_lines, f"… and {count(omitted_count, 'more line')}")
        if omitted_count > 0
        else shown_lines
    )


def _command_change(
    shared_change: _SharedChange,
    choices_by_lines: Mapping[_ChangedLines, Sequence[ReaderChoice]],
    labels: Mapping[tuple[str, str], str],
) -> CommandChange:
    before, after = next(iter(choices_by_lines))
    all_choices = [choice for choices in choices_by_lines.values() for choice in choices]
    descriptions = choice_descriptions(all_choices, labels)
    return CommandChange(
        change=shared_change.change,
        commands=len(choices_by_lines),
        choices=len(all_choices),
        where=tuple(map(shortened, descriptions[:MOST_PLACES])),
        where_left_out=max(0, len(descriptions) - MOST_PLACES),
        before=_limited_lines(before),
        after=_limited_lines(after),
        beside=shared_change.beside,
    )


def _choice_set_words(
    choice_set: _ChoiceSet,
    all_choices: Sequence[ReaderChoice],
    labels: Mapping[tuple[str, str], str],
) -> str:
    """Return a set of selections in words: `Linux x86-64, pip, any Python, PyTorch 2.15.0`.

    Values are in the order in which `all_choices` has them. `labels` has the form of
    `CommandsByChoice.labels`.
    """
    values_by_axis: dict[str, list[str]] = {}
    for index, axis in enumerate(ReaderChoice._fields):
        values = (
            value
            for value in dict.fromkeys(c[index] for c in all_choices)
            if value in choice_set[index]
        )
        values_by_axis[axis] = [labels.get((axis, value), value) for value in values]
    parts = (
        _limited_list(values_by_axis["system"]),
        _limited_list(values_by_axis["method"]),
        "any Python"
        if _ANY in values_by_axis["python"]
        else f"Python {_python_versions(values_by_axis['python'])}",
        f"PyTorch {_limited_list(values_by_axis['build'])}",
        _limited_list(filter(None, values_by_axis["variant"])),
    )
    return ", ".join(filter(None, parts))


def _limited_list(values: Iterable[str]) -> str:
    words = list(values)
    omitted_count = len(words) - MOST_VALUES
    return prose_list(
        [*words[:MOST_VALUES], f"{omitted_count} more"] if omitted_count > 0 else words
    )


def _python_versions(versions: Sequence[str]) -> str:
    try:
        return python_range(versions)
    except ValueError:  # unusual version numbers are listed unchanged
        return _limited_list(versions)

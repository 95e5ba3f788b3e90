"""Compares a platform's install commands in two catalogs, for each possible selection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from accelerator_portal.catalog import Platform
from accelerator_portal.install.derived_formats import VENDOR_METHODS
from accelerator_portal.install.labels import ARCH_LABELS, METHOD_LABELS, OS_LABELS
from accelerator_portal.install.rows import NO_VARIANT, InstallRow
from accelerator_portal.site.json_changes import Item, ItemChange, change_kind, shortened
from accelerator_portal.site.text_formats import prose_list, python_range
from accelerator_reports.files.wording import count

MOST_LINES = 40
"""The number of lines of a command that are listed."""
MOST_PLACES = 12
"""The number of descriptions of selections that are listed."""
MOST_VALUES = 4
"""The number of values of an axis that are listed."""


class ReaderChoice(NamedTuple):
    """The values that a reader selects in the install selector, as their labels.

    `python` is a version, or empty if every version gets the same commands.
    """

    system: str
    method: str
    python: str
    build: str
    variant: str


_ChoiceSet = tuple[frozenset[str], ...]
"""A set of values for each field of `ReaderChoice`, which stands for every combination of them."""

# Sets are merged along the axes in this order: Python first, which has the most values.
_MERGE_ORDER = ("python", "system", "method", "variant", "build")


def commands_by_choice(
    rows: Iterable[InstallRow], platform: Platform
) -> Mapping[ReaderChoice, str]:
    """Return the commands for every possible selection of a platform, and the texts beside them.

    Texts follow the commands as comments. Methods that the portal derives from a vendor's method,
    such as conda, are omitted.
    """
    variants = {variant.id: variant.name for variant in platform.install.variants}
    shown: dict[ReaderChoice, str] = {}
    for row in rows:
        if row.method in VENDOR_METHODS:
            text = "\n".join(_lines(row))
            for python in row.pythons or ("",):
                choice = ReaderChoice(
                    f"{OS_LABELS[row.os]} {ARCH_LABELS[row.arch]}",
                    METHOD_LABELS[row.method],
                    python,
                    row.build,
                    variants.get(row.variant, row.variant if row.variant != NO_VARIANT else ""),
                )
                shown.setdefault(choice, text)
    return shown


def _lines(row: InstallRow) -> Iterator[str]:
    yield from row.commands
    for need in row.prerequisites:
        yield "# needs: " + " ".join(filter(None, (need.name, need.version, need.url)))
    if row.check:
        yield f"# check: {row.check.command} prints {' / '.join(row.check.prints.split())}"
    if row.note:
        yield f"# note: {row.note}"
    if row.stage:
        until = f"{row.stage.until}" if row.stage.until else None
        stage = (row.stage.status, until, row.stage.note)
        yield "# status: " + "; ".join(filter(None, stage))


def command_changes(
    before: Mapping[ReaderChoice, str], after: Mapping[ReaderChoice, str]
) -> Iterator[Item]:
    """Yield the new, removed and changed commands of a platform.

    Selections whose commands changed in the same way are combined; the texts are of the first.
    """
    alike: dict[tuple[ItemChange, _Edit], list[ReaderChoice]] = {}
    for choice in dict.fromkeys((*after, *before)):
        old, new = before.get(choice), after.get(choice)
        if old != new:
            key = change_kind(old, new), _edit(old or "", new or "")
            alike.setdefault(key, []).append(choice)
    for (change, _), choices in alike.items():
        places = choice_descriptions(choices)
        if more := len(places) - MOST_PLACES:
            places[MOST_PLACES:] = [f"{more} more"] if more > 0 else []
        yield Item(
            section="commands",
            change=change,
            name=f"{count(len(choices), 'choice')}: {'; '.join(map(shortened, places))}",
            before=_limited_lines(before.get(choices[0])),
            after=_limited_lines(after.get(choices[0])),
        )


_Edit = tuple[tuple[str, str], ...]
"""For each place that changed: the words before, and the words that replace them."""


@cache
def _edit(before: str, after: str) -> _Edit:
    old, new = (text.replace("\n", " \n ").split(" ") for text in (before, after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        (" ".join(old[i1:i2]), " ".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in steps
        if tag != "equal"
    )


def _limited_lines(text: str | None) -> str | None:
    if text is None:
        return None
    lines = [*map(shortened, text.split("\n"))]
    if left_out := lines[MOST_LINES:]:
        lines[MOST_LINES:] = [f"… and {count(len(left_out), 'more line')}"]
    return "\n".join(lines)


def choice_descriptions(choices: Sequence[ReaderChoice]) -> list[str]:
    """Return texts that together describe the selections `choices`.

    A text such as `Linux x86-64, pip, Python 3.11–3.14, PyTorch 2.15.0` covers several selections.
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
    return [_words(choice_set, choices) for choice_set in choice_sets]


def _words(choice_set: _ChoiceSet, all_choices: Sequence[ReaderChoice]) -> str:
    """Return a set of selections in words, with values in the order of `all_choices`.

    For example, `Linux x86-64, pip, any Python, PyTorch 2.15.0`.
    """
    system, method, pythons, build, variant = (
        [v for v in dict.fromkeys(choice[i] for choice in all_choices) if v in values]
        for i, values in enumerate(choice_set)
    )
    parts = (
        _limited_list(system),
        _limited_list(method),
        "any Python" if "" in pythons else f"Python {python_range(pythons)}",
        f"PyTorch {_limited_list(build)}",
        _limited_list([*filter(None, variant)]),
    )
    return ", ".join(filter(None, parts))


def _limited_list(values: Sequence[str]) -> str:
    left_out = len(values) - MOST_VALUES
    return prose_list([*values[:MOST_VALUES], f"{left_out} more"] if left_out > 0 else values)

"""Converts the install selector to compact JSON data for the page's script.

The data contains each text once. Rows are stored as columns of integers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accelerator_portal.catalog.files.compatibility_file import Lifecycle
from accelerator_portal.catalog.files.releases_file import Ended
from accelerator_portal.install.axes import Axis, Value, axes_by_column, axes_by_weight
from accelerator_portal.install.commands import (
    CONTAINER_METHODS,
    UNPINNED_METHODS,
    check_command,
    pip_install_command,
    venv_commands,
)
from accelerator_portal.install.resolution import READY_METHODS, offers
from accelerator_portal.install.rows import NO_VARIANT, InstallRow
from accelerator_portal.install.selector import Selector

# The fields of a row besides its axes. Each is a position in the table of that name.
TEXT_COLUMNS = ("commands", "files", "needs", "check", "note", "stage", "findings", "on_request")


def payload_columns(axes: Iterable[Axis]) -> tuple[str, ...]:
    """Return the column names of the payload's `rows`: the fields of `axes`, then TEXT_COLUMNS."""
    return (*(axis.field for axis in axes_by_column(axes)), *TEXT_COLUMNS)


class _ValueTable:
    """Numbers distinct values in the order of their first use, from 0. None has the number -1."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        if value is None:
            return -1
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[Any]:
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class Card:
    """A hardware generation: its name, a remark, and the install rows that its cards can run.

    `ranges` has the positions of these rows, as `row_ranges` returns them. `uncertain` is true if
    no source confirms that any of these rows runs.
    """

    name: str
    remark: str = ""
    uncertain: bool = False
    ranges: tuple[int, ...] = ()


def payload(
    selector: Selector, cards: Mapping[str, Mapping[str, Card]] | None = None
) -> dict[str, Any]:
    """Return the selector's data for the page's script, as data for JSON.

    `cards` has the cards by platform id and card id. The result has the keys of `payload_overview`,
    and:

    - `rows`: maps the name of a column to a list with one integer for each install row. The integer
      is the position of the row's value in the list of the column's values. -1 means no value; in
      `pythons`, any value. The list of values depends on the column: for an axis, the values of the
      axis; for `variant`, the platform's variants; for `pythons` and the columns in TEXT_COLUMNS,
      the list below with the column's name.
    - `pythons`: the distinct combinations of Python versions. Each is a list of positions in the
      values of the axis `python`.
    - for each column in TEXT_COLUMNS: a list of the column's distinct values. A value of `findings`
      is a list of positions in the list `finding`.
    - `finding`: a list of the distinct findings.
    """
    many = [axis for axis in selector.table if axis.many]
    tables = {
        name: _ValueTable() for name in (*(axis.field for axis in many), *TEXT_COLUMNS, "finding")
    }
    numbering = {axis: _positions(values) for axis, values in selector.axes.items()}
    variants = {platform: _positions(values) for platform, values in selector.variants.items()}
    rows: dict[str, list[int]] = {name: [] for name in payload_columns(selector.table)}
    for row in selector.rows:
        numbers = _axis_numbers(selector, row, numbering, variants, tables)
        for column, number in zip(
            rows.values(), (*numbers, *_text_numbers(row, tables)), strict=True
        ):
            column.append(number)
    return {
        **payload_overview(selector, cards),
        **{name: table.values() for name, table in tables.items()},
        **{
            axis.field: [
                [numbering[axis.id][v] for v in ids] for ids in tables[axis.field].values()
            ]
            for axis in many
        },
        "rows": rows,
    }


def payload_overview(
    selector: Selector, cards: Mapping[str, Mapping[str, Card]] | None = None
) -> dict[str, Any]:
    """Return the part of the payload that the page's script loads first, without rows and texts.

    It has the axes with their values, the default choices, and the variants, default builds,
    drivers and cards of all platforms. `cards` has the cards by platform id and card id.
    """
    return {
        "axes": {axis: _value_lists(values) for axis, values in selector.axes.items()},
        "variants": {
            platform: _value_lists(values) for platform, values in selector.variants.items()
        },
        "order": [axis.id for axis in selector.table],
        "machine": [axis.id for axis in selector.table if axis.is_machine],
        "weights": [axis.id for axis in axes_by_weight(selector.table)],
        "ready": sorted(READY_METHODS),
        "inside": sorted(CONTAINER_METHODS),
        "unpinned": sorted(UNPINNED_METHODS),
        "offers": offers(selector),
        "more": selector.more,
        "starts": [dict(start) for start in selector.starts],
        "drivers": {
            platform: {"name": bounds.name, "oldest": bounds.oldest}
            for platform, bounds in selector.drivers.items()
        },
        "cards": {
            platform: {
                key: [
                    card.name,
                    *((card.remark, card.uncertain, *card.ranges) if card.ranges else ()),
                ]
                for key, card in platform_cards.items()
            }
            for platform, platform_cards in (cards or {}).items()
        },
        "environments": _environment_commands(selector),
        "ended": {f"{ended.os} {ended.arch}": _ended_machine(ended) for ended in selector.ended},
    }


def _axis_numbers(
    selector: Selector,
    row: InstallRow,
    numbering: dict[str, dict[str, int]],
    variants: dict[str, dict[str, int]],
    tables: dict[str, _ValueTable],
) -> Iterator[int]:
    for axis in axes_by_column(selector.table):
        if axis.many:
            yield tables[axis.field].number(getattr(row, axis.field))
        else:
            (value,) = selector.ids(row, axis)
            positions = numbering.get(axis.id) or variants.get(row.platform, {NO_VARIANT: -1})
            yield positions[value]


def _text_numbers(row: InstallRow, tables: dict[str, _ValueTable]) -> Iterator[int]:
    texts: dict[str, Hashable] = {
        "commands": "\n".join(row.commands),
        "files": tuple((file.name, file.text) for file in row.files) or None,
        "needs": tuple((p.name, p.version, p.url) for p in row.prerequisites) or None,
        "check": (row.check.command, row.check.prints) if row.check else None,
        "note": row.note,
        "stage": _stage(row.stage) if row.stage else None,
        "findings": _finding_numbers(row, tables["finding"]),
        "on_request": True if row.on_request else None,
    }
    return (tables[name].number(texts[name]) for name in TEXT_COLUMNS)


def _stage(stage: Lifecycle) -> tuple[str, str | None, str | None]:
    return stage.status, stage.until.isoformat() if stage.until else None, stage.note


def _finding_numbers(row: InstallRow, table: _ValueTable) -> tuple[int, ...] | None:
    """Return, for each of the row's Python versions, the position of its finding in `table`.

    The position is -1 for a Python version without a finding. If all positions are equal, the
    result has only one item. Returns None if no Python version has a finding.
    """
    numbers = tuple(table.number((f.kind, f.words) if f else None) for f in row.findings)
    if set(numbers) <= {-1}:
        return None
    return numbers[:1] if len(set(numbers)) == 1 else numbers


def _environment_commands(selector: Selector) -> dict[str, dict[str, str]]:
    """Return the commands that create a new environment, by method and operating system."""
    commands_by_method: dict[str, dict[str, str]] = {}
    for row in selector.rows:
        line = venv_commands(row.method, row.os)
        if line:
            commands_by_method.setdefault(row.method, {})[row.os] = line
    return commands_by_method


def _ended_machine(ended_entry: Ended) -> dict[str, Any]:
    """Return the commands that install the last release for a machine such as an Intel Mac.

    Newer releases have no wheels for this machine. The page's script shows the result like a row.
    The keys are `version`, `platforms`, `method`, `environment`, `commands`, `check` and `checks`.
    """
    environment = venv_commands("pip", ended_entry.os) or ""
    return {
        "version": ended_entry.version,
        "platforms": list(ended_entry.platforms),
        "method": "pip",
        "environment": environment.replace("{python}", ended_entry.python),
        "commands": pip_install_command(ended_entry.packages, ended_entry.os),
        "check": check_command("import torch\nprint(torch.__version__)", ended_entry.os),
        "checks": {
            id_: check_command(code, ended_entry.os) for id_, code in ended_entry.checks.items()
        },
    }


def _positions(values: Sequence[Value]) -> dict[str, int]:
    return {value.id: position for position, value in enumerate(values)}


def _value_lists(values: Sequence[Value]) -> list[list[str]]:
    return [[v.id, v.label, v.detail] if v.detail else [v.id, v.label] for v in values]

"""The selector as compact JSON for the browser: every text once, rows as small integers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from accelerator_portal.install.commands import new_environment
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.selector import Choice, Selector, Value

# The meaning of the integers of a row, in order; -1 stands for "none" (pythons: "any").
COLUMNS = (
    "platform",
    "variant",
    "build",
    "os",
    "arch",
    "method",
    "pythons",
    "commands",
    "needs",
    "check",
    "note",
    "stage",
    "findings",
)


class _Table:
    """Numbers distinct values in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        if value is None:
            return -1
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[Any]:
        return list(self._numbers)


def payload(selector: Selector) -> dict[str, Any]:
    """Return the data from which the page's script works.

    `rows` is one flat list, `len(COLUMNS)` integers a row; axes and tables are numbered by place.
    """
    names = ("pythons", "commands", "needs", "check", "note", "stage", "findings", "finding")
    tables = {name: _Table() for name in names}
    places = {axis: _places(values) for axis, values in selector.axes.items()}
    variants = {platform: _places(values) for platform, values in selector.variants.items()}
    rows: list[int] = []
    for row in selector.rows:
        rows += _numbers(row, places, variants, tables)
    pythons = places["python"]
    return {
        "columns": COLUMNS,
        "axes": {axis: _plain(values) for axis, values in selector.axes.items()},
        "variants": {platform: _plain(values) for platform, values in selector.variants.items()},
        "starts": [dict(zip(Choice._fields, start, strict=True)) for start in selector.starts],
        "environments": _environments(selector),
        **{name: table.values() for name, table in tables.items()},
        "pythons": [[pythons[p] for p in row] for row in tables["pythons"].values()],
        "rows": rows,
    }


def _numbers(
    row: InstallRow,
    places: dict[str, dict[str, int]],
    variants: dict[str, dict[str, int]],
    tables: dict[str, _Table],
) -> list[int]:
    needs = tuple((p.name, p.version, p.url) for p in row.prerequisites) or None
    stage = (row.stage.words, row.stage.until) if row.stage else None
    check = (row.check.command, row.check.prints) if row.check else None
    return [
        places["platform"][row.platform],
        variants.get(row.platform, {}).get(row.variant, -1),
        places["build"][row.build],
        places["os"][row.os],
        places["arch"][row.arch],
        places["method"][row.method],
        tables["pythons"].number(row.pythons),
        tables["commands"].number("\n".join(row.commands)),
        tables["needs"].number(needs),
        tables["check"].number(check),
        tables["note"].number(row.note),
        tables["stage"].number(stage),
        tables["findings"].number(_findings(row, tables["finding"])),
    ]


def _findings(row: InstallRow, table: _Table) -> tuple[int, ...] | None:
    """The number of each Python's finding, -1 for none; one number where all are the same."""
    numbers = tuple(table.number((f.kind, f.words) if f else None) for f in row.findings)
    if set(numbers) <= {-1}:
        return None
    return numbers[:1] if len(set(numbers)) == 1 else numbers


def _environments(selector: Selector) -> dict[str, dict[str, str]]:
    """The line that makes a fresh environment, by method and operating system."""
    found: dict[str, dict[str, str]] = {}
    for row in selector.rows:
        line = new_environment(row.method, row.os)
        if line:
            found.setdefault(row.method, {})[row.os] = line
    return found


def _places(values: Sequence[Value]) -> dict[str, int]:
    return {value.id: place for place, value in enumerate(values)}


def _plain(values: Sequence[Value]) -> list[list[str]]:
    return [[*value] if value.detail else [value.id, value.label] for value in values]

"""Converts the install selector to JSON data for the page's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from accelerator_portal.catalog.files.releases_file import Ended
from accelerator_portal.install.axes import Value, axes_by_weight
from accelerator_portal.install.commands import (
    CONTAINER_METHODS,
    UNPINNED_METHODS,
    check_command,
    pip_install_command,
    venv_commands,
)
from accelerator_portal.install.resolution import READY_METHODS, offers
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.selector import Selector


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
    and `rows`: the published fields of each install row, without empty ones.
    """
    adapter = TypeAdapter(type(selector.rows[0]) if selector.rows else InstallRow)
    rows = [_row_data(row, adapter) for row in selector.rows]
    return {**payload_overview(selector, cards), "rows": rows}


def _row_data(row: InstallRow, adapter: TypeAdapter[InstallRow]) -> dict[str, Any]:
    if row.findings and len(set(row.findings)) == 1:
        row = replace(row, findings=row.findings[:1] if row.findings[0] else ())
    data = adapter.dump_python(row, exclude_none=True)
    return {name: value for name, value in data.items() if value not in ((), False)}


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
        "drivers": dict(selector.drivers),
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


def _value_lists(values: Sequence[Value]) -> list[list[str]]:
    return [[v.id, v.label, v.detail] if v.detail else [v.id, v.label] for v in values]

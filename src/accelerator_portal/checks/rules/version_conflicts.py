"""Entries in `compatibility.yaml` agree, or a note explains why their sources differ."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.compatibility_file import CompatibilityRow


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield rows about the same versions that say different things, and impossible plugins."""
    for platform in catalog.platforms:
        first: dict[tuple[str | None, ...], CompatibilityRow] = {}
        for place, row in enumerate(platform.compatibility.rows):
            key = (row.torch, row.plugin, row.variant)
            other = first.setdefault(key, row)
            if other is not row and not (row.note or other.note):
                what = _contradiction(row, other)
                remedy = (
                    "merge the entries, or add a note that says which source states which value"
                )
                yield platform.problem("compatibility.yaml", ("rows", place, "torch"), what, remedy)


def _contradiction(row: CompatibilityRow, other: CompatibilityRow) -> str:
    named = f"torch {row.torch}" + (f", plugin {row.plugin}" if row.plugin else "")
    differing = [
        f"{what} {theirs} and {mine}"
        for what, mine, theirs in _compared(row, other)
        if mine is not None and theirs is not None and mine != theirs
    ]
    if not differing:
        return f"there are two entries for {named}"
    return f"the entries for {named} contradict each other: {'; '.join(differing)}"


def _compared(
    row: CompatibilityRow, other: CompatibilityRow
) -> Iterator[tuple[str, str | None, str | None]]:
    for name, version in row.needs.items():
        yield f"needs {name}", version, other.needs.get(name)
    for name, version in row.includes.items():
        yield f"includes {name}", version, other.includes.get(name)
    yield "Python", _joined(row), _joined(other)
    yield "status", _status(row), _status(other)


def _joined(row: CompatibilityRow) -> str | None:
    return ", ".join(sorted(row.python, key=_python)) if row.python else None


def _python(version: str) -> tuple[Version, bool]:
    return Version(version.removesuffix("t")), version.endswith("t")


def _status(row: CompatibilityRow) -> str | None:
    return f"{row.lifecycle.status} until {row.lifecycle.until}" if row.lifecycle else None

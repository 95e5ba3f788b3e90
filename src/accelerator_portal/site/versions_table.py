"""The version rows of a platform as a table with only the columns that it uses."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.install.labels import OS
from accelerator_portal.site.source_list import SourceEntry, SourceList
from accelerator_portal.site.words import python_range


@dataclass(frozen=True, slots=True)
class VersionsRow:
    """One row; a cell is None where no source says anything."""

    cells: tuple[str | None, ...]
    note: str | None
    sources: tuple[SourceEntry, ...]


@dataclass(frozen=True, slots=True)
class VersionsTable:
    """Headings, and rows with one cell for each."""

    columns: tuple[str, ...]
    rows: tuple[VersionsRow, ...]


def versions_table(platform: Platform, sources: SourceList) -> VersionsTable:
    """Return the table; columns that no row fills are left out."""
    rows = platform.compatibility.rows
    named = {variant.id: variant.name for variant in platform.install.variants}
    needs = list(dict.fromkeys(name for row in rows for name in row.needs))
    includes = list(dict.fromkeys(name for row in rows for name in row.includes))
    package = platform.accelerator.package.name
    columns: dict[str, list[str | None]] = {"PyTorch": [row.torch for row in rows]}
    columns[package] = [row.plugin for row in rows]
    columns["Variant"] = [
        named.get(row.variant, row.variant) if row.variant else None for row in rows
    ]
    if any(row.os for row in rows):
        columns["System"] = [", ".join(OS[os] for os in row.os or ()) or "all" for row in rows]
    for name in needs:
        columns[f"Needs {name}"] = [row.needs.get(name) for row in rows]
    for name in includes:
        columns[f"Brings {name}"] = [row.includes.get(name) for row in rows]
    columns["Python"] = [python_range(row.python) if row.python else None for row in rows]
    columns["Lifecycle"] = [_lifecycle(row) for row in rows]
    used = {name: cells for name, cells in columns.items() if any(cells)}
    return VersionsTable(
        tuple(used),
        tuple(
            VersionsRow(
                tuple(cells[n] for cells in used.values()),
                _notes(row),
                tuple(sources.cited("compatibility.yaml", row.source)),
            )
            for n, row in enumerate(rows)
        ),
    )


def _notes(row: CompatibilityRow) -> str | None:
    notes = (row.note, row.lifecycle.note if row.lifecycle else None)
    return " ".join(note for note in notes if note) or None


def _lifecycle(row: CompatibilityRow) -> str | None:
    if row.lifecycle is None:
        return None
    until = f" until {row.lifecycle.until}" if row.lifecycle.until else ""
    return f"{row.lifecycle.status}{until}"

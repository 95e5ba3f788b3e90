"""Builds the table of versions of PyTorch and plugins that fit together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.fields import Day, Model
from accelerator_portal.catalog.sources import Source
from accelerator_portal.install.labels import OS
from accelerator_portal.install.resolution import followed_releases
from accelerator_portal.site.release_pages import ReleaseRow
from accelerator_portal.site.source_list import SourceEntry, SourceList
from accelerator_portal.site.words import python_range


class ReleaseVersions(Model):
    """One PyTorch release."""

    version: str
    """The version."""
    date: Day
    """The day of its publication."""
    platforms: dict[str, str]
    """What a platform offers of it, by the platform's id, in a few words: its plugin's version
    and runtime, its variants or systems, or `from source`; platforms without a command for it are
    left out."""


class PlatformVersions(Model):
    """The versions of one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Its name."""
    package: str
    """Distribution name of the package that provides the platform."""
    newest: str | None
    """The newest supported PyTorch release, from the install commands or the vendor's table."""
    oldest: str | None
    """The oldest supported PyTorch release, in the same way."""
    behind: int | None
    """The number of PyTorch minor releases after `newest`."""
    rows: tuple[CompatibilityRow, ...]
    """The vendor's version rows; `source` names `sources` below."""
    sources: dict[str, Source]
    """The sources, by id."""


class VersionsData(Model):
    """Releases since 2.4, and the version rows of every platform."""

    newest_release: str
    """PyTorch's newest release."""
    releases: tuple[ReleaseVersions, ...]
    """The releases, newest first."""
    platforms: tuple[PlatformVersions, ...]
    """Every platform."""


def versions_data(catalog: Catalog, releases: Iterable[ReleaseRow]) -> VersionsData:
    """Return the versions of every platform; `releases` as the page of versions has them."""
    return VersionsData(
        newest_release=catalog.releases.newest.version,
        releases=tuple(
            ReleaseVersions(
                version=row.release.version,
                date=row.release.date,
                platforms={cell.platform_id: cell.words for cell in row.cells if cell.words},
            )
            for row in releases
        ),
        platforms=tuple(_platform(catalog, platform) for platform in catalog.platforms),
    )


def _platform(catalog: Catalog, platform: Platform) -> PlatformVersions:
    found = followed_releases(catalog, platform)
    return PlatformVersions(
        id=platform.id,
        name=platform.accelerator.name,
        package=platform.accelerator.package.name,
        newest=found.newest,
        oldest=found.oldest,
        behind=found.behind,
        rows=platform.compatibility.rows,
        sources=dict(platform.compatibility.sources),
    )


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

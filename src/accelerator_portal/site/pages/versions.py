"""Builds the pages about PyTorch releases, and the platforms' version tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from packaging.version import Version
from pydantic import SkipValidation

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.versions_file import (
    CompatibilityRow,
    Release,
    Releases,
    Wheel,
)
from accelerator_portal.catalog.grouping import cached_by_owner, grouped
from accelerator_portal.catalog.message import comma_list, message, plural
from accelerator_portal.install.expand import compatibility_rows
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import ARCH_LABELS, OS_LABELS, InstallRow, build_id
from accelerator_portal.packages.wheel_tags import minimum_system, runs_on
from accelerator_portal.site.commands_table import commands_table
from accelerator_portal.site.grid import (
    Basis,
    Cell,
    Grid,
    GridMark,
    Head,
    platforms_by_integration,
)
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import lifecycle_words, python_range
from accelerator_portal.site.vendor_text import SourceEntry, SourceList
from accelerator_reports.files.fields import Arch, Day, StrictModel
from accelerator_reports.files.sources import Source

_FROM_SOURCE = message("from source")

# Requirements of plugins that are not their runtime.
_LIBRARIES = frozenset({"torchvision", "torchaudio", "Python"})


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of all releases, and the page of each release."""
    releases, selector = site.catalog.releases, site.selector
    yield Page("versions/index.md", {"grid_of_versions": versions_grid(site)}, edit=RELEASES)
    for release in releases.releases:
        rows = [row for row in selector.rows if row.build == release.version]
        context = {
            "release": release,
            "build": build_id(site.catalog, release.version),
            "commands": tuple(commands_table(selector, rows)),
            "companions": releases.companions_of(release.version),
            "companion_sources": partial(companion_sources, releases, release),
            "arch_labels": ARCH_LABELS,
            "minimum_systems": minimum_systems,
        }
        yield Page(f"versions/{release.version}.md", context, "versions/release.md.j2", RELEASES)


NEWEST_COLUMNS = 10
"""The number of releases that the grid of versions shows at first. With six, most plugins would
have no cell."""


def versions_grid(site: Site) -> Grid:
    """Return the grid of platforms by PyTorch releases, with the release lag of each platform."""
    catalog, data = site.catalog, versions_data(site)
    reported = {
        (stored.report.accelerator, (stored.report.environment.torch or "").partition("+")[0])
        for stored in site.results.reports
        if stored.report.kind != "baseline"
    }
    cells = {
        ("python", release.version): _python_cell(python_range(release.python))
        for release in catalog.releases.releases
    }
    for platform in catalog.platforms:
        for column, cell in lag_cells(catalog, platform).items():
            cells[platform.id, column] = cell
    for release in data.releases:
        for platform_id, words in release.platforms.items():
            basis: Basis = "run" if (platform_id, release.version) in reported else "stated"
            cells[platform_id, release.version] = _offer_cell(
                words, basis, f"compute-platforms/{platform_id}/?build={release.version}#install"
            )
    releases = [
        Head(r.version, r.version, f"versions/{r.version}/", note=str(r.date))
        for r in data.releases
    ]
    return Grid(
        "versions",
        message("Platform"),
        (Head("python", "Python"), *platforms_by_integration(catalog.platforms, "#versions")),
        (*LAG_COLUMNS, *releases),
        cells,
        shown=[head.id for head in (*LAG_COLUMNS, *releases[:NEWEST_COLUMNS])],
        words={
            "pass": message("install command"),
            "part": message("from source only"),
            "run": message("command, and a test run with this release"),
            "stated": message("command"),
        },
        wide=True,
        panel=False,
        differences=False,
    )


LAG_COLUMNS = (Head("newest", message("Newest")), Head("behind", message("Behind")))


def lag_cells(catalog: Catalog, platform: Platform) -> dict[str, Cell]:
    """Return the cells of a platform in `LAG_COLUMNS`; empty if its releases are not known."""
    supported = supported_releases(catalog, platform)
    if supported.newest is None or supported.behind is None:
        return {}
    behind = supported.behind
    note = "" if supported.has_command else message("no command")
    mark = GridMark("gap", "stated", behind) if behind else GridMark("pass", "stated")
    label = plural("{count} minor release behind", "{count} minor releases behind", behind)
    address = f"compute-platforms/{platform.id}/#versions"
    return {
        "newest": Cell(text=supported.newest, note=note, order=-behind),
        "behind": Cell(
            (mark,), str(behind) if behind else "", label=label, href=address, order=-behind
        ),
    }


_LONGEST_OFFER = 12
"""Longer names of variants are left out of cells."""


def _python_cell(words: str) -> Cell:
    versions, _, free_threaded = words.partition(", ")
    return Cell(text=versions, note=free_threaded)


def _offer_cell(words: str, basis: Basis, address: str) -> Cell:
    """Return the cell of what a platform offers for a release: the first version, and how many."""
    first, *others = words.partition(" · ")[0].split(", ")
    from_source = words == _FROM_SOURCE
    short = "" if from_source or len(first) > _LONGEST_OFFER else first
    text = f"{short} +{len(others)}" if others else short
    return Cell(
        (GridMark("part" if from_source else "pass", basis),), text, label=words, href=address
    )


def companion_sources(releases: Releases, release: Release, package: str) -> Iterator[Source]:
    """Yield the sources that state which versions of a companion package fit a release."""
    companions = [companion for companion in releases.companions if companion.package == package]
    versions = releases.companions_of(release.version)[package]
    fitting = [companion for companion in companions if companion.version in versions] or companions
    cited_ids = dict.fromkeys(name for companion in fitting for name in companion.source)
    for name in cited_ids or [name for name in release.source if package in name]:
        yield releases.sources[name]


def minimum_systems(wheel: Wheel, arch: Arch) -> str:
    """Return the C library or macOS version that wheels need: `glibc 2.28`, or empty if unknown."""
    tags = [tag for tag in wheel.tags or () if runs_on(tag, wheel.os, arch)]
    return ", ".join(dict.fromkeys(filter(None, map(minimum_system, tags))))


def _requirement_words(name: str, version: str) -> str:
    """Return a requirement in words: `CANN 9.1` if `name` is `CANN` and `version` is `==9.1.*`."""
    return f"{name} {version.removeprefix('==').removesuffix('.*')}"


def _names_version(commands: str, package: str, version: str) -> bool:
    """Return whether commands contain this version of a plugin's package.

    The version can be in a pinned package (`torch_npu==2.9.0`), in a file's address or in an
    image's tag.
    """
    name = re.sub("[-_]", "[-_]", package)
    pattern = rf"(?:{name}(?:\[\w+\])?==|[:/]\S*?(?<![\d.])){re.escape(version)}(?![\d.])"
    return re.search(pattern, commands) is not None


def _offer_words(platform: Platform, release: Release, rows: list[InstallRow]) -> str:
    """Return what a platform offers for a release; `rows` are its install rows for the release.

    If the platform has a plugin, the text is the plugin's version and its runtime: `2.9.0 · CANN
    8.5`. Otherwise, it lists the variants or, without variants, the operating systems. It is
    `from source` if all rows build from source.
    """
    if all(row.method == "source" for row in rows):
        return _FROM_SOURCE
    fitting_rows = compatibility_rows(platform, release.version, None)
    plugin_rows = [row for row in fitting_rows if row.plugin]
    if plugin_rows:
        commands = " ".join(command for row in rows for command in row.commands)
        best = max(
            plugin_rows,
            key=lambda row: (
                _names_version(commands, platform.accelerator.package.name, row.plugin or ""),
                bool(row.needs),
                Version(row.plugin or "0"),
            ),
        )
        runtime = next(
            (_requirement_words(*n) for n in best.needs.items() if n[0] not in _LIBRARIES), None
        )
        return " · ".join(filter(None, [best.plugin, runtime]))
    used_variants = {row.variant for row in rows}
    variants = [v.version or v.name for v in platform.install.variants if v.id in used_variants]
    return comma_list(
        variants or (name for os, name in OS_LABELS.items() if os in {r.os for r in rows})
    )


class ReleaseVersions(StrictModel):
    """What each platform offers for one PyTorch release."""

    version: str
    """The version of the release."""
    date: Day
    """The day on which the release was published."""
    platforms: dict[str, SkipValidation[str]]  # validation would drop the translatable messages
    """What each platform offers for the release, by platform id: the version of the plugin and its
    runtime, the variants or systems, or `from source`. Platforms without a command are left out."""


class PlatformVersions(StrictModel):
    """The versions of one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Name of the platform."""
    package: str
    """Distribution name of the package that provides the platform."""
    newest: str | None
    """The newest supported PyTorch release, from the install commands or the vendor's table."""
    oldest: str | None
    """The oldest supported PyTorch release, from the install commands or the vendor's table."""
    behind: int | None
    """The number of PyTorch minor releases after `newest`."""
    rows: tuple[CompatibilityRow, ...]
    """The vendor's version rows. Their `source` has ids of `sources`."""
    sources: dict[str, Source]
    """The sources that the rows cite, by id."""


class VersionsData(StrictModel):
    """PyTorch's releases, and the version rows of every platform."""

    newest_release: str
    """PyTorch's newest release."""
    releases: tuple[ReleaseVersions, ...]
    """The releases, newest first."""
    platforms: tuple[PlatformVersions, ...]
    """The versions of every platform."""


TRANSLATED = ("versions/index.md", "versions/[0-9]*.md")
SCHEMAS = {"versions": VersionsData}


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file of PyTorch's releases and the versions of every platform."""
    yield data_file("versions.json", versions_data(site))


@cached_by_owner
def versions_data(site: Site) -> VersionsData:
    """Return PyTorch's releases and the versions of every platform."""
    catalog = site.catalog
    rows = grouped(((row.build, row.platform), row) for row in site.selector.rows)
    return VersionsData(
        newest_release=catalog.releases.newest.version,
        releases=tuple(
            ReleaseVersions(
                version=release.version,
                date=release.date,
                platforms={
                    value.id: _offer_words(catalog.by_id[value.id], release, offered)
                    for value in site.selector.axes["platform"]
                    if (offered := rows.get((release.version, value.id)))
                },
            )
            for release in catalog.releases.releases
        ),
        platforms=tuple(
            PlatformVersions.from_objects(
                supported_releases(catalog, platform),
                platform.compatibility,
                id=platform.id,
                name=platform.accelerator.name,
                package=platform.accelerator.package.name,
            )
            for platform in catalog.platforms
        ),
    )


@dataclass(frozen=True, slots=True)
class VersionsRow:
    """A row of a platform's version table.

    There is one cell for each column. A cell is None if no source states its value.
    """

    cells: tuple[str | None, ...]
    note: str | None
    sources: tuple[SourceEntry, ...]


@dataclass(frozen=True, slots=True)
class VersionsTable:
    """A platform's version table: the headings of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[VersionsRow, ...]


def versions_table(platform: Platform, sources: SourceList, today: dt.date) -> VersionsTable:
    """Return a platform's version table, without columns that are empty in all rows."""
    rows = platform.compatibility.rows
    variant_names = {variant.id: variant.name for variant in platform.install.variants}
    needs = list(dict.fromkeys(name for row in rows for name in row.needs))
    includes = list(dict.fromkeys(name for row in rows for name in row.includes))
    package = platform.accelerator.package.name
    columns: dict[str, list[str | None]] = {"PyTorch": [row.torch for row in rows]}
    columns[package] = [row.plugin for row in rows]
    columns[message("Variant")] = [
        variant_names.get(row.variant, row.variant) if row.variant else None for row in rows
    ]
    if any(row.os for row in rows):
        columns[message("System")] = [
            comma_list(OS_LABELS[os] for os in row.os) if row.os else message("all") for row in rows
        ]
    for name in needs:
        columns[message("Needs {name}", name=name)] = [row.needs.get(name) for row in rows]
    for name in includes:
        columns[message("Includes {name}", name=name)] = [row.includes.get(name) for row in rows]
    columns["Python"] = [python_range(row.python) if row.python else None for row in rows]
    columns[message("Lifecycle")] = [
        lifecycle_words(row.lifecycle, today) if row.lifecycle else None for row in rows
    ]
    filled_columns = {name: cells for name, cells in columns.items() if any(cells)}
    return VersionsTable(
        tuple(filled_columns),
        tuple(
            VersionsRow(
                tuple(cells[n] for cells in filled_columns.values()),
                _notes(row),
                tuple(sources.cited("compatibility.yaml", row.source)),
            )
            for n, row in enumerate(rows)
        ),
    )


def _notes(row: CompatibilityRow) -> str | None:
    notes = (row.note, row.lifecycle.note if row.lifecycle else None)
    return " ".join(note for note in notes if note) or None

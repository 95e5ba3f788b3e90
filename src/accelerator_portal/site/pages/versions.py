"""Builds the pages about PyTorch releases, and the platforms' version tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.cached import cached_by_owner
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.files.releases_file import Release, Releases, Wheel
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.install.axes import build_id
from accelerator_portal.install.labels import ARCH_LABELS, OS_LABELS
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.targets import compatibility_rows
from accelerator_portal.packages.wheel_tags import minimum_system, runs_on
from accelerator_portal.site.commands_table import CommandsRow, commands_table
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.source_list import SourceEntry, SourceList
from accelerator_portal.site.text_formats import lifecycle_words, python_range
from accelerator_reports.files.fields import Arch, Day, StrictModel
from accelerator_reports.files.sources import Source

# Requirements of plugins that are not their runtime.
_LIBRARIES = frozenset({"torchvision", "torchaudio", "Python"})


@dataclass(frozen=True, slots=True)
class ReleaseCell:
    """A platform's support of a PyTorch release.

    `platform` is the platform's name. `words` is what the platform offers, such as the plugin's
    version. It is empty if no command installs the release. `nearest` is the newest release of the
    same minor version that a command installs, or empty.
    """

    platform_id: str
    platform: str
    words: str
    nearest: str = ""


@dataclass(frozen=True, slots=True)
class CompanionRow:
    """A package used with torch, such as torchvision, and its versions that support a release.

    `sources` state these versions.
    """

    package: str
    versions: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A PyTorch release, with what its page shows.

    `build` is the install selector's id of the release, which is `stable` for the newest release.
    `pythons` is the range of its Python versions. `cells` has one cell for each platform.
    `companions` are packages that are used with torch.
    """

    release: Release
    build: str
    pythons: str
    cells: tuple[ReleaseCell, ...]
    commands: tuple[CommandsRow, ...]
    companions: tuple[CompanionRow, ...]


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of all releases, and the page of each release."""
    rows = release_rows(site)
    yield Page("versions/index.md", {"rows": rows}, edit=RELEASES)
    for row in rows:
        context = {"row": row, "arch_labels": ARCH_LABELS, "minimum_systems": minimum_systems}
        path = f"versions/{row.release.version}.md"
        yield Page(path, context, "versions/release.md.j2", RELEASES)


@cached_by_owner
def release_rows(site: Site) -> list[ReleaseRow]:
    """Return a row for each PyTorch release, newest first.

    The cells of a row are in the order of the selector's platforms.
    """
    catalog, selector = site.catalog, site.selector
    releases: list[ReleaseRow] = []
    offered_builds = {(row.platform, row.build) for row in selector.rows}
    for release in catalog.releases.releases:
        minor = Version(release.version).release[:2]
        same_minor_releases = [
            v for v in catalog.releases.by_version if Version(v).release[:2] == minor
        ]
        rows = [row for row in selector.rows if row.build == release.version]
        rows_by_platform = grouped((row.platform, row) for row in rows)
        cells = tuple(
            ReleaseCell(
                p.id,
                p.label,
                _offer_words(catalog.by_id[p.id], release, rows_by_platform.get(p.id, [])),
                next((v for v in same_minor_releases if (p.id, v) in offered_builds), ""),
            )
            for p in selector.axes["platform"]
        )
        commands = tuple(commands_table(selector, rows))
        build = build_id(catalog, release.version)
        pythons = python_range(release.python)
        companions = tuple(companion_rows(catalog.releases, release))
        releases.append(ReleaseRow(release, build, pythons, cells, commands, companions))
    return releases


def companion_rows(releases: Releases, release: Release) -> Iterator[CompanionRow]:
    """Yield a row for each package that is used with torch, such as torchvision.

    A package without a version that supports the release has a row, too.
    """
    for package, versions in releases.companions_of(release.version).items():
        companions = [
            companion for companion in releases.companions if companion.package == package
        ]
        fitting = [
            companion for companion in companions if companion.version in versions
        ] or companions
        cited_ids = dict.fromkeys(name for companion in fitting for name in companion.source)
        source_ids = cited_ids or [name for name in release.source if package in name]
        yield CompanionRow(package, versions, tuple(releases.sources[name] for name in source_ids))


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
    `from source` if all rows build from source, and empty if there are no rows.
    """
    if not rows:
        return ""
    if all(row.method == "source" for row in rows):
        return message("from source")
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
    platforms: dict[str, str]
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
    catalog = site.catalog
    versions = VersionsData(
        newest_release=catalog.releases.newest.version,
        releases=tuple(
            ReleaseVersions(
                version=row.release.version,
                date=row.release.date,
                platforms={cell.platform_id: cell.words for cell in row.cells if cell.words},
            )
            for row in release_rows(site)
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
    yield data_file("versions.json", versions)


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

"""Which versions of PyTorch and of plugins fit together, over all platforms, for machines."""

from __future__ import annotations

from collections.abc import Iterable

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.fields import Day, Model
from accelerator_portal.catalog.sources import Source
from accelerator_portal.install.resolution import followed_releases
from accelerator_portal.site.release_pages import ReleaseRow


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

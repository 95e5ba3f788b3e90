"""How closely a platform follows PyTorch: its newest release, and how many it is behind."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import PREVIEW


@dataclass(frozen=True, slots=True)
class FollowedReleases:
    """`newest` and `oldest` are releases with a command here, or else in the vendor's own rows.

    `behind` counts PyTorch's minor releases after `newest`; all are None where nothing is known.
    """

    newest: str | None = None
    oldest: str | None = None
    behind: int | None = None
    has_command: bool = False


def followed_releases(catalog: Catalog, platform: Platform) -> FollowedReleases:
    """Return how closely `platform` follows PyTorch."""
    rows = rows_by_platform(catalog)[platform.id]
    installed = {row.build for row in rows if row.build != PREVIEW and row.method != "source"}
    versions = installed or {row.torch for row in platform.compatibility.rows}
    if not versions:
        return FollowedReleases()
    ordered = sorted(versions, key=Version)
    later = {
        minor_release(release.version)
        for release in catalog.releases.releases
        if minor_release(release.version) > minor_release(ordered[-1])
    }
    return FollowedReleases(ordered[-1], ordered[0], len(later), bool(installed))


def minor_release(version: str) -> tuple[int, ...]:
    """Return the minor release that a version belongs to: (2, 14) for 2.14.1."""
    return Version(version).release[:2]

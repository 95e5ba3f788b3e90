"""Builds `/api/v1/packages/`, and the page that compares platforms' packages."""

from __future__ import annotations

from collections.abc import Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.fields import Day, Model
from accelerator_portal.catalog.package_file import IndexFault
from accelerator_portal.packages.fitting import fits, home
from accelerator_portal.packages.news import News, news
from accelerator_portal.packages.release_lag import VersionBasis, lags
from accelerator_portal.site.lag_picture import lag_picture
from accelerator_portal.site.page import SiteFile, data_file
from accelerator_portal.site.templates import Templates

LAGS_PAGE = "versions/followed.md"

NEWEST = 10
"""So much news stands on the dashboard; the feed has more."""


class FitData(Model):
    """The newest plugin on its index that fits a torch release on one system."""

    torch: str
    """The torch release."""
    os: str
    """The operating system."""
    arch: str
    """The architecture."""
    plugin: str
    """The plugin's version."""
    date: Day | None = None
    """The day of its publication."""
    requires: str
    """What its metadata requires of torch, exactly."""
    python: tuple[str, ...]
    """Python versions for which both have wheels."""


class LagData(Model):
    """The release lag of a plugin for one torch release."""

    torch: str
    """The torch release."""
    released: Day
    """The day of its publication."""
    days: int
    """Days from the torch release to the plugin release, or to the latest look-up without one."""
    plugin: str | None = None
    """The first compatible final release. Absent if there is none yet."""
    followed: Day | None = None
    """The day of its publication."""
    basis: VersionBasis
    """Whether the compatibility is from package metadata or from the vendor's table."""


class NewsData(Model):
    """One piece of news."""

    date: Day
    """The day."""
    kind: str
    """`release`, `first` for a new torch, `behind` its limit, or `changed` under a version."""
    platform: str
    """Id of the platform."""
    words: str
    """The news."""


class PlatformPackages(Model):
    """Facts derived from a platform's package."""

    package: str
    """Its normalized name."""
    index: str
    """The index: `pypi`, or the address of the vendor's index."""
    fits: tuple[FitData, ...]
    """The version table derived from the index."""
    lags: tuple[LagData, ...]
    """How the plugin followed each torch release."""


class PackagesIndex(Model):
    """All packages that the portal follows, and the facts derived from them."""

    read: Day | None = None
    """The date on which the packages were read, except those in `later` and `faults`."""
    later: dict[str, Day]
    """Packages that were read later."""
    faults: tuple[IndexFault, ...]
    """Packages that couldn't be read. Their facts are older."""
    packages: dict[str, str]
    """Address of each package's facts, relative to this file."""
    platforms: dict[str, PlatformPackages]
    """By platform, those whose package is not torch itself."""
    news: tuple[NewsData, ...]
    """The news of a year, newest first."""


def packages_pages(catalog: Catalog, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page of who followed when, and the facts as data."""
    followed = [(platform, lags(catalog, platform)) for platform in catalog.platforms]
    shown = [(platform, found, lag_picture(found)) for platform, found in followed if found]
    releases = [
        release
        for release in catalog.releases.releases
        if any(lag.torch == release.version for _, found, _ in shown for lag in found)
    ]
    yield templates.page(
        LAGS_PAGE,
        followed=[(p, {lag.torch: lag for lag in found}, picture) for p, found, picture in shown],
        releases=releases,
    )
    for name, facts in sorted(catalog.packages.items()):
        yield data_file(f"packages/{name}.json", facts)
    yield data_file("packages.json", _index(catalog))


def newest_news(catalog: Catalog) -> tuple[News, ...]:
    """Return what the dashboard shows."""
    return news(catalog)[:NEWEST]


def _index(catalog: Catalog) -> PackagesIndex:
    read = catalog.packages_read
    return PackagesIndex(
        read=read.read,
        later=dict(read.later),
        faults=read.faults,
        packages={name: f"packages/{name}.json" for name in sorted(catalog.packages)},
        platforms=dict(_platforms(catalog)),
        news=tuple(map(NewsData.from_objects, news(catalog))),
    )


def _platforms(catalog: Catalog) -> Iterator[tuple[str, PlatformPackages]]:
    for platform in catalog.platforms:
        found = home(catalog, platform)
        if found is None:
            continue
        table = fits(catalog, found.facts) if found.facts else ()
        yield (
            platform.id,
            PlatformPackages(
                package=found.package,
                index=found.index,
                fits=tuple(
                    FitData.from_objects(
                        fit,
                        plugin=fit.release.version,
                        date=fit.release.date,
                        requires=fit.requirement,
                        python=fit.pythons,
                    )
                    for fit in table
                ),
                lags=tuple(map(LagData.from_objects, lags(catalog, platform))),
            ),
        )

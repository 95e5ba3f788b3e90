"""Builds the page of plugin release lags, and package facts for platforms' pages and JSON files.

The release lag of a plugin is the time from a PyTorch release to the plugin's release for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import (
    PYPI,
    IndexFacts,
    IndexFault,
    PackageFacts,
    PackagesRead,
)
from accelerator_portal.catalog.message import message, plural, semicolon_list
from accelerator_portal.install.rows import OS_LABELS
from accelerator_portal.packages.fitting_releases import (
    FittingRelease,
    PluginIndex,
    ReleaseLag,
    fitting_releases,
    last_read_day,
    plugin_index,
    release_lags,
    torch_requirements,
)
from accelerator_portal.packages.news import NewsItem, news
from accelerator_portal.site.plots import Bar, Frame, Plot, PlotAxis, bar_panel, linear_ticks
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import prose_list, python_range
from accelerator_reports.files.fields import Day, StrictModel


class FitData(StrictModel):
    """The newest release of a plugin for a torch release, an operating system and an architecture.

    The plugin's metadata states which torch releases it supports.
    """

    torch: str
    """The torch release."""
    os: str
    """The operating system."""
    arch: str
    """The architecture."""
    plugin: str
    """The plugin's version."""
    date: Day | None = None
    """The day on which the plugin version was published. Absent if unknown."""
    requires: str
    """The exact requirement on torch in the plugin's metadata."""
    python: tuple[str, ...]
    """Python versions for which the torch release and the plugin have wheels."""


class PlatformPackages(StrictModel):
    """The versions and the release lags of a platform's plugin package."""

    package: str
    """Normalized name of the package."""
    index: str
    """The index: `pypi`, or the address of the vendor's index."""
    fits: tuple[FitData, ...]
    """The newest fitting plugin for each torch release and system, derived from the index."""
    lags: tuple[ReleaseLag, ...]
    """The plugin's release lag for each torch release that it supports, and for all newer ones."""


class PackagesIndex(PackagesRead):
    """All packages that the portal follows, and the facts derived from them."""

    packages: dict[str, str]
    """Address of each package's facts, relative to this file."""
    platforms: dict[str, PlatformPackages]
    """The facts by platform id. Platforms without a plugin package of their own are absent."""
    news: tuple[NewsItem, ...]
    """The news of a year, newest first."""


_SHORTEST_AXIS = 90
"""The least length of the axis of days."""

SCHEMAS = {"packages": PackagesIndex, "package": PackageFacts}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of release lags."""
    followed = [
        (platform, {lag.torch: lag for lag in lags})
        for platform in site.catalog.platforms
        if (lags := release_lags(site.catalog, platform))
    ]
    releases = [
        release
        for release in site.catalog.releases.releases
        if any(release.version in lags for _, lags in followed)
    ]
    context = {
        "followed": followed,
        "releases": releases,
        "plots": lag_plots(site.catalog, [platform for platform, _ in followed]),
    }
    yield Page("versions/followed.md", context)


def lag_plots(catalog: Catalog, platforms: Sequence[Platform]) -> tuple[Plot, ...]:
    """Return a plot of the release lags of each platform's plugin, with the same axes."""
    lags_by_platform = {platform: release_lags(catalog, platform) for platform in platforms}
    all_lags = [lag for lags in lags_by_platform.values() for lag in lags]
    with_lag = {lag.torch for lag in all_lags}
    releases = [r.version for r in reversed(catalog.releases.releases) if r.version in with_lag]
    most = max((lag.days for lag in all_lags if lag.plugin), default=0)
    least = min((lag.days for lag in all_lags), default=0)
    limits = (min(least, 0), max(most, _SHORTEST_AXIS))
    plots = (_lag_plot(p, lags, releases, limits) for p, lags in lags_by_platform.items())
    return tuple(plot for plot in plots if plot)


def _lag_plot(
    platform: Platform,
    lags: Sequence[ReleaseLag],
    releases: Sequence[str],
    limits: tuple[float, float],
) -> Plot | None:
    lag_by_release = {lag.torch: lag for lag in lags}
    bars = []
    for release in releases:
        lag = lag_by_release.get(release)
        label = release.removesuffix(".0")
        value = lag.days if lag else None
        words = _lag_words(lag) if lag else ""
        bars.append(Bar(label, value, words, is_open=lag is not None and not lag.plugin))
    description = semicolon_list(bar.words for bar in bars if bar.words) if lags else ""
    frame = Frame(f"lag-{platform.id}", platform.accelerator.name, description)
    axis = PlotAxis(message("days"), (0, *linear_ticks(0, limits[1], 4)[1:]))
    return bar_panel(frame, bars, axis, limits)


def _lag_words(lag: ReleaseLag) -> str:
    if lag.plugin is None:
        return plural(
            "PyTorch {torch}: none after {count} day",
            "PyTorch {torch}: none after {count} days",
            lag.days,
            torch=lag.torch,
        )
    if lag.days < 0:
        return plural(
            "PyTorch {torch}: {plugin} {count} day earlier",
            "PyTorch {torch}: {plugin} {count} days earlier",
            -lag.days,
            torch=lag.torch,
            plugin=lag.plugin,
        )
    return plural(
        "PyTorch {torch}: {plugin} after {count} day",
        "PyTorch {torch}: {plugin} after {count} days",
        lag.days,
        torch=lag.torch,
        plugin=lag.plugin,
    )


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON files of package facts, and their index."""
    catalog = site.catalog
    for name, facts in sorted(catalog.packages.items()):
        yield data_file(f"packages/{name}.json", facts)
    index = PackagesIndex.from_objects(
        catalog.packages_read,
        packages={name: f"packages/{name}.json" for name in sorted(catalog.packages)},
        platforms=dict(_platform_packages(catalog)),
        news=news(catalog),
    )
    yield data_file("packages.json", index)


def _platform_packages(catalog: Catalog) -> Iterator[tuple[str, PlatformPackages]]:
    for platform in catalog.platforms:
        package_home = plugin_index(catalog, platform)
        if package_home is None:
            continue
        fits = fitting_releases(catalog, package_home.facts) if package_home.facts else ()
        yield (
            platform.id,
            PlatformPackages(
                package=package_home.package,
                index=package_home.index,
                fits=tuple(
                    FitData.from_objects(
                        fit,
                        plugin=fit.release.version,
                        date=fit.release.date,
                        requires=fit.requirement,
                        python=fit.pythons,
                    )
                    for fit in fits
                ),
                lags=release_lags(catalog, platform),
            ),
        )


@dataclass(frozen=True, slots=True)
class FitRow:
    """A row of the version table: a torch release and the newest plugin release for it.

    A torch release has several rows if the plugin release or the Python versions differ by system.
    `date` is the day of the plugin release. `pythons` is the range of Python versions: `3.10–3.13`.
    """

    torch: str
    plugin: str
    date: dt.date | None
    requires: tuple[tuple[str, str], ...]
    """Pairs of a requirement on torch, such as `==2.9.0`, and the systems on which the plugin has
    this requirement. The systems are one text: `Linux x86_64 and Linux aarch64`."""
    pythons: str
    stated: bool
    """Whether a row of the vendor's `compatibility.yaml` names this pair of versions."""


@dataclass(frozen=True, slots=True)
class PackageView:
    """The facts about a plugin package that the platform's page shows.

    `index` is the display name of the package's index. `facts` are what the index stated on the day
    `read`. `fault` describes a later failed attempt to read the index, or is None. `rows` is the
    version table. `plots` shows `lags`. If `index` is not PyPI, `other` has PyPI's facts about a
    package of the same name, or None.
    """

    package: str
    index: str
    read: dt.date | None
    fault: IndexFault | None
    facts: IndexFacts | None
    rows: tuple[FitRow, ...]
    lags: tuple[ReleaseLag, ...]
    plots: tuple[Plot, ...]
    other: IndexFacts | None

    @property
    def names_no_torch(self) -> bool:
        """Whether releases of the package state requirements, but none of them is on torch."""
        releases = self.facts.releases if self.facts else ()
        has_requirements = any(release.requires for release in releases)
        return has_requirements and not any(map(torch_requirements, releases))

    @property
    def newest(self) -> str | None:
        """The version of the newest release that is not yanked; None if there is none."""
        releases = self.facts.releases if self.facts else ()
        return next((r.version for r in releases if r.yanked is None), None)


def package_view(catalog: Catalog, platform: Platform) -> PackageView | None:
    """Return the facts about a platform's plugin package that the platform's page shows.

    None if the platform has no package of its own, or if nobody has tried to read the index yet.
    """
    package_home = plugin_index(catalog, platform)
    if package_home is None:
        return None
    fault = catalog.packages_read.fault(package_home.package, package_home.index)
    if package_home.facts is None and fault is None:
        return None
    return PackageView(
        package_home.package,
        index_name(package_home.index),
        last_read_day(catalog, package_home),
        fault,
        package_home.facts,
        tuple(_fit_rows(platform, package_home, catalog)),
        release_lags(catalog, platform),
        lag_plots(catalog, [platform]),
        package_home.other,
    )


def index_name(index: str) -> str:
    """Return the display name of a package index: `PyPI` for `pypi`, otherwise its address."""
    return "PyPI" if index == PYPI else index


def _fit_rows(platform: Platform, package_home: PluginIndex, catalog: Catalog) -> Iterator[FitRow]:
    fits = fitting_releases(catalog, package_home.facts) if package_home.facts else ()
    stated_pairs = {(row.torch, row.plugin) for row in platform.compatibility.rows}

    def fit_key(fit: FittingRelease) -> tuple[str, str, tuple[str, ...]]:
        return fit.torch, fit.release.version, fit.pythons

    ordered = sorted(fits, key=fit_key)
    ordered.sort(key=lambda fit: Version(fit.torch), reverse=True)
    for (torch, plugin, pythons), group in groupby(ordered, key=fit_key):
        row_fits = list(group)
        systems: dict[str, list[str]] = {}
        for fit in row_fits:
            systems.setdefault(fit.requirement, []).append(f"{OS_LABELS[fit.os]} {fit.arch}")
        yield FitRow(
            torch,
            plugin,
            row_fits[0].release.date,
            tuple(
                (requirement, prose_list(system_names))
                for requirement, system_names in systems.items()
            ),
            python_range(pythons),
            (torch, plugin) in stated_pairs,
        )

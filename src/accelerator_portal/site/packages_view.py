"""Describes what package indexes state, beside what the vendor wrote."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.package_file import PYPI, IndexFacts, IndexFault
from accelerator_portal.install.labels import OS
from accelerator_portal.packages.fitting import Fit, Home, fits, home, torch_requirements
from accelerator_portal.packages.release_lag import Lag, lags, read_on
from accelerator_portal.site.lag_picture import lag_picture
from accelerator_portal.site.words import listed, python_range


@dataclass(frozen=True, slots=True)
class FitRow:
    """The newest plugin for a torch release, on systems with the same Python versions."""

    torch: str
    plugin: str
    date: dt.date | None
    requires: tuple[tuple[str, str], ...]
    """What it requires of torch, and on which systems."""
    pythons: str
    stated: bool
    """Whether the vendor's rows name this pair."""


@dataclass(frozen=True, slots=True)
class PackageView:
    """What is known of a platform's package.

    `read` is the day for which it holds; `fault` why it could not be read since, or at all.
    """

    package: str
    index: str
    read: dt.date | None
    fault: IndexFault | None
    facts: IndexFacts | None
    rows: tuple[FitRow, ...]
    lags: tuple[Lag, ...]
    picture: Markup | None
    other: IndexFacts | None

    @property
    def names_no_torch(self) -> bool:
        """Whether releases were asked what they require, and none says which torch it is for."""
        releases = self.facts.releases if self.facts else ()
        asked = any(release.requires for release in releases)
        return asked and not any(map(torch_requirements, releases))

    @property
    def newest(self) -> str | None:
        """The newest release that was not withdrawn."""
        releases = self.facts.releases if self.facts else ()
        return next((r.version for r in releases if r.yanked is None), None)


def package_view(catalog: Catalog, platform: Platform) -> PackageView | None:
    """Return what the platform's page shows; None where nobody ever asked an index."""
    found = home(catalog, platform)
    if found is None:
        return None
    fault = catalog.packages_read.fault(found.package, found.index)
    if found.facts is None and fault is None:
        return None
    followed = lags(catalog, platform)
    return PackageView(
        found.package,
        index_name(found.index),
        read_on(catalog, found),
        fault,
        found.facts,
        tuple(_rows(platform, found, catalog)),
        followed,
        lag_picture(followed),
        found.other,
    )


def index_name(index: str) -> str:
    """Return the name of an index as readers see it."""
    return "PyPI" if index == PYPI else index


def _rows(platform: Platform, found: Home, catalog: Catalog) -> Iterator[FitRow]:
    table = fits(catalog, found.facts) if found.facts else ()
    stated = {(row.torch, row.plugin) for row in platform.compatibility.rows}

    def same(fit: Fit) -> tuple[str, str, tuple[str, ...]]:
        return fit.torch, fit.release.version, fit.pythons

    ordered = sorted(table, key=same)
    ordered.sort(key=lambda fit: Version(fit.torch), reverse=True)
    for (torch, plugin, pythons), together in groupby(ordered, key=same):
        fitting = list(together)
        systems: dict[str, list[str]] = {}
        for fit in fitting:
            systems.setdefault(fit.requirement, []).append(f"{OS[fit.os]} {fit.arch}")
        yield FitRow(
            torch,
            plugin,
            fitting[0].release.date,
            tuple((requirement, listed(on)) for requirement, on in systems.items()),
            python_range(pythons),
            (torch, plugin) in stated,
        )

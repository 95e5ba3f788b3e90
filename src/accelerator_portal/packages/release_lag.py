"""Computes by how many days a plugin trailed each torch release."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.package_file import IndexFacts, ReleaseFacts
from accelerator_portal.catalog.results_folder import cached_by_owner
from accelerator_portal.packages.fitting import Home, admits, home, torch_requirements, usable
from accelerator_portal.packages.questions import MOST_RELEASES

VersionBasis = Literal["index", "vendor"]
"""Who says which plugin fits: the index's metadata, or the vendor's rows if it names no torch."""


@dataclass(frozen=True, slots=True)
class Lag:
    """The release lag of a plugin for one torch release.

    `days` count from the day of the torch release to that of the first final plugin release that
    fits it; below zero where the plugin was there before. Without a `plugin` they count to the day
    on which the index was read: there is none yet.
    """

    torch: str
    released: dt.date
    days: int
    plugin: str | None
    followed: dt.date | None
    basis: VersionBasis


@cached_by_owner
def lags(catalog: Catalog, platform: Platform) -> tuple[Lag, ...]:
    """Return the lag of each torch release that the plugin ever followed, and of all later ones.

    Newest first; none where nothing is known of dates. A torch release that the oldest kept plugin
    fits is left out where older ones are not kept: the first might be one of those.
    """
    found = home(catalog, platform)
    if found is None or found.facts is None or not found.facts.releases:
        return ()
    firsts = dict(_firsts(catalog, platform, found.facts))
    if not firsts:
        return ()
    newest = max(map(Version, firsts))
    read = read_on(catalog, found)
    result = []
    for torch in catalog.releases.releases:
        if torch.version in firsts:
            release, basis = firsts[torch.version]
            if release.date is None:
                continue
            days = (release.date - torch.date).days
            lag = Lag(torch.version, torch.date, days, release.version, release.date, basis)
            result.append(lag)
        elif Version(torch.version) > newest and read:
            basis = next(iter(firsts.values()))[1]
            days = (read - torch.date).days
            result.append(Lag(torch.version, torch.date, days, None, None, basis))
    return tuple(result)


def read_on(catalog: Catalog, found: Home) -> dt.date | None:
    """Return the day for which an index's facts hold; None where they could not be read.

    An index that could not be read keeps its facts as of the day before the first failure.
    """
    if found.facts is None:
        return None
    read = catalog.packages_read
    fault = read.fault(found.package, found.index)
    day = read.later.get(found.package) or read.read
    if fault is None:
        return day
    return min(fault.since, day) if day else fault.since


def _firsts(
    catalog: Catalog, platform: Platform, facts: IndexFacts
) -> Iterator[tuple[str, tuple[ReleaseFacts, VersionBasis]]]:
    """The first release that fits, by torch release."""
    final = [r for r in usable(facts.releases) if r.date]
    oldest = final[-1] if len(final) >= MOST_RELEASES else None
    by_metadata = any(torch_requirements(release) for release in final)
    basis: VersionBasis = "index" if by_metadata else "vendor"
    for torch in catalog.releases.releases:
        if by_metadata:
            fitting = [r for r in final if _fits(r, torch.version)]
        else:
            rows = platform.compatibility.rows
            named = {row.plugin for row in rows if row.torch == torch.version}
            fitting = [r for r in final if r.version in named]
        if fitting and oldest not in fitting:
            first = min(fitting, key=lambda r: (r.date or dt.date.max, Version(r.version)))
            yield torch.version, (first, basis)


def _fits(release: ReleaseFacts, torch: str) -> bool:
    return any(admits(said, torch) for said in torch_requirements(release).values())

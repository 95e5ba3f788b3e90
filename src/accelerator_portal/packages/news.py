"""Finds news: package releases, later changes of releases, and platforms far behind PyTorch.

A package release can be the first that fits a torch release. A platform is far behind if it is more
minor releases behind PyTorch than the criteria allow.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.cached import cached_by_owner
from accelerator_portal.catalog.files.package_file import EVERY, FactChange
from accelerator_portal.catalog.message import joined, message
from accelerator_portal.install.resolution import followed_releases, minor_release
from accelerator_portal.packages.fitting import Home, home, lags, usable

NewsKind = Literal["release", "first", "behind", "changed"]

# Older items are no news.
NEWS_DAYS = 365

_OF = {
    "requires": message("its requirements"),
    "python": message("its Python range"),
    "cuda": message("its CUDA version"),
}


@dataclass(frozen=True, slots=True)
class News:
    """A news item about a platform's package.

    `platform` is the platform's id. `key` is the item's permanent identifier, which stays the same
    when `words` change.
    """

    date: dt.date
    kind: NewsKind
    platform: str
    key: str
    words: str


@cached_by_owner
def news(catalog: Catalog) -> tuple[News, ...]:
    """Return the news of the year before the day on which packages were last read, newest first.

    Items with a later date are omitted.
    """
    found = [item for platform in catalog.platforms for item in _of(catalog, platform)]
    order = ("changed", "first", "behind", "release")
    found.sort(key=lambda item: (order.index(item.kind), item.platform))  # what matters most first
    found.sort(key=lambda item: item.date, reverse=True)
    read = catalog.packages_read
    if not found:
        return ()
    last = max(filter(None, (read.read, *read.later.values())), default=found[0].date)
    since = last - dt.timedelta(days=NEWS_DAYS)
    return tuple(item for item in found if since <= item.date <= last)


def _of(catalog: Catalog, platform: Platform) -> Iterator[News]:
    found = home(catalog, platform)
    if found and found.facts:
        yield from _releases(catalog, platform, found)
        yield from _changes(catalog, platform, found)
    yield from _behind(catalog, platform)


def _releases(catalog: Catalog, platform: Platform, found: Home) -> Iterator[News]:
    firsts: dict[str, list[str]] = {}
    for lag in lags(catalog, platform):
        if lag.plugin:
            firsts.setdefault(lag.plugin, []).append(lag.torch)
    for release in usable(found.facts.releases) if found.facts else ():
        if release.date is None:
            continue
        key = f"{found.package}:{release.version}"
        first = firsts.get(release.version)
        package = f"{found.package} {release.version}"
        if first:
            words = message(
                "{package} was published, the first release for torch {versions}",
                package=package,
                versions=joined(first),
            )
        else:
            words = message("{package} was published", package=package)
        kind: NewsKind = "first" if first else "release"
        yield News(release.date, kind, platform.id, key, words)


def _changes(catalog: Catalog, platform: Platform, found: Home) -> Iterator[News]:
    for change in catalog.packages[found.package].changes:
        if change.index == found.index:
            where = "" if change.on == EVERY else f":{change.on}"
            name = f"{found.package}:{change.version}:{change.of}{where}:{change.date}"
            words = _changed(f"{found.package} {change.version}", change)
            yield News(change.date, "changed", platform.id, name, words)


def _changed(package: str, change: FactChange) -> str:
    if change.of == "removed":
        return message("{package} is no longer on its index", package=package)
    if change.of == "yanked" and change.after:
        return message("{package} was withdrawn", package=package)
    if change.of == "yanked":
        return message("{package} is no longer yanked", package=package)
    what: str = _OF[change.of]
    if change.on != EVERY:
        what = message("{what} for {system}", what=what, system=change.on)
    return message(
        "{package} changed {what} under the same version: {before} → {after}",
        package=package,
        what=what,
        before=change.before or message("nothing"),
        after=change.after or message("nothing"),
    )


def _behind(catalog: Catalog, platform: Platform) -> Iterator[News]:
    """Yield a news item if a platform is too many minor releases behind PyTorch.

    The limit is `most_minors_behind` in the catalog's criteria. The date of the item is the date of
    the PyTorch release with which the platform exceeded the limit.
    """
    most = catalog.criteria.most_minors_behind if catalog.criteria else None
    newest = followed_releases(catalog, platform).newest
    if most is None or newest is None:
        return
    minors: dict[tuple[int, ...], dt.date] = {}
    for release in catalog.releases.releases:
        minor = minor_release(release.version)
        if minor > minor_release(newest):
            minors[minor] = min(release.date, minors.get(minor, release.date))
    if len(minors) <= most:
        return
    over = sorted(minors)[most]
    words = message(
        "more than {most} minor releases behind since torch {release}; "
        "the newest supported release is {newest}",
        release=f"{over[0]}.{over[1]}",
        most=most,
        newest=newest,
    )
    yield News(minors[over], "behind", platform.id, f"{platform.id}:behind:{newest}", words)

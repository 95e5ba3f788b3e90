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
from accelerator_portal.catalog.files.package_file import ANY_PLATFORM_TAG, FactChange
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.install.resolution import minor_release, supported_releases
from accelerator_portal.packages.fitting import (
    PluginIndex,
    plugin_index,
    release_lags,
    usable_releases,
)

NewsKind = Literal["release", "first", "behind", "changed"]

# Older items are no news.
NEWS_DAYS = 365

_CHANGED_FACT_NAMES = {
    "requires": message("its requirements"),
    "python": message("its Python range"),
    "cuda": message("its CUDA version"),
}


@dataclass(frozen=True, slots=True)
class NewsItem:
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
def news(catalog: Catalog) -> tuple[NewsItem, ...]:
    """Return the news of the last year (NEWS_DAYS days), newest first.

    The year ends on the last day on which packages were read. Items with a later date are omitted.
    If packages were never read, the year ends on the date of the newest item.
    """
    found = [item for platform in catalog.platforms for item in _platform_news(catalog, platform)]
    order = ("changed", "first", "behind", "release")
    found.sort(key=lambda item: (order.index(item.kind), item.platform))  # what matters most first
    found.sort(key=lambda item: item.date, reverse=True)
    read = catalog.packages_read
    if not found:
        return ()
    last = max(filter(None, (read.read, *read.later.values())), default=found[0].date)
    since = last - dt.timedelta(days=NEWS_DAYS)
    return tuple(item for item in found if since <= item.date <= last)


def _platform_news(catalog: Catalog, platform: Platform) -> Iterator[NewsItem]:
    own_index = plugin_index(catalog, platform)
    if own_index and own_index.facts:
        yield from _release_news(catalog, platform, own_index)
        yield from _change_news(catalog, platform, own_index)
    yield from _behind_news(catalog, platform)


def _release_news(
    catalog: Catalog, platform: Platform, own_index: PluginIndex
) -> Iterator[NewsItem]:
    firsts: dict[str, list[str]] = {}
    for lag in release_lags(catalog, platform):
        if lag.plugin:
            firsts.setdefault(lag.plugin, []).append(lag.torch)
    for release in usable_releases(own_index.facts.releases) if own_index.facts else ():
        if release.date is None:
            continue
        key = f"{own_index.package}:{release.version}"
        first = firsts.get(release.version)
        package = f"{own_index.package} {release.version}"
        if first:
            words = message(
                "{package} was published, the first release for torch {versions}",
                package=package,
                versions=comma_list(first),
            )
        else:
            words = message("{package} was published", package=package)
        kind: NewsKind = "first" if first else "release"
        yield NewsItem(release.date, kind, platform.id, key, words)


def _change_news(
    catalog: Catalog, platform: Platform, own_index: PluginIndex
) -> Iterator[NewsItem]:
    for change in catalog.packages[own_index.package].changes:
        if change.index == own_index.index:
            where = "" if change.on == ANY_PLATFORM_TAG else f":{change.on}"
            name = f"{own_index.package}:{change.version}:{change.of}{where}:{change.date}"
            words = _change_message(f"{own_index.package} {change.version}", change)
            yield NewsItem(change.date, "changed", platform.id, name, words)


def _change_message(package: str, change: FactChange) -> str:
    if change.of == "removed":
        return message("{package} is no longer on its index", package=package)
    if change.of == "yanked" and change.after:
        return message("{package} was withdrawn", package=package)
    if change.of == "yanked":
        return message("{package} is no longer yanked", package=package)
    what: str = _CHANGED_FACT_NAMES[change.of]
    if change.on != ANY_PLATFORM_TAG:
        what = message("{what} for {system}", what=what, system=change.on)
    return message(
        "{package} changed {what} under the same version: {before} → {after}",
        package=package,
        what=what,
        before=change.before or message("nothing"),
        after=change.after or message("nothing"),
    )


def _behind_news(catalog: Catalog, platform: Platform) -> Iterator[NewsItem]:
    """Yield a news item if a platform is too many minor releases behind PyTorch.

    The limit is `most_minors_behind` in the catalog's criteria. The date of the item is the date of
    the PyTorch release with which the platform exceeded the limit.
    """
    most = catalog.criteria.most_minors_behind if catalog.criteria else None
    newest = supported_releases(catalog, platform).newest
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
    yield NewsItem(minors[over], "behind", platform.id, f"{platform.id}:behind:{newest}", words)

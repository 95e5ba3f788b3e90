"""Derives news about platforms from their packages: new and changed releases, and release lag.

A news item is about a new package release, about a published release whose metadata changed, or
about a platform that is more minor releases behind PyTorch than the criteria allow.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import ANY_PLATFORM_TAG, FactChange, IndexFacts
from accelerator_portal.catalog.grouping import cached_by_owner, grouped
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.install.resolution import minor_release, supported_releases
from accelerator_portal.packages.fitting_releases import (
    PluginIndex,
    plugin_index,
    release_lags,
    usable_releases,
)
from accelerator_reports.files.fields import DESCRIBED, UNPUBLISHED

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
    """A news item about a platform's package."""

    __pydantic_config__ = DESCRIBED

    date: dt.date
    """The date of the news."""
    kind: NewsKind
    """`release`: a new release. `first`: the first release for a torch version. `behind`: the
    platform is more releases behind than allowed. `changed`: a published version changed."""
    platform: str
    """Id of the platform."""
    key: Annotated[str, UNPUBLISHED]
    """Identifies the item permanently."""
    words: str
    """The text of the news."""


@cached_by_owner
def news(catalog: Catalog) -> tuple[NewsItem, ...]:
    """Return the news of all platforms in the last year (NEWS_DAYS days), newest first.

    The year ends on the last day on which packages were read. Items with a later date are omitted.
    If packages were never read, the year ends on the date of the newest item.
    """
    items = [item for platform in catalog.platforms for item in _platform_news(catalog, platform)]
    kinds = ("changed", "first", "behind", "release")
    items.sort(key=lambda item: (kinds.index(item.kind), item.platform))  # what matters most first
    items.sort(key=lambda item: item.date, reverse=True)
    read_days = catalog.packages_read
    if not items:
        return ()
    last_day = max(filter(None, (read_days.read, *read_days.later.values())), default=items[0].date)
    first_day = last_day - dt.timedelta(days=NEWS_DAYS)
    return tuple(item for item in items if first_day <= item.date <= last_day)


def _platform_news(catalog: Catalog, platform: Platform) -> Iterator[NewsItem]:
    own_index = plugin_index(catalog, platform)
    if own_index and own_index.facts:
        yield from _release_news(catalog, platform, own_index.package, own_index.facts)
        yield from _change_news(catalog, platform, own_index)
    yield from _behind_news(catalog, platform)


def _release_news(
    catalog: Catalog, platform: Platform, package: str, facts: IndexFacts
) -> Iterator[NewsItem]:
    lags = release_lags(catalog, platform)
    torch_by_plugin = grouped((lag.plugin, lag.torch) for lag in lags if lag.plugin)
    for release in usable_releases(facts.releases):
        if release.date is None:
            continue
        kind: NewsKind = "release"
        name = f"{package} {release.version}"
        text: str = message("{package} was published", package=name)
        if torch_versions := torch_by_plugin.get(release.version):
            kind = "first"
            text = message(
                "{package} was published, the first release for torch {versions}",
                package=name,
                versions=comma_list(torch_versions),
            )
        yield NewsItem(release.date, kind, platform.id, f"{package}:{release.version}", text)


def _change_news(
    catalog: Catalog, platform: Platform, own_index: PluginIndex
) -> Iterator[NewsItem]:
    for change in catalog.packages[own_index.package].changes:
        if change.index == own_index.index:
            tag_suffix = "" if change.on == ANY_PLATFORM_TAG else f":{change.on}"
            key = f"{own_index.package}:{change.version}:{change.of}{tag_suffix}:{change.date}"
            text = _change_message(f"{own_index.package} {change.version}", change)
            yield NewsItem(change.date, "changed", platform.id, key, text)


def _change_message(package: str, change: FactChange) -> str:
    if change.of == "removed":
        return message("{package} is no longer on its index", package=package)
    if change.of == "yanked" and change.after:
        return message("{package} was withdrawn", package=package)
    if change.of == "yanked":
        return message("{package} is no longer yanked", package=package)
    fact_name: str = _CHANGED_FACT_NAMES[change.of]
    if change.on != ANY_PLATFORM_TAG:
        fact_name = message("{what} for {system}", what=fact_name, system=change.on)
    return message(
        "{package} changed {what} under the same version: {before} → {after}",
        package=package,
        what=fact_name,
        before=change.before or message("nothing"),
        after=change.after or message("nothing"),
    )


def _behind_news(catalog: Catalog, platform: Platform) -> Iterator[NewsItem]:
    """Yield a news item if a platform is too many minor releases behind PyTorch.

    The limit is `most_minors_behind` in the catalog's criteria. The date of the item is the date of
    the PyTorch release with which the platform exceeded the limit.
    """
    max_minors = catalog.criteria.most_minors_behind if catalog.criteria else None
    newest = supported_releases(catalog, platform).newest
    if max_minors is None or newest is None:
        return
    dates: dict[tuple[int, ...], dt.date] = {}
    for release in catalog.releases.releases:
        minor = minor_release(release.version)
        if minor > minor_release(newest):
            dates[minor] = min(release.date, dates.get(minor, release.date))
    if len(dates) <= max_minors:
        return
    first_over = sorted(dates)[max_minors]
    text = message(
        "more than {most} minor releases behind since torch {release}; "
        "the newest supported release is {newest}",
        release=f"{first_over[0]}.{first_over[1]}",
        most=max_minors,
        newest=newest,
    )
    yield NewsItem(dates[first_over], "behind", platform.id, f"{platform.id}:behind:{newest}", text)

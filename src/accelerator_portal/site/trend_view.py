"""Describes the trends of a platform's suites for pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.results.standing import Basis
from accelerator_portal.site.trend_picture import Trend, good, total


@dataclass(frozen=True, slots=True)
class Figure:
    """The picture of a suite's trend with what it shows in words."""

    picture: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class TrendGroup:
    """The trends of one platform, either of its runs or of what is expected of them."""

    title: str
    figures: tuple[Figure, ...]


def trend_group(
    catalog: Catalog, platform: Platform, basis: Basis, trends: Iterable[Trend]
) -> TrendGroup:
    """Return the trends of a platform's suites."""
    expected = basis == "baselines"
    title = f"{platform.accelerator.name}{': baseline, not runs' if expected else ''}"
    return TrendGroup(title, tuple(_figures(catalog, trends, expected=expected)))


def _figures(catalog: Catalog, trends: Iterable[Trend], *, expected: bool) -> Iterator[Figure]:
    verb = "expected to pass" if expected else "passed"
    for trend in trends:
        suite = catalog.suites.get(trend.suite)
        first, last = (f"{good(t):,} of {total(t):,}" for t in (trend.first, trend.last))
        start, end = trend.first.started.date(), trend.until.date()
        title = suite.title if suite else trend.suite
        yield Figure(trend.picture, f"{title}: {first} {verb} on {start}, {last} on {end}")

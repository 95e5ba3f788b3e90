"""The quality dashboard as its template reads it: breakages and trends in words."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.loader import KNOWN_ISSUES
from accelerator_portal.results.breakages import Breakage, EnvironmentDifference
from accelerator_portal.results.standing import Basis
from accelerator_portal.site.trend_picture import Trend, good, total


@dataclass(frozen=True, slots=True)
class BreakageRow:
    """A breakage of a platform; `command` repeats the test, where a run says how.

    `declare` is the query of GitHub's form for a new file: the breakage as a known issue.
    """

    breakage: Breakage
    platform: Platform
    age: str
    differences: str
    command: str | None
    declare: str


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


def breakage_row(
    platform: Platform, breakage: Breakage, command: str | None, at: dt.datetime
) -> BreakageRow:
    """Return a row; `at` is the moment that ages are counted to."""
    hours = int(breakage.age.total_seconds() // 3600)
    return BreakageRow(
        breakage,
        platform,
        f"{hours} h{', overdue' if breakage.overdue else ''}",
        "; ".join(map(_difference, breakage.differences)) or "nothing that is stated",
        command,
        _declare(platform, breakage, at),
    )


def trend_group(
    catalog: Catalog, platform: Platform, basis: Basis, trends: Iterable[Trend]
) -> TrendGroup:
    """Return the trends of a platform's suites."""
    expected = basis == "baselines"
    title = f"{platform.accelerator.name}{': expectations, no runs' if expected else ''}"
    return TrendGroup(title, tuple(_figures(catalog, trends, expected=expected)))


def _figures(catalog: Catalog, trends: Iterable[Trend], *, expected: bool) -> Iterator[Figure]:
    verb = "expected to pass" if expected else "passed"
    for trend in trends:
        suite = catalog.suites.get(trend.suite)
        first, last = (f"{good(t):,} of {total(t):,}" for t in (trend.first, trend.last))
        start, end = trend.first.started.date(), trend.until.date()
        title = suite.title if suite else trend.suite
        yield Figure(trend.picture, f"{title}: {first} {verb} on {start}, {last} on {end}")


def _difference(found: EnvironmentDifference) -> str:
    return f"{found.what}: {found.before or 'not stated'} → {found.after or 'not stated'}"


def _declare(platform: Platform, breakage: Breakage, at: dt.datetime) -> str:
    text = (
        f"issues:\n  - test: {json.dumps(breakage.key)}\n    action: expect\n"
        "    reason: \n    url: https://github.com/\n"
        f"    expires: {at.date() + dt.timedelta(days=30)}\n"
    )
    return f"?{urlencode({'filename': platform.path(KNOWN_ISSUES), 'value': text})}"

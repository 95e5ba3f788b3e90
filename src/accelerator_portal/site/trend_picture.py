"""Draws a suite's results over time: how many tests there are, and how many pass.

Programmed here: two step lines and their labels are less than a drawing library would need to be
told, and the picture takes the page's own colors.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from accelerator_portal.reports.outcomes import GOOD
from accelerator_portal.results.tables import Tally

WIDTH, HEIGHT = 600, 120
_BOTTOM = 18
"""Room for the dates below the lines."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A suite over time; a picture needs at least two moments."""

    suite: str
    first: Tally
    last: Tally
    until: dt.datetime
    picture: Markup


def good(tally: Tally) -> int:
    """Return how many tests passed, or are expected to."""
    return sum(n for outcome, n in tally.counts.items() if outcome in GOOD)


def total(tally: Tally) -> int:
    """Return how many tests there are."""
    return sum(tally.counts.values())


def trend(suite: str, tallies: Sequence[Tally], until: dt.datetime) -> Trend | None:
    """Return the trend up to the last report; None where there is one moment only."""
    if not tallies or tallies[0].started == until:
        return None
    return Trend(suite, tallies[0], tallies[-1], until, _picture(tallies, until))


def _picture(tallies: Sequence[Tally], until: dt.datetime) -> Markup:
    start = tallies[0].started
    span = (until - start).total_seconds()
    most = max(map(total, tallies)) or 1
    floor = HEIGHT - _BOTTOM

    def across(moment: dt.datetime) -> str:
        return f"{WIDTH * (moment - start).total_seconds() / span:.1f}"

    def line(count: Callable[[Tally], int]) -> str:
        """A step line: what a report said holds until the next one."""
        heights = [f"{floor - (floor - 2) * count(tally) / most:.1f}" for tally in tallies]
        steps = (f"H{across(t.started)}V{y}" for t, y in zip(tallies, heights, strict=True))
        return f"M0 {heights[0]}{''.join(steps)}H{WIDTH}"

    years = [
        dt.datetime(y, 1, 1, tzinfo=dt.timezone.utc) for y in range(start.year + 1, until.year + 1)
    ]
    ticks = "".join(
        f'<path class="trend-year" d="M{across(year)} 0V{HEIGHT}"/>'
        f'<text x="{across(year)}" dx="4" y="{HEIGHT - 4}">{year.year}</text>'
        for year in years
    )
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="trend" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">'
        f'{ticks}<path class="trend-base" d="M0 {floor}H{WIDTH}"/>'
        f'<path class="trend-total" d="{line(total)}"/>'
        f'<path class="trend-good" d="{line(good)}"/></svg>'
    )

"""Builds the page with metrics of the nightly updates: duration, network traffic and failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.site.site import NightMetrics, Operations, Page, Site, StepMetrics
from accelerator_portal.site.site_file import SiteFile, data_file

SCHEMAS = {"operations": Operations}

MOST_SHOWN = 30
"""The maximum number of nights on the page; the JSON has all nights of the archive."""


@dataclass(frozen=True, slots=True)
class StepComparison:
    """A step of the newest nightly run, compared with earlier runs."""

    step: StepMetrics
    usual_seconds: float | None
    """The median duration of the step in earlier nightly runs, in seconds. None if no earlier run
    has the step."""


def pages(site: Site) -> Iterator[Page]:
    """Yield the page."""
    nights = _newest_first(site)[:MOST_SHOWN]
    context = {"nights": nights, "steps": compare_steps(nights), "duration": duration}
    yield Page("contribute/operations.md", context)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file of nightly metrics."""
    yield data_file("operations.json", Operations(nights=_newest_first(site)))


def _newest_first(site: Site) -> tuple[NightMetrics, ...]:
    return tuple(sorted(site.edition.nights, key=lambda night: night.started, reverse=True))


def compare_steps(nights: Sequence[NightMetrics]) -> tuple[StepComparison, ...]:
    """Return the steps of the newest nightly run, `nights[0]`, compared with the earlier runs."""
    if not nights:
        return ()
    newest, *other_nights = nights
    steps = (step for night in other_nights for step in night.steps)
    seconds_by_step = grouped((step.name, step.seconds) for step in steps)
    return tuple(
        StepComparison(
            step, median(seconds_by_step[step.name]) if step.name in seconds_by_step else None
        )
        for step in newest.steps
    )


def duration(seconds: float) -> str:
    """Return a duration in words: `4.2 s`, `12 min 5 s`, `1 h 20 min`."""
    if (tenths := round(seconds, 1)) < 60:  # noqa: PLR2004 - a minute
        return f"{tenths:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"

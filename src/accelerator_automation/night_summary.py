"""Writes the summary of a nightly update of the portal's data, as Markdown for GitHub Actions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from accelerator_automation.feeds import FetchResult
from accelerator_automation.issues import Issues
from accelerator_automation.step_runner import StepResult
from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.catalog.wording import count
from accelerator_portal.results.breakages import Breakage


@dataclass(frozen=True, slots=True)
class Night:
    """The results of a nightly run, from which its summary is written."""

    steps: tuple[StepResult, ...]
    fetched: tuple[FetchResult, ...] = ()
    """The result for each feed, and for each report of this project's own runs."""
    set_aside: Mapping[str, tuple[Problem, ...]] | None = None
    """The problems of each quarantined folder, by platform id. Empty or None if there are none."""
    overdue: tuple[tuple[str, Breakage], ...] = ()
    """The regressions older than the deadline, each with the id of its platform."""
    difference: str = ""
    """The changes on the site, as Markdown."""
    standing_in: Mapping[str, dt.date] = field(default_factory=dict)
    """By platform id, the day since which the site shows the last valid version of a quarantined
    platform."""
    issues: Issues | None = None
    """How many issues of regressions were opened, updated and closed. None without the step
    `issues`."""
    published: bool = False
    """Whether the site was built, because something had changed."""

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return any(step.failed for step in self.steps)

    @property
    def is_to_publish(self) -> bool:
        """Whether to publish the site.

        False if the step `site` failed. Otherwise, true if the site was built or another step
        failed: the operations page of the site shows the failure.
        """
        site_failed = any(step.failed for step in self.steps if step.name == "site")
        return not site_failed and (self.published or self.failed)


def summary(night: Night, catalog: Catalog) -> str:
    """Return the summary as Markdown. Markdown in text from vendors has no effect."""
    lines = ["# Nightly", "", *(_step_item(step) for step in night.steps)]
    changed_feeds = [feed for feed in night.fetched if feed.outcome != "unchanged"]
    if night.fetched and not changed_feeds:
        lines += ["", "No new reports."]
    for title, outcome in (
        ("New reports", "new"),
        ("Rejected (the last valid report stays)", "refused"),
        ("Not reachable (the last valid report stays)", "unreachable"),
    ):
        feeds = [feed for feed in changed_feeds if feed.outcome == outcome]
        if feeds:
            lines += ["", f"## {title}", "", *(_feed_item(feed) for feed in feeds)]
    if night.set_aside:
        lines += ["", "## Quarantined", ""]
        for folder, problems in night.set_aside.items():
            since = night.standing_in.get(folder)
            shown_text = (
                f"shown in its last valid version, from before {since}" if since else "not shown"
            )
            lines += [f"- {code_span(folder)}, {shown_text}: {code_span(str(problems[0]))}"]
    if night.overdue:
        names = {platform.id: platform.accelerator.name for platform in catalog.platforms}
        lines += ["", "## Overdue", ""]
        for accelerator, breakage in night.overdue:
            name, key = code_span(names[accelerator]), code_span(breakage.key)
            hours = int(breakage.age.total_seconds() // 3600)
            lines += [f"- {name}: {key}, {count(hours, 'hour')}"]
    if night.issues and night.issues.waiting:
        lines += ["", f"Regressions without an issue yet: {night.issues.waiting:,}."]
    if night.difference:
        lines += ["", "## Changes on the site", "", night.difference.strip()]
    return "\n".join(lines) + "\n"


def _step_item(step: StepResult) -> str:
    return f"- {'**failed** ' if step.failed else ''}{step.name}: {code_span(step.words)}"


def _feed_item(feed: FetchResult) -> str:
    why = f": {code_span(feed.why[0])}" if feed.why else ""
    more = f" and {len(feed.why) - 1} more" if len(feed.why) > 1 else ""
    return f"- {code_span(f'{feed.accelerator}/{feed.name}')}{why}{more}"

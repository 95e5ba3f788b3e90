"""Writes the summary of a nightly update of the portal's data, as Markdown for GitHub Actions."""

from __future__ import annotations

from accelerator_automation.feeds import FetchResult
from accelerator_automation.night_steps import NightRun
from accelerator_automation.step_runner import StepResult
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_reports.files.wording import count

_MOST_PROBLEMS = 20
"""The maximum number of problems of a step in the summary."""

_MOST_CHARACTERS = 1500
"""The maximum length of a problem in the summary. A `Problem` is shorter, so that its fix shows."""


def summary(night: NightRun) -> str:
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
    if quarantined := night.set_aside():
        lines += ["", "## Quarantined", ""]
        for folder, problems in quarantined.items():
            since = night.standing_in.get(folder)
            shown_text = (
                f"shown in its last valid version, from before {since}" if since else "not shown"
            )
            problem_text = code_span(str(problems[0]), _MOST_CHARACTERS)
            lines += [f"- {code_span(folder)}, {shown_text}: {problem_text}"]
    if overdue := night.overdue():
        names = {platform.id: platform.accelerator.name for platform in night.catalog.platforms}
        lines += ["", "## Overdue", ""]
        for accelerator, breakage in overdue:
            name, key = code_span(names[accelerator]), code_span(breakage.key)
            hours = int(breakage.age.total_seconds() // 3600)
            lines += [f"- {name}: {key}, {count(hours, 'hour')}"]
    if night.issues and night.issues.waiting:
        lines += ["", f"Regressions without an issue yet: {night.issues.waiting:,}."]
    if night.difference:
        lines += ["", "## Changes on the site", "", night.difference.strip()]
    return "\n".join(lines) + "\n"


def _step_item(step: StepResult) -> str:
    title, lines = f"- {'**failed** ' if step.failed else ''}{step.name}:", step.words.splitlines()
    if len(lines) <= 1:
        return f"{title} {code_span(step.words, _MOST_CHARACTERS)}"
    items = [f"    - {code_span(line, _MOST_CHARACTERS)}" for line in lines[:_MOST_PROBLEMS]]
    if len(lines) > _MOST_PROBLEMS:
        items.append(f"    - and {len(lines) - _MOST_PROBLEMS:,} more")
    return "\n".join([title, *items])


def _feed_item(feed: FetchResult) -> str:
    why = f": {code_span(feed.why[0], _MOST_CHARACTERS)}" if feed.why else ""
    more = f" and {len(feed.why) - 1} more" if len(feed.why) > 1 else ""
    return f"- {code_span(f'{feed.accelerator}/{feed.name}')}{why}{more}"

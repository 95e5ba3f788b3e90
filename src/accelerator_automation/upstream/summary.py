"""Writes the summaries of the upstream jobs, as Markdown for the run's page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from accelerator_automation.upstream.answer_ledger import LookupResult
from accelerator_automation.upstream.change import Change
from accelerator_automation.upstream.comment import PlatformAnswer
from accelerator_automation.upstream.dispatch_queue import MOST_ATTEMPTS, SweepResult
from accelerator_automation.upstream.dispatching import DispatchRound
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.catalog.wording import count


def plan_summary(found: DispatchPlan) -> str:
    """Return, as Markdown, which platforms test a change, and which do not and why."""
    lines = [f"# {_change(found.change)}", ""]
    lines += [
        f"- {code_span(one.accelerator)}: {', '.join(one.tasks)}; {one.run.start_method}, within "
        f"{count(one.hours, 'hour')}"
        for one in found.entries
    ] or ["No platform tests this change."]
    if found.passed_over:
        lines += ["", "## Skipped", ""]
        lines += [
            f"- {code_span(name)}: {code_span(why)}" for name, why in found.passed_over.items()
        ]
    return "\n".join(lines) + "\n"


def sent_summary(done: DispatchRound) -> str:
    """Return a summary of what was sent, what failed and what waits, as Markdown."""
    failed = [one for one in done.sent if not one.ok]
    lines = [f"# Events sent to {len(done.sent) - len(failed)} of {len(done.sent)} platforms", ""]
    lines += [f"- **failed** {code_span(one.accelerator)}: {code_span(one.why)}" for one in failed]
    lines += [f"- {code_span(note)}" for note in done.notes]
    if done.waiting:
        lines.append(f"- Dispatches that wait for the next round: {done.waiting:,}")
    return "\n".join(lines).rstrip() + "\n"


def sweep_summary(done: SweepResult) -> str:
    """Return a summary of the restarted and the given-up runs, as Markdown."""
    lines = [f"# Started {count(len(done.again), 'failed run')} again", ""]
    lines += [f"- run {number}" for number in done.again]
    lines += [
        f"- **given up** run {number}: it failed {MOST_ATTEMPTS} times" for number in done.given_up
    ]
    lines += [f"- **failed** {code_span(error)}" for error in done.errors]
    return "\n".join(lines).rstrip() + "\n"


def answer_summary(
    looked: Sequence[LookupResult], answers: Iterable[PlatformAnswer], said: Sequence[str]
) -> str:
    """Return a summary of a round of answers: lookups, comparisons and posts, as Markdown.

    `said` has sentences about what was done or failed (see `AnswerRound.done`).
    """
    lines = ["# Answers", ""]
    lines += [_lookup_item(one) for one in looked] or ["No outstanding reports."]
    if news := list(_news(answers)):
        lines += ["", "## Compared with the base", "", *news]
    if said:
        lines += ["", "## Comments", "", *(f"- {code_span(sentence)}" for sentence in said)]
    return "\n".join(lines) + "\n"


def _change(change: Change) -> str:
    what = f"Pull request {change.number}" if change.number else change.occasion
    return (
        f"{what} of {code_span(change.repository)} at {code_span((change.head or 'unknown')[:12])}"
    )


def _lookup_item(one: LookupResult) -> str:
    who = f"- {code_span(one.asked.entry.accelerator)}, {_change(one.asked.change)}"
    if one.found is None:
        return f"{who}: **not checked** {code_span(one.error)}"
    why = f" {code_span(one.found.why)}" if one.found.why else ""
    state = one.found.state
    return f"{who}: {f'**{state}**' if state in {'lost', 'late', 'refused'} else state}{why}"


def _news(answers: Iterable[PlatformAnswer]) -> Iterator[str]:
    for one in answers:
        found = one.news
        base = (
            f"{found.base:%Y-%m-%d}" if found.base else "none, so there is nothing to compare with"
        )
        yield (
            f"- {code_span(one.accelerator)}: {count(found.newly_broken, 'new failure')}, "
            f"{found.red_already:,} already failing, {found.flaky_failing:,} flaky, "
            f"{count(found.known, 'known issue')}, {found.mended:,} fixed, "
            f"{found.no_base:,} without a result on the base, "
            f"{found.silent:,} without a usable result "
            f"({count(found.tests, 'test')}); base: {base}"
        )

"""Writes summaries of planned tests, sent events and answers, as Markdown for a workflow's page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from accelerator_automation.upstream.change import Change
from accelerator_automation.upstream.comment import PlatformAnswer
from accelerator_automation.upstream.dispatch_round import DispatchRound
from accelerator_automation.upstream.failed_runs import MOST_ATTEMPTS, SweepResult
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_automation.upstream.run_search import RunResult
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_reports.files.wording import count


def plan_summary(plan: DispatchPlan) -> str:
    """Return, as Markdown, which platforms test a change, and which do not and why."""
    lines = [f"# {_change_text(plan.change)}", ""]
    lines += [
        f"- {code_span(one.accelerator)}: {', '.join(one.tasks)}; {one.run.start_method}, within "
        f"{count(one.hours, 'hour')}"
        for one in plan.entries
    ] or ["No platform tests this change."]
    if plan.passed_over:
        lines += ["", "## Skipped", ""]
        lines += [
            f"- {code_span(name)}: {code_span(why)}" for name, why in plan.passed_over.items()
        ]
    return "\n".join(lines) + "\n"


def sent_summary(dispatch_round: DispatchRound) -> str:
    """Return a summary of what was sent, what failed and what waits, as Markdown."""
    failed_results = [result for result in dispatch_round.sent if not result.ok]
    tried_count = len(dispatch_round.sent)
    sent_count = tried_count - len(failed_results)
    lines = [f"# Events sent to {sent_count} of {tried_count} platforms", ""]
    lines += [
        f"- **failed** {code_span(result.accelerator)}: {code_span(result.why)}"
        for result in failed_results
    ]
    lines += [f"- {code_span(note)}" for note in dispatch_round.notes]
    if dispatch_round.waiting:
        lines.append(f"- Dispatches that wait for the next round: {dispatch_round.waiting:,}")
    return "\n".join(lines).rstrip() + "\n"


def sweep_summary(result: SweepResult) -> str:
    """Return a summary of the restarted and the given-up runs, as Markdown."""
    lines = [f"# Started {count(len(result.again), 'failed run')} again", ""]
    lines += [f"- run {run_id}" for run_id in result.again]
    lines += [
        f"- **given up** run {run_id}: it failed {MOST_ATTEMPTS} times"
        for run_id in result.given_up
    ]
    lines += [f"- **failed** {code_span(error)}" for error in result.errors]
    return "\n".join(lines).rstrip() + "\n"


def answer_summary(
    lookups: Sequence[RunResult], answers: Iterable[PlatformAnswer], sentences: Sequence[str]
) -> str:
    """Return a summary of a round of answers: lookups, comparisons and posts, as Markdown.

    `sentences` has sentences about what was done or failed (see `AnswerRound.done`).
    """
    lines = ["# Answers", ""]
    lines += [_lookup_item(lookup) for lookup in lookups] or ["No outstanding reports."]
    if news_lines := list(_news_items(answers)):
        lines += ["", "## Compared with the base", "", *news_lines]
    if sentences:
        lines += ["", "## Comments", "", *(f"- {code_span(sentence)}" for sentence in sentences)]
    return "\n".join(lines) + "\n"


def _change_text(change: Change) -> str:
    what = f"Pull request {change.number}" if change.number else change.occasion
    return (
        f"{what} of {code_span(change.repository)} at {code_span((change.head or 'unknown')[:12])}"
    )


def _lookup_item(lookup: RunResult) -> str:
    delivery = lookup.delivery
    heading = f"- {code_span(delivery.accelerator)}, {_change_text(delivery.change)}"
    state, why = lookup.state or "not checked", lookup.why and f" {code_span(lookup.why)}"
    is_bold = state in {"lost", "late", "refused", "not checked"}
    return f"{heading}: {f'**{state}**' if is_bold else state}{why}"


def _news_items(answers: Iterable[PlatformAnswer]) -> Iterator[str]:
    for answer in answers:
        news = answer.news
        base_text = (
            f"{news.base:%Y-%m-%d}" if news.base else "none, so there is nothing to compare with"
        )
        yield (
            f"- {code_span(answer.accelerator)}: {count(news.newly_broken, 'new failure')}, "
            f"{news.red_already:,} already failing, {news.flaky_failing:,} flaky, "
            f"{count(news.known, 'known issue')}, {news.mended:,} fixed, "
            f"{news.no_base:,} without a result on the base, "
            f"{news.silent:,} without a usable result "
            f"({count(news.tests, 'test')}); base: {base_text}"
        )

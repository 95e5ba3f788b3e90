"""Sums up planned tests, events and answers for a workflow's page; restarts failed runs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import ListedRuns, time_text
from accelerator_automation.upstream.comment import PlatformAnswer
from accelerator_automation.upstream.dispatch_round import DispatchRound
from accelerator_automation.upstream.incoming import Change
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_automation.upstream.run_search import RunResult
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_reports.files.wording import count

# Restarts failed runs of the workflow that sends PyTorch changes, so that no event is lost.
#
# A run fails if GitHub does not answer, a runner is lost or a package cannot be installed. GitHub
# keeps the event of each run. A scheduled job restarts the failed runs of the last day, a few times
# each.

WORKFLOW = "upstream-event.yml"
"""The file name of the workflow that plans and sends tests of PyTorch changes."""

MOST_ATTEMPTS = 3
"""The number of failed attempts after which a run is not restarted."""

MOST_AT_ONCE = 20
"""The maximum number of runs that one call of `restart_failed_runs` restarts, oldest first."""

RESTART_PERIOD = dt.timedelta(days=1)
"""`restart_failed_runs` restarts failed runs that were created within this time."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The ids of the failed runs that were restarted (`again`) or failed too often (`given_up`).

    `errors` are the messages of restarts that failed.
    """

    again: tuple[int, ...]
    given_up: tuple[int, ...]
    errors: tuple[str, ...] = ()


def restart_failed_runs(api: Api, home: str, now: dt.datetime) -> SweepResult:
    """Restart the failed runs of the last day, at most `MOST_AT_ONCE`.

    Raises GitHubError if the runs cannot be listed. If a restart fails, the result has the error.
    """
    since = quote(f">={time_text(now - RESTART_PERIOD)}")
    path = f"repos/{home}/actions/workflows/{WORKFLOW}/runs?status=failure&created={since}"
    failed_runs = read_response(api, f"{path}&per_page=100", ListedRuns).workflow_runs
    restartable = sorted(run.id for run in failed_runs if run.run_attempt < MOST_ATTEMPTS)
    given_up = sorted(run.id for run in failed_runs if run.run_attempt >= MOST_ATTEMPTS)
    restarted, errors = [], []
    for run_id in restartable[:MOST_AT_ONCE]:
        try:
            api.send("POST", f"repos/{home}/actions/runs/{run_id}/rerun-failed-jobs", {})
        except GitHubError as error:
            errors.append(str(error))
        else:
            restarted.append(run_id)
    return SweepResult(tuple(restarted), tuple(given_up), tuple(errors))


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

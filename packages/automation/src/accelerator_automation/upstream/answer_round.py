"""Finds vendors' reports about PyTorch pull requests, and posts the results on these pull requests.

Also adds a check run to a pull request that got the label for it after the tests, and stores the
reports of the main branch. A scheduled job runs one such round after another.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from accelerator_automation.github.api import Api, GitHubError, read_all_pages
from accelerator_automation.github.models import GitHubModel, Number, time_text
from accelerator_automation.markdown_check import HarmfulError
from accelerator_automation.platform_maintainers import maintainers
from accelerator_automation.upstream.change import Change
from accelerator_automation.upstream.check_runs import (
    allows_check_run,
    check_label,
    check_run_body,
    put_check_run,
    relay_entry,
    with_current_labels,
)
from accelerator_automation.upstream.comment import CommentAccess, PlatformAnswer, update_comment
from accelerator_automation.upstream.connections import Clients
from accelerator_automation.upstream.delivery import (
    LIFETIME,
    Delivery,
    Ledger,
    SendLog,
    settled,
    to_look_up,
)
from accelerator_automation.upstream.new_failures import report_news
from accelerator_automation.upstream.planning import run_title
from accelerator_automation.upstream.run_search import (
    CLOCK_SKEW,
    LookupResult,
    current_entries,
    find_reports,
    report_repository,
)
from accelerator_automation.upstream.workflow_artifacts import (
    LEDGER_FILE,
    SENT_FILE,
    FileSource,
    newest_workflow_file,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.known_names import known_names
from accelerator_portal.results.history import History
from accelerator_portal.results.result_table import read_history
from accelerator_reports.files.atomic_write import write_chunks_atomically
from accelerator_reports.files.folders import ACCELERATORS, RESULTS
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report_file import report_lines

MAIN_REPORT_NAME = "upstream-main"
"""The name in `results/` of a platform's newest report of PyTorch's main branch."""

# If a label `ciflow/crcr/<device>` is added up to three days after the tests, PyTorch's relay makes
# its own check runs, but tells nobody. The portal therefore asks which pull requests have the
# label: one request for each device. Source: pytorch/test-infra at commit 61a7757,
# `webhook/event_handler.py` and `CRCR_STATUS_TTL` in `utils/config.py` of
# `aws/lambda/cross_repo_ci_relay`, read 2026-11-23.
LABEL_PERIOD = dt.timedelta(days=3)
"""A label that requests a check run counts only if the event was sent at most this long ago.
PyTorch's relay has the same limit."""

_ANSWERED_STATES = {"report", "late"}


@dataclass(frozen=True, slots=True)
class AnswerRound:
    """The results of a round: lookups, compared reports, what was done, and the next ledger."""

    lookups: tuple[LookupResult, ...]
    answers: tuple[PlatformAnswer, ...]
    done: tuple[str, ...]
    """What was done or failed, except lookups, as sentences."""
    ledger: Ledger
    """The ledger for the next round."""
    failed: bool
    """Whether a lookup failed, or an answer could not be posted; the next round tries it again."""


class _Issue(GitHubModel):
    """An issue or a pull request; GitHub's list of issues has both."""

    number: Number


@dataclass(frozen=True, slots=True)
class LateLabels:
    """The result of looking for labels that were added after the test results were posted.

    `titles` are the titles of the vendors' workflow runs whose results now need a check run,
    because the pull request has the label that requests it. `errors` are sentences about requests
    to GitHub that failed.
    """

    titles: frozenset[str] = frozenset()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelQuestion:
    """A label to look for on the pull requests of `repository`."""

    repository: str
    label: str


@dataclass(frozen=True, slots=True)
class PlatformHistories:
    """The histories of platforms (`data/history/`), against which new reports are compared."""

    root: Path
    """The repository."""
    faults: list[str] = field(default_factory=list)
    """Sentences about histories that could not be read."""

    def of(self, accelerator: str) -> History:
        """Return the history of a platform.

        If the history cannot be read, returns an empty history and adds a sentence to `faults`.
        """
        try:
            return read_history(self.root, accelerator, "runs")
        except ProblemsError as error:
            self.faults.append(f"The history of {accelerator} cannot be read: {error.problems[0]}")
            return History(accelerator, "runs")


@dataclass(frozen=True, slots=True)
class ComparedReport:
    """A platform's report on a change, compared with the platform's history."""

    change: Change
    answer: PlatformAnswer


@dataclass(slots=True)
class PostedAnswers:
    """The result of posting answers: what was done, what failed, and what got a check run."""

    sentences: list[str] = field(default_factory=list)
    """What was done or failed, in sentences."""
    failed: set[int] = field(default_factory=set)
    """The numbers of the pull requests on which posting failed."""
    checked: set[str] = field(default_factory=set)
    """The titles of the vendors' workflow runs whose results were posted as check runs."""


def run_answer_round(
    root: Path, catalog: Catalog, clients: Clients, now: dt.datetime, *, keep: bool = False
) -> AnswerRound:
    """Look up the reports of open requests, and post the results on pull requests.

    With `keep`, reports of the main branch are stored in the platforms' results. Raises OSError,
    and GitHubError if this repository's own files cannot be read.
    """
    source = FileSource(clients.own, clients.home, now - LIFETIME)
    ledger = newest_workflow_file(source, LEDGER_FILE, Ledger) or Ledger()
    log = newest_workflow_file(source, SENT_FILE, SendLog) or SendLog()
    deliveries = ledger.with_sent(log, current_entries(catalog), now)
    recent = (one for one in deliveries if now - one.at <= LABEL_PERIOD)
    labels = late_labels(clients.app, deliveries_without_check(catalog, clients.home, recent))
    requests = to_look_up(deliveries, labels.titles)
    lookups = find_reports(clients.app, clients.home, known_names(catalog), requests, now)
    histories = PlatformHistories(root)
    compared_reports = list(compare_with_histories(lookups, catalog, histories, now.date()))
    access = CommentAccess(clients.app, clients.login, maintainers(catalog))
    posted = post_answers(access, catalog, compared_reports)
    sentences = [*labels.errors, *posted.sentences, *histories.faults]
    if keep:
        sentences += [f"Stored the report of {name}." for name in store_main_reports(root, lookups)]
    return AnswerRound(
        lookups=tuple(lookups),
        answers=tuple(one.answer for one in compared_reports),
        done=tuple(sentences),
        ledger=_next_ledger(deliveries, lookups, posted, now),
        failed=bool(posted.failed or labels.errors) or any(one.error for one in lookups),
    )


def _next_ledger(
    deliveries: Iterable[Delivery],
    lookups: Iterable[LookupResult],
    posted: PostedAnswers,
    now: dt.datetime,
) -> Ledger:
    """Return the ledger for the next round; it tries again what could not be posted."""
    states = {
        one.request.title: one.result.state
        for one in lookups
        if one.result and one.request.change.number not in posted.failed
    }
    return Ledger.of(
        settled(one, states[one.title], now, posted.checked) if one.title in states else one
        for one in deliveries
    )


def late_labels(
    api: Api, waiting: Mapping[LabelQuestion, Mapping[int, tuple[Delivery, ...]]]
) -> LateLabels:
    """Return the titles of the workflow runs whose pull request has the label for a check run.

    `waiting` has the requests without a check run, by label and by the pull request's number. If
    the labels cannot be read from GitHub, `errors` of the result says why.
    """
    titles: set[str] = set()
    errors: list[str] = []
    for question, requests in waiting.items():
        oldest = min(request.at for request_group in requests.values() for request in request_group)
        try:
            labeled_numbers = set(_labeled_numbers(api, question, oldest - CLOCK_SKEW))
        except GitHubError as error:
            errors.append(f"Pull requests with {question.label} could not be listed: {error}")
            continue
        for number in labeled_numbers & requests.keys():
            titles |= {request.title for request in requests[number]}
    return LateLabels(frozenset(titles), tuple(errors))


def deliveries_without_check(
    catalog: Catalog, home: str, requests: Iterable[Delivery]
) -> dict[LabelQuestion, dict[int, tuple[Delivery, ...]]]:
    """Return the answered requests that have no check run, but get one if a label is added.

    The outer key is the label, with the repository of the pull requests. The inner key is the
    number of a pull request, its value has the requests for this pull request. `requests` are
    sorted by time; only the last request of each platform and pull request counts. `home` is this
    repository (OWNER/NAME).
    """
    newest_requests: dict[tuple[str, int, str], Delivery] = {}
    for request in requests:
        number = request.change.number
        if number is not None:
            newest_requests[request.change.repository, number, request.accelerator] = request
    requests_by_label: dict[LabelQuestion, dict[int, tuple[Delivery, ...]]] = {}
    for (repository, number, _), request in newest_requests.items():
        relay = relay_entry(catalog, report_repository(home, request.platform))
        if not relay or relay.level != "L3":
            continue
        if request.state in _ANSWERED_STATES and not request.checked:
            label_requests = requests_by_label.setdefault(
                LabelQuestion(repository, check_label(relay)), {}
            )
            label_requests[number] = (*label_requests.get(number, ()), request)
    return requests_by_label


def _labeled_numbers(api: Api, question: LabelQuestion, since: dt.datetime) -> Iterator[int]:
    """Yield the numbers of the pull requests and issues that have the label of `question`.

    Only those that changed at `since` or later are included. Adding a label is a change.
    """
    label, since_text = (quote(text, safe="") for text in (question.label, time_text(since)))
    query = f"labels={label}&state=all&since={since_text}"
    for issue in read_all_pages(api, f"repos/{question.repository}/issues?{query}", _Issue):
        yield issue.number


def compare_with_histories(
    lookups: Iterable[LookupResult], catalog: Catalog, bases: PlatformHistories, today: dt.date
) -> Iterator[ComparedReport]:
    """Yield each report that was found, compared with the history of its platform.

    Lookups without a report are skipped.
    """
    for lookup in lookups:
        change, result = lookup.request.change, lookup.result
        if result is None or result.report is None:
            continue
        platform = catalog.by_id[lookup.request.accelerator]
        history = bases.of(platform.id)
        answer = {
            "accelerator": platform.id,
            "name": platform.accelerator.name,
            "head": change.head,
            "repository": result.repository,
            "run": result.run,
            "torch": result.report.environment.torch,
            "late": result.state == "late",
            "news": report_news(result.report, history, platform.known_issues, today),
        }
        yield ComparedReport(change, PlatformAnswer.model_validate(answer))


def post_answers(
    access: CommentAccess, catalog: Catalog, found: Sequence[ComparedReport]
) -> PostedAnswers:
    """Post the answers on every pull request; return what was posted and what failed.

    A failure on one pull request does not stop the others. The next round tries the failed pull
    requests again.
    """
    posted = PostedAnswers()
    for change, reports in _by_pull_request(found).items():
        try:
            posted.sentences.append(
                update_comment(access, change, [report.answer for report in reports])
            )
            _put_check_runs(access.api, catalog, change, reports, posted)
        except (GitHubError, HarmfulError) as error:
            posted.failed.add(change.number or 0)
            posted.sentences.append(f"Pull request {change.number} could not be answered: {error}")
    return posted


def store_main_reports(root: Path, lookups: Iterable[LookupResult]) -> list[str]:
    """Store each platform's newest report about PyTorch's main branch.

    The file is in the platform's `results/`. The nightly job adds the report to the history.
    Returns the ids of the platforms whose report was stored. Raises OSError.
    """
    reports_by_id = {
        lookup.request.accelerator: lookup.result.report
        for lookup in sorted(lookups, key=lambda lookup: lookup.request.at)
        if lookup.request.change.number is None and lookup.result and lookup.result.report
    }
    for accelerator, report in reports_by_id.items():
        report_path = root / ACCELERATORS / accelerator / RESULTS / f"{MAIN_REPORT_NAME}.json"
        write_chunks_atomically(report_path, report_lines(report))
    return sorted(reports_by_id)


def _by_pull_request(
    compared_reports: Iterable[ComparedReport],
) -> Mapping[Change, list[ComparedReport]]:
    """Return the reports grouped by pull request, without the reports of the main branch.

    The key of a group is the change of its last report in `compared_reports`: this change has the
    newest labels.
    """
    changes_by_key: dict[tuple[str, int], Change] = {}
    reports: dict[tuple[str, int], list[ComparedReport]] = {}
    for report in compared_reports:
        if report.change.number is not None:
            key = (report.change.repository, report.change.number)
            changes_by_key[key] = report.change
            reports.setdefault(key, []).append(report)
    return {change: reports[key] for key, change in changes_by_key.items()}


def _put_check_runs(
    api: Api,
    catalog: Catalog,
    change: Change,
    reports: Iterable[ComparedReport],
    posted: PostedAnswers,
) -> None:
    reports_with_relay = [
        (report, relay_entry(catalog, report.answer.repository)) for report in reports
    ]
    if not any(relay and relay.level in {"L3", "L4"} for _, relay in reports_with_relay):
        return
    change = with_current_labels(api, change)
    for report, relay in reports_with_relay:
        if relay and allows_check_run(relay, change):
            body = check_run_body(report.answer, change, relay.level)
            posted.sentences.append(put_check_run(api, change.repository, body))
            posted.checked.add(run_title(report.change, report.answer.accelerator))

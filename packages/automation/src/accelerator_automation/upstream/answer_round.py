"""Finds vendors' reports about PyTorch pull requests; posts results and check runs there.

Also adds a check run to a pull request that got the label for it after the tests, and stores the
reports of the main branch. A scheduled job runs one such round after another.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from accelerator_automation.github.api import Api, GitHubError, read_all_pages, read_response
from accelerator_automation.github.comments import HarmfulError, maintainers
from accelerator_automation.github.models import GitHubModel, Number, time_text
from accelerator_automation.upstream.approval import UpstreamPullRequest
from accelerator_automation.upstream.comment import (
    CommentAccess,
    PlatformAnswer,
    run_page,
    update_comment,
)
from accelerator_automation.upstream.connections import Clients
from accelerator_automation.upstream.delivery import (
    LIFETIME,
    Delivery,
    Ledger,
    SendLog,
    settled,
    to_look_up,
)
from accelerator_automation.upstream.incoming import CHECK_PREFIX, Change
from accelerator_automation.upstream.new_failures import report_news
from accelerator_automation.upstream.run_lists import (
    LEDGER_FILE,
    SENT_FILE,
    FileSource,
    newest_workflow_file,
)
from accelerator_automation.upstream.run_search import (
    CLOCK_SKEW,
    RunResult,
    current_entries,
    find_reports,
    report_repository,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.shared_files import RelayLevel, RelayRepository
from accelerator_portal.catalog.loader import known_names
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.results.history import History
from accelerator_portal.results.result_table import read_history
from accelerator_reports.files.folders import ACCELERATORS, RESULTS
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.text_file import write_chunks_atomically
from accelerator_reports.files.wording import count
from accelerator_reports.report_file import report_lines

# Writes check runs on pull requests of PyTorch, for platforms whose relay level allows them.
#
# Levels by RFC-0050: a platform at L3 gets a check run if the label `ciflow/crcr/<device>` requests
# it, and the check run blocks nothing. A platform at L4 always gets a check run, which may block.
# Platforms at lower levels get none. `data/relay.yaml` lists the levels.

CHECK_LABEL_PREFIX = "ciflow/crcr/"


class _CheckRun(GitHubModel):
    id: Number
    name: str
    external_id: str | None = None


class _CheckRuns(GitHubModel):
    check_runs: tuple[_CheckRun, ...]


def relay_entry(catalog: Catalog, repository: str) -> RelayRepository | None:
    """Return a repository's entry in PyTorch's relay list, or None if it is not listed."""
    listed = catalog.relay.repositories if catalog.relay else ()
    return next((entry for entry in listed if entry.repository == repository), None)


def check_label(entry: RelayRepository) -> str:
    """Return the label that requests a check run on a pull request, for a repository at L3."""
    return f"{CHECK_LABEL_PREFIX}{entry.device}"


def allows_check_run(entry: RelayRepository, change: Change) -> bool:
    """Return whether to post an answer as a check run, in addition to the comment.

    True at L4. At L3, true if the pull request has the label that requests a check run.
    """
    return entry.level == "L4" or (entry.level == "L3" and check_label(entry) in change.labels)


def with_current_labels(api: Api, change: Change) -> Change:
    """Return the change with the current labels of its pull request. Raises GitHubError.

    The label that requests a check run is often added while the tests run.
    """
    place = f"repos/{change.repository}/pulls/{change.number}"
    labels = read_response(api, place, UpstreamPullRequest).labels
    return change.model_copy(update={"labels": tuple(label.name for label in labels)})


def check_run_body(answer: PlatformAnswer, change: Change, level: RelayLevel) -> dict[str, Any]:
    """Return the body of a check run that shows a platform's answer, for GitHub's API.

    If the answer has new failures, the conclusion is `failure` at L4 and `neutral` at lower levels.
    """
    broken = answer.news.newly_broken
    failed_conclusion = "failure" if level == "L4" else "neutral"
    lines = [f"- {code_span(failure.key)} {failure.outcome}" for failure in answer.news.newly]
    if more := broken - len(lines):
        lines.append(f"- {more:,} more")
    counts_text = (
        f"{count(broken, 'new failure')}, {answer.news.red_already:,} already failing on the base"
    )
    summary = "\n".join([f"Reported by {code_span(answer.repository)}. {counts_text}.", "", *lines])
    return {
        "name": f"{CHECK_PREFIX}{answer.accelerator}",
        "head_sha": answer.head,
        "status": "completed",
        "conclusion": failed_conclusion if broken else "success",
        "external_id": f"{change.delivery}:{change.number}",
        "details_url": run_page(answer),
        "output": {"title": counts_text, "summary": summary},
    }


def put_check_run(api: Api, repository: str, body: dict[str, Any]) -> str:
    """Create or update the check run of an event; return a sentence that says what was done.

    Raises GitHubError.
    """
    # Filtered by name, because a commit has more check runs than fit on a page.
    query = f"check_name={quote(body['name'], safe='')}&filter=all&per_page=100"
    path = f"repos/{repository}/commits/{body['head_sha']}/check-runs?{query}"
    for check_run in read_response(api, path, _CheckRuns).check_runs:
        if (check_run.name, check_run.external_id) == (body["name"], body["external_id"]):
            api.send("PATCH", f"repos/{repository}/check-runs/{check_run.id}", body)
            return f"The check run {body['name']} was updated."
    api.send("POST", f"repos/{repository}/check-runs", body)
    return f"The check run {body['name']} was created."


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


class _Issue(GitHubModel):
    """An issue or a pull request; GitHub's list of issues has both."""

    number: Number


@dataclass(slots=True)
class AnswerRound:
    """The results of a round: lookups, compared reports, what was done, and the next ledger."""

    lookups: list[RunResult] = field(default_factory=list)
    answers: list[PlatformAnswer] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """What was done or failed, except lookups, as sentences."""
    ledger: Ledger = field(default_factory=Ledger)
    """The ledger for the next round."""
    failed: bool = False
    """Whether a lookup failed, or an answer could not be posted; the next round tries it again."""
    _failed_pulls: set[int] = field(default_factory=set)
    """The numbers of the pull requests on which posting failed."""
    _checked: set[str] = field(default_factory=set)
    """The titles of the vendors' workflow runs whose results were posted as check runs."""

    def post(
        self,
        access: CommentAccess,
        catalog: Catalog,
        compared: Iterable[tuple[Delivery, PlatformAnswer]],
    ) -> None:
        """Post the answers on every pull request.

        A failure on one pull request does not stop the others.
        """
        for change, answers in _by_pull_request(compared).items():
            try:
                self.done.append(update_comment(access, change, [answer for _, answer in answers]))
                self._put_check_runs(access.api, catalog, change, answers)
            except (GitHubError, HarmfulError) as error:
                self._failed_pulls.add(change.number or 0)
                self.done.append(f"Pull request {change.number} could not be answered: {error}")

    def _put_check_runs(
        self,
        api: Api,
        catalog: Catalog,
        change: Change,
        answers: Iterable[tuple[Delivery, PlatformAnswer]],
    ) -> None:
        with_relay = [(*one, relay_entry(catalog, one[1].repository)) for one in answers]
        if not any(relay and relay.level in {"L3", "L4"} for *_, relay in with_relay):
            return
        change = with_current_labels(api, change)
        for delivery, answer, relay in with_relay:
            if relay and relay.level and allows_check_run(relay, change):
                body = check_run_body(answer, change, relay.level)
                self.done.append(put_check_run(api, change.repository, body))
                self._checked.add(delivery.title)

    def close(self, deliveries: Iterable[Delivery], now: dt.datetime) -> None:
        """Set the next ledger, and whether the round failed.

        What could not be posted stays open, so that the next round tries it again.
        """
        states = {
            one.delivery.title: one.state
            for one in self.lookups
            if one.state and one.delivery.change.number not in self._failed_pulls
        }
        self.ledger = Ledger.of(
            settled(one, states[one.title], now, self._checked) if one.title in states else one
            for one in deliveries
        )
        unread = any(one.state is None for one in self.lookups)
        self.failed = self.failed or bool(self._failed_pulls) or unread


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
    unchecked = _deliveries_without_check(catalog, clients.home, recent)
    labeled_titles, errors = _late_labels(clients.app, unchecked)
    done = AnswerRound(done=errors, failed=bool(errors))
    requests = to_look_up(deliveries, labeled_titles)
    done.lookups = find_reports(clients.app, clients.home, known_names(catalog), requests, now)
    faults: list[str] = []
    compared = list(_compare_with_histories(root, catalog, done.lookups, now.date(), faults))
    done.answers = [answer for _, answer in compared]
    quiet = {
        platform.id
        for platform in catalog.platforms
        if (events := platform.accelerator.upstream_events) and events.comments == "new-failures"
    }
    access = CommentAccess(clients.app, clients.login, maintainers(catalog), quiet)
    done.post(access, catalog, compared)
    done.done += faults
    if keep:
        stored = _store_main_reports(root, done.lookups)
        done.done += [f"Stored the report of {name}." for name in stored]
    done.close(deliveries, now)
    return done


def _deliveries_without_check(
    catalog: Catalog, home: str, deliveries: Iterable[Delivery]
) -> dict[tuple[str, str], list[Delivery]]:
    """Return the answered deliveries that have no check run, but get one if a label is added.

    The key is the repository of the pull requests, and the label. `deliveries` are sorted by time;
    only the last one of each platform and pull request counts.
    """
    newest = {
        (one.change.repository, one.change.number, one.accelerator): one
        for one in deliveries
        if one.change.number is not None
    }
    by_label: dict[tuple[str, str], list[Delivery]] = {}
    for one in newest.values():
        relay = relay_entry(catalog, report_repository(home, one.platform))
        if relay and relay.level == "L3" and one.state in _ANSWERED_STATES and not one.checked:
            by_label.setdefault((one.change.repository, check_label(relay)), []).append(one)
    return by_label


def _late_labels(
    api: Api, unchecked: Mapping[tuple[str, str], Sequence[Delivery]]
) -> tuple[set[str], list[str]]:
    """Return the titles of the runs whose pull request got the label for a check run, and errors.

    The errors are sentences about labels that could not be read from GitHub. One request for each
    label lists what changed since its oldest delivery; adding a label is a change.
    """
    titles, errors = set(), []
    for (repository, label), deliveries in unchecked.items():
        since = time_text(min(one.at for one in deliveries) - CLOCK_SKEW)
        query = f"labels={quote(label, safe='')}&state=all&since={quote(since, safe='')}"
        try:
            issues = list(read_all_pages(api, f"repos/{repository}/issues?{query}", _Issue))
        except GitHubError as error:
            errors.append(f"Pull requests with {label} could not be listed: {error}")
            continue
        numbers = {issue.number for issue in issues}
        titles |= {one.title for one in deliveries if one.change.number in numbers}
    return titles, errors


def _compare_with_histories(
    root: Path,
    catalog: Catalog,
    lookups: Iterable[RunResult],
    today: dt.date,
    faults: list[str],
) -> Iterator[tuple[Delivery, PlatformAnswer]]:
    """Yield each report that was found, compared with the history of its platform.

    A history that cannot be read counts as empty, and `faults` gets a sentence about it.
    """
    for found in lookups:
        if found.report is None:
            continue
        platform = catalog.by_id[found.delivery.accelerator]
        try:
            history = read_history(root, platform.id, "runs")
        except ProblemsError as error:
            faults.append(f"The history of {platform.id} cannot be read: {error.problems[0]}")
            history = History(platform.id, "runs")
        answer = {
            "accelerator": platform.id,
            "name": platform.accelerator.name,
            "head": found.delivery.change.head,
            "repository": found.repository,
            "run": found.run,
            "page": found.page,
            "torch": found.report.environment.torch,
            "late": found.state == "late",
            "news": report_news(found.report, history, platform.known_issues, today),
        }
        yield found.delivery, PlatformAnswer.model_validate(answer)


def _store_main_reports(root: Path, lookups: Iterable[RunResult]) -> list[str]:
    """Store each platform's newest report about PyTorch's main branch.

    The file is in the platform's `results/`. The nightly job adds the report to the history.
    Returns the ids of the platforms whose report was stored. Raises OSError.
    """
    reports_by_id = {
        found.delivery.accelerator: found.report
        for found in sorted(lookups, key=lambda found: found.delivery.at)
        if found.delivery.change.number is None and found.report
    }
    for accelerator, report in reports_by_id.items():
        report_path = root / ACCELERATORS / accelerator / RESULTS / f"{MAIN_REPORT_NAME}.json"
        write_chunks_atomically(report_path, report_lines(report))
    return sorted(reports_by_id)


def _by_pull_request(
    compared: Iterable[tuple[Delivery, PlatformAnswer]],
) -> dict[Change, list[tuple[Delivery, PlatformAnswer]]]:
    """Return the answers grouped by pull request, without those of the main branch.

    The key of a group is the change of its last answer, which has the newest labels.
    """
    groups: dict[tuple[str, int], list[tuple[Delivery, PlatformAnswer]]] = {}
    for delivery, answer in compared:
        if (number := delivery.change.number) is not None:
            key = delivery.change.repository, number
            groups.setdefault(key, []).append((delivery, answer))
    return {group[-1][0].change: group for group in groups.values()}

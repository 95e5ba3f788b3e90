"""Records which events sent to vendors have no final test result yet, and finds their reports.

A request is an event that was sent to one platform. It is open while the state of its run can
change or is not posted yet, and settled afterwards.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.upstream.dispatch_queue import SentChange
from accelerator_automation.upstream.planning import PlannedPlatform, planned_platform, run_title
from accelerator_automation.upstream.run_lists import ArtifactLists, RunLists
from accelerator_automation.upstream.run_search import (
    CLOCK_SKEW,
    ReportSearch,
    RunResult,
    RunState,
    SentRequest,
    find_report,
    report_repository,
)
from accelerator_portal.catalog import Catalog
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.report import Moment
from accelerator_reports.report_check import KnownNames

REQUEST_LIFETIME = dt.timedelta(days=6, hours=1)
"""The age at which requests are dropped: twice the longest time limit of a run, plus one hour."""

_MOST_THREADS = 8
_MOST_REQUESTS = 100_000


class SettledAnswer(StrictModel):
    """A platform's final answer to one event, and whether a check run shows it."""

    at: Moment
    """When the event was sent to the platform."""
    state: RunState
    """The final state of the run."""
    checked: bool = False
    """Whether there is a check run for the answer."""


class Ledger(StrictModel):
    """The file that passes the settled and the open requests from one answer round to the next."""

    schema_version: Literal[1] = 1
    """The version of this file's format."""
    settled: Annotated[Mapping[str, SettledAnswer], Field(max_length=_MOST_REQUESTS)] = Field(
        default_factory=dict
    )
    """The final answers, by the title of the run: `<delivery>/<accelerator>`."""
    open: Annotated[Mapping[int, SentChange], Field(max_length=_MOST_REQUESTS)] = Field(
        default_factory=dict
    )
    """The requests without a final answer, by the id of the plan's artifact."""


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of looking for the report of one request.

    `result` has the report or the state of its run. If GitHub could not be read, `result` is None
    and `error` has the reason.
    """

    request: SentRequest
    result: RunResult | None
    error: str = ""


def current_entries(catalog: Catalog) -> dict[str, PlannedPlatform]:
    """Return the platforms that test changes, with their current settings, by platform id.

    The settings are read from the platforms' folders. A plan can have older settings.
    """
    return {
        platform.id: planned_platform(platform, platform.accelerator.upstream_events)
        for platform in catalog.platforms
        if platform.accelerator.upstream_events
    }


def sent_requests(
    changes: Iterable[SentChange], entries: Mapping[str, PlannedPlatform], since: dt.datetime
) -> Iterator[SentRequest]:
    """Yield the requests sent at `since` or later to the platforms in `entries`.

    `entries` has the current settings of platforms, by platform id.
    """
    for sent_change in changes:
        for accelerator, sent_at in sent_change.sent.items():
            if accelerator in entries and sent_at >= since:
                yield SentRequest(sent_change.change, entries[accelerator], sent_at)


def open_requests(
    changes: Iterable[SentChange],
    ledger: Ledger,
    entries: Mapping[str, PlannedPlatform],
    now: dt.datetime,
    again: Collection[str] = (),
) -> Iterator[SentRequest]:
    """Yield the requests without a final answer that are at most `REQUEST_LIFETIME` old.

    A request with a final answer is yielded, too, if its title (see `run_title`) is in `again`.
    Each request is yielded once. `changes` has the changes that were sent, `entries` has the
    platforms that test changes, by platform id. Requests to platforms that are not in `entries` are
    omitted.
    """
    skipped_titles = ledger.settled.keys() - set(again)
    for request in sent_requests(changes, entries, now - REQUEST_LIFETIME):
        title = run_title(request.change, request.entry.accelerator)
        if title not in skipped_titles:
            skipped_titles.add(title)
            yield request


def find_reports(
    api: Api, home: str, known: KnownNames, requests: Iterable[SentRequest], now: dt.datetime
) -> list[LookupResult]:
    """Look for the report of each request; return the results in the order of `requests`.

    If GitHub cannot be read for a request, its result has the error. The runs of each repository
    are listed once for all requests. `known` has the platforms and suites that reports may name.
    """
    requests = list(requests)
    start_times = _earliest_run_times(home, requests)
    search = ReportSearch(
        api, home, known, now, RunLists(api, start_times), ArtifactLists(api, start_times)
    )
    with ThreadPoolExecutor(_MOST_THREADS) as pool:
        return list(pool.map(lambda request: _look_up_report(search, request), requests))


def _earliest_run_times(home: str, requests: Iterable[SentRequest]) -> dict[str, dt.datetime]:
    """Return, for each repository, the earliest time at which a requested run may have begun."""
    start_times: dict[str, dt.datetime] = {}
    for request in requests:
        repository = report_repository(home, request.entry)
        start_times[repository] = min(
            request.at - CLOCK_SKEW, start_times.get(repository, request.at)
        )
    return start_times


def _look_up_report(search: ReportSearch, request: SentRequest) -> LookupResult:
    try:
        return LookupResult(request, find_report(search, request))
    except GitHubError as error:
        return LookupResult(request, None, str(error))


def ledger_with_settled(
    before: Ledger,
    lookups: Iterable[LookupResult],
    now: dt.datetime,
    failed: Collection[int] = (),
    checked: Collection[str] = (),
) -> Ledger:
    """Return a ledger with the settled requests of `before` and the final results of `lookups`.

    The result has no open requests; `ledger_with_open` adds them. Settled requests of `before` that
    are older than `REQUEST_LIFETIME` are removed. `failed` has the numbers of pull requests that
    could not be answered. Results for these pull requests are ignored, so that the next round tries
    again.
    `checked` has the titles of the workflow runs whose results this round posted as check runs.
    """
    settled = {
        title: one for title, one in before.settled.items() if now - one.at <= REQUEST_LIFETIME
    }
    for one in lookups:
        number = one.request.change.number
        if one.result and number not in failed and _is_final(one.result, one.request, now):
            title = run_title(one.request.change, one.request.entry.accelerator)
            settled[title] = SettledAnswer(
                at=one.request.at, state=one.result.state, checked=title in checked
            )
    newest_titles = sorted(settled, key=lambda title: settled[title].at, reverse=True)[
        :_MOST_REQUESTS
    ]
    return Ledger(settled={title: settled[title] for title in newest_titles})


def ledger_with_open(ledger: Ledger, sent: Mapping[int, SentChange], now: dt.datetime) -> Ledger:
    """Return a copy of the ledger, whose open requests are those in `sent` without a final answer.

    The keys of `sent` are the ids of the plans' artifacts. Requests older than `REQUEST_LIFETIME`
    are omitted.
    """
    unsettled = {
        plan_id: SentChange(
            change=sent_change.change,
            sent={
                accelerator: sent_at
                for accelerator, sent_at in sent_change.sent.items()
                if now - sent_at <= REQUEST_LIFETIME
                and run_title(sent_change.change, accelerator) not in ledger.settled
            },
        )
        for plan_id, sent_change in sorted(sent.items())
    }
    unsettled_changes = {
        plan_id: sent_change for plan_id, sent_change in unsettled.items() if sent_change.sent
    }
    return ledger.model_copy(update={"open": unsettled_changes})


def _is_final(result: RunResult, request: SentRequest, now: dt.datetime) -> bool:
    """Return whether a result cannot change any more.

    A refused report can be replaced until the run's time limit. A missing report can arrive until
    twice the time limit.
    """
    limit = dt.timedelta(hours=request.entry.hours)
    age = now - request.at
    if result.state in {"report", "late"}:
        return True
    return age > (limit if result.state == "refused" else 2 * limit)

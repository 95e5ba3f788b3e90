"""Sends PyTorch changes to the platforms that test them: in parallel, at a limited rate.

If sending to one platform fails, the others still get their events. Only one round of sending runs
at a time. What a round cannot send within its time waits for the next one. Meanwhile, a pull
request can be closed, or lose its approval or a label. Each batch is therefore confirmed with
GitHub again just before it is sent.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from accelerator_automation.github.api import (
    MOST_A_MINUTE,
    RATE_WINDOW,
    GitHubError,
    Pause,
    RateLimiter,
    UtcClock,
)
from accelerator_automation.upstream.connections import Clients
from accelerator_automation.upstream.delivery import (
    REPEAT_PERIOD,
    Delivery,
    SendLog,
    branch_name,
)
from accelerator_automation.upstream.incoming import BRANCH, Change, RefusedEventError
from accelerator_automation.upstream.planning import (
    DispatchPlan,
    PlannedPlatform,
    client_payload,
    job_matrix,
)
from accelerator_automation.upstream.run_lists import (
    PLAN_FILE,
    SENT_FILE,
    FileSource,
    newest_workflow_file,
    workflow_files,
)
from accelerator_reports.files.clock import utc_now

ROUND_TIME_LIMIT = dt.timedelta(minutes=20)
"""The time after which a round starts no new batch. The job has a time limit; the next job
continues."""

# A job on a self-hosted runner may take five days, which is too long to wait for an answer.
MOST_MINUTES = 72 * 60

SaveLog = Callable[[SendLog], None]

Replan = Callable[[Change], DispatchPlan]
"""A function that confirms a change with GitHub and plans it again. It raises RefusedEventError if
the change is outdated, and GitHubError."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """The result of sending a change to one platform.

    `accelerator` is the platform's id. `at` is the time at which sending succeeded or failed.
    """

    accelerator: str
    at: dt.datetime
    tries: int
    """The number of attempts."""
    why: str = ""
    """Why sending failed; empty if GitHub accepted the event."""

    @property
    def ok(self) -> bool:
        """Whether GitHub accepted the event."""
        return not self.why


@dataclass(frozen=True, slots=True)
class SendSettings:
    """Settings for sending: parallel requests, attempts, and the time between attempts.

    `at_once` is the maximum number of parallel requests. `tries` is the maximum number of attempts
    to send an item, 1 or more. `pause` sleeps for a number of seconds. `now` returns the current
    time.
    """

    at_once: int = 16
    tries: int = 4
    wait: float = 2.0
    """Seconds to wait before the second attempt; this time doubles before each later attempt."""
    pause: Pause = time.sleep
    now: UtcClock = utc_now


def send_items(
    clients: Clients,
    items: Sequence[Delivery],
    pace: RateLimiter,
    settings: SendSettings | None = None,
) -> list[SendResult]:
    """Send the items in parallel; return the results in the order of `items`.

    If a response is lost, the same event may be sent twice. The receiver recognizes the repeated
    event by its delivery number.
    """
    settings = settings or SendSettings()
    if not items:
        return []
    with ThreadPoolExecutor(min(settings.at_once, len(items))) as pool:
        return list(pool.map(lambda item: _send_item(clients, item, pace, settings), items))


def _send_item(
    clients: Clients, item: Delivery, pace: RateLimiter, settings: SendSettings
) -> SendResult:
    entry = item.platform
    api_path, body = _dispatch_request(item.change, entry, clients.home)
    retrying = Retrying(
        stop=stop_after_attempt(settings.tries),
        wait=wait_exponential(settings.wait),
        retry=retry_if_exception(lambda error: isinstance(error, GitHubError) and error.passing),
        before=lambda _: pace.wait(),
        sleep=settings.pause,
        reraise=True,
    )
    api, why = clients.own if entry.run.portal_workflow else clients.app, ""
    try:
        retrying(api.send, "POST", api_path, body)
    except GitHubError as error:
        why = str(error)
    tries = retrying.statistics["attempt_number"]
    return SendResult(entry.accelerator, settings.now(), tries, why)


def _dispatch_request(
    change: Change, entry: PlannedPlatform, home: str
) -> tuple[str, dict[str, Any]]:
    payload = client_payload(change, entry)
    if target := entry.run.sent_to:
        body = {"event_type": target.event_type, "client_payload": payload}
        return f"repos/{target.repository}/dispatches", body
    api_path = f"repos/{home}/actions/workflows/{entry.run.portal_workflow}/dispatches"
    inputs = {"run_name": payload["run_name"], "event": json.dumps(payload)}
    if entry.run.runner:
        inputs = {"run_name": payload["run_name"], **_workflow_inputs(change, entry)}
    return api_path, {"ref": BRANCH, "inputs": inputs}


def _workflow_inputs(change: Change, entry: PlannedPlatform) -> dict[str, str]:
    return {
        "accelerator": entry.accelerator,
        "device": entry.device,
        "runner": json.dumps(entry.run.runner),
        "matrix": json.dumps(job_matrix(entry)),
        "minutes": str(min(entry.hours * 60, MOST_MINUTES)),
        "commit": change.head or "",
        "pull-request": str(change.number or ""),
    }


@dataclass
class DispatchRound:
    """The results of a round of sending; the next round continues from `log`.

    `sent` has a result for each attempted change and platform. `notes` are sentences about events
    that are not sent, because they are replays or replaced by newer ones.
    """

    log: SendLog
    sent: list[SendResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether sending a change to any platform failed."""
        return any(not one.ok for one in self.sent)

    @property
    def waiting(self) -> int:
        """The number of dispatches (one change to one platform) that wait for the next round."""
        return len(self.log.queue)


def run_dispatch_round(
    clients: Clients, replan: Replan, save: SaveLog, settings: SendSettings | None = None
) -> DispatchRound:
    """Send the planned changes that are not sent yet; return the results of the round.

    `save` is called with the log after each batch and at the end. New plans are read before each
    batch, so that a newer commit replaces an older one that is not sent yet. `replan` is called
    for each pull request of a batch: what is no longer planned is not sent. Raises GitHubError if
    this repository's own files cannot be read.
    """
    settings = settings or SendSettings()
    start = settings.now()
    source = FileSource(clients.own, clients.home, start - REPEAT_PERIOD)
    log = newest_workflow_file(source, SENT_FILE, SendLog) or SendLog()
    dispatch_round = DispatchRound(log)
    pace = RateLimiter(log.sent_since(start - RATE_WINDOW), settings.now, settings.pause)
    failed_keys: set[tuple[int, str]] = set()
    while settings.now() - start < ROUND_TIME_LIMIT:
        _read_plans(source, dispatch_round, settings.now())
        untried = [item for item in dispatch_round.log.queue if item.key not in failed_keys]
        batch = untried[:MOST_A_MINUTE]
        if not batch:
            break
        canceled, unconfirmed = _checked_again(replan, batch)
        dispatch_round.notes += _cancellation_notes(canceled)
        sendable = [item for item in batch if item not in canceled | unconfirmed]
        results = dict(zip(sendable, send_items(clients, sendable, pace, settings), strict=True))
        for item, why in unconfirmed.items():
            results[item] = SendResult(item.accelerator, settings.now(), 0, why)
        tried = {item.key for item in results}
        sent_times = {item.key: result.at for item, result in results.items() if result.ok}
        failed_keys |= tried - sent_times.keys()
        dispatch_round.sent += results.values()
        log = dispatch_round.log.without({item.key for item in canceled})
        dispatch_round.log = log.after_sending(tried, sent_times)
        save(dispatch_round.log)
        if all(item.key in failed_keys for item in dispatch_round.log.queue):
            break
    dispatch_round.log = dispatch_round.log.without_old(settings.now())
    save(dispatch_round.log)
    return dispatch_round


def _checked_again(
    replan: Replan, items: Sequence[Delivery]
) -> tuple[dict[Delivery, str], dict[Delivery, str]]:
    """Plan the pull requests of items again: one question to GitHub for each of them.

    Returns why items are canceled, and why others could not be confirmed. Commits of the main
    branch are not asked for: they stay on it, and need no approval.
    """
    canceled: dict[Delivery, str] = {}
    unconfirmed: dict[Delivery, str] = {}
    for change, group in groupby(items, key=lambda item: item.change):
        same_change = list(group)
        if change.number is None:
            continue
        try:
            plan = replan(change)
        except RefusedEventError as error:
            canceled |= dict.fromkeys(same_change, str(error))
        except GitHubError as error:
            unconfirmed |= dict.fromkeys(same_change, str(error))
        else:
            planned = {entry.accelerator for entry in plan.entries}
            no_events = "the platform has no upstream events"
            canceled |= {
                item: plan.passed_over.get(item.accelerator, no_events)
                for item in same_change
                if item.accelerator not in planned
            }
    return canceled, unconfirmed


def _cancellation_notes(canceled: Mapping[Delivery, str]) -> list[str]:
    counts = Counter(
        (f"{branch_name(item.change)} at {(item.change.head or '')[:12]}", why)
        for item, why in canceled.items()
    )
    return [
        f"{name}: {number} unsent dispatches are canceled: {why}."
        for (name, why), number in counts.items()
    ]


def _read_plans(source: FileSource, dispatch_round: DispatchRound, now: dt.datetime) -> None:
    unread_source = replace(source, closed=dispatch_round.log.read.keys())
    plans = dict(workflow_files(unread_source, PLAN_FILE, DispatchPlan))
    dispatch_round.log, notes = dispatch_round.log.with_plans(plans, now)
    dispatch_round.notes += notes

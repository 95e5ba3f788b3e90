"""Sending changes to those who test them: side by side, at a pace, again where it failed.

A vendor whose repository is gone, or whose token is refused, does not keep the others from theirs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.upstream.change import BRANCH, Change, ShortText
from accelerator_portal.automation.upstream.dispatch_queue import QueueItem
from accelerator_portal.automation.upstream.pace import Pace, UtcClock, utc_now
from accelerator_portal.automation.upstream.payload import client_payload
from accelerator_portal.automation.upstream.planning import PlannedPlatform, matrix
from accelerator_portal.catalog.fields import Id, Model
from accelerator_portal.reports.report import Moment

# A job on a runner of one's own may take five days; nobody waits so long for an answer.
MOST_MINUTES = 72 * 60


class SendResult(Model):
    """What came of sending to one platform."""

    accelerator: Id
    """Its id."""
    at: Moment
    """When."""
    ok: bool
    """Whether GitHub took it."""
    tries: Annotated[int, Field(ge=0)]
    """How often it was tried; 0 where what was to be sent does not fit."""
    why: ShortText = ""
    """Why not."""


@dataclass(frozen=True, slots=True)
class SendSettings:
    """How to send; tests wait shorter."""

    at_once: int = 16
    tries: int = 4
    wait: float = 2.0
    """Seconds before the second try; twice as long before each further one."""
    pause: Callable[[float], None] = time.sleep
    now: UtcClock = utc_now


@dataclass(frozen=True, slots=True)
class Senders:
    """Who sends: to vendors' repositories and to this one, each with tokens of its own."""

    vendors: Api
    own: Api
    home: str
    """This repository."""


def send(
    senders: Senders, items: Sequence[QueueItem], pace: Pace, how: SendSettings | None = None
) -> list[SendResult]:
    """Send each item; return what came of each, in their order.

    A lost answer can make a second event of the same delivery: whoever gets it knows it by the
    number.
    """
    how = how or SendSettings()
    if not items:
        return []
    with ThreadPoolExecutor(min(how.at_once, len(items))) as pool:
        return list(pool.map(lambda item: _sent(senders, item, pace, how), items))


def _sent(senders: Senders, item: QueueItem, pace: Pace, how: SendSettings) -> SendResult:
    entry = item.entry
    api = senders.own if entry.run.workflow_here else senders.vendors
    try:
        place, body = _request(item.change, entry, senders.home)
    except ValueError as error:
        return _outcome(entry, how, 0, str(error))
    for attempt in range(1, how.tries + 1):
        pace.wait()
        try:
            api.send("POST", place, body)
        except GitHubError as error:
            if not error.passing or attempt == how.tries:
                return _outcome(entry, how, attempt, str(error))
            how.pause(how.wait * 2 ** (attempt - 1))
        else:
            return _outcome(entry, how, attempt)
    raise AssertionError("set the number of attempts to 1 or more")


def _outcome(entry: PlannedPlatform, how: SendSettings, tries: int, why: str = "") -> SendResult:
    return SendResult(
        accelerator=entry.accelerator,
        at=how.now(),
        ok=not why,
        tries=tries,
        why=why[:1000],
    )


def _request(change: Change, entry: PlannedPlatform, home: str) -> tuple[str, dict[str, Any]]:
    """Where to send what."""
    payload = client_payload(change, entry)
    if there := entry.run.sent_to:
        body = {"event_type": there.event_type, "client_payload": payload}
        return f"repos/{there.repository}/dispatches", body
    place = f"repos/{home}/actions/workflows/{entry.run.workflow_here}/dispatches"
    inputs = {"run_name": payload["run_name"], "event": json.dumps(payload)}
    if entry.run.runner:
        inputs = {"run_name": payload["run_name"], **_job(change, entry)}
    return place, {"ref": BRANCH, "inputs": inputs}


def _job(change: Change, entry: PlannedPlatform) -> dict[str, str]:
    """The inputs of the portal's own workflow."""
    return {
        "accelerator": entry.accelerator,
        "device": entry.device,
        "runner": json.dumps(entry.run.runner),
        "matrix": json.dumps(matrix(entry)),
        "minutes": str(min(entry.hours * 60, MOST_MINUTES)),
        "commit": change.head or "",
        "pull-request": str(change.number or ""),
    }

"""Sending a change to everybody who tests it: side by side, again where it failed, never twice.

A vendor whose repository is gone, or whose token is refused, does not keep the others from theirs.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.upstream.change import BRANCH, Change, ShortText
from accelerator_portal.automation.upstream.payload import client_payload
from accelerator_portal.automation.upstream.planning import DispatchPlan, PlannedPlatform, matrix
from accelerator_portal.catalog.fields import Id, Model
from accelerator_portal.reports.report import Moment

# A job on a runner of one's own may take five days; nobody waits so long for an answer.
MOST_MINUTES = 72 * 60


class Sent(Model):
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


class DispatchJournal(Model):
    """A plan and what was sent for it: the file that the later jobs go by."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    plan: DispatchPlan
    """Who was to be told."""
    sent: Annotated[tuple[Sent, ...], Field(max_length=1000)] = ()
    """Who was."""


def told_before(
    change: Change, journals: Iterable[DispatchJournal]
) -> tuple[list[Sent], frozenset[str]]:
    """Return what was sent for this event, and who was told of this commit by whichever event.

    A pull request that gets a label, or is opened again, is no other commit; neither is what two
    senders tell. Only who is asked again is told again.
    """
    same: dict[str, Sent] = {}
    others: set[str] = set()
    for journal in journals:
        told = {one.accelerator: one for one in journal.sent if one.ok}
        if journal.plan.change.delivery == change.delivery:
            same |= told
        elif change.action != "rerequested" and _commit(journal.plan.change) == _commit(change):
            others |= told.keys()
    return [*same.values()], frozenset(same) | others


def commit_key(change: Change) -> str:
    """Return what names the journals of a commit: all events of it, and of no other commit."""
    return hashlib.sha256(repr(_commit(change)).encode()).hexdigest()[:32]


def _commit(change: Change) -> tuple[object, ...]:
    return change.repository, change.number, change.head


@dataclass(frozen=True, slots=True)
class Sending:
    """How to send; tests wait shorter."""

    at_once: int = 16
    tries: int = 4
    wait: float = 2.0
    """Seconds before the second try; twice as long before each further one."""
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.timezone.utc)


@dataclass(frozen=True, slots=True)
class Senders:
    """Who sends: to vendors' repositories with one token, to this repository with its own."""

    vendors: Api
    own: Api
    home: str
    """This repository."""


def send(
    senders: Senders, plan: DispatchPlan, told: Collection[str] = (), how: Sending | None = None
) -> list[Sent]:
    """Send a change to everybody in the plan who is not `told` yet; return what came of each.

    A lost answer can make a second event of the same delivery: whoever gets it knows it by the
    number.
    """
    how = how or Sending()
    left = [entry for entry in plan.entries if entry.accelerator not in told]
    if not left:
        return []
    with ThreadPoolExecutor(min(how.at_once, len(left))) as pool:
        return list(pool.map(lambda entry: _sent(senders, plan, entry, how), left))


def _sent(senders: Senders, plan: DispatchPlan, entry: PlannedPlatform, how: Sending) -> Sent:
    api = senders.own if entry.run.workflow_here else senders.vendors
    try:
        place, body = _request(plan.change, entry, senders.home)
    except ValueError as error:
        return _outcome(entry, how, 0, str(error))
    for attempt in range(1, how.tries + 1):
        try:
            api.send("POST", place, body)
        except GitHubError as error:
            if not error.passing or attempt == how.tries:
                return _outcome(entry, how, attempt, str(error))
            how.pause(how.wait * 2 ** (attempt - 1))
        else:
            return _outcome(entry, how, attempt)
    raise AssertionError("there is at least one try")


def _outcome(entry: PlannedPlatform, how: Sending, tries: int, why: str = "") -> Sent:
    return Sent(
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

"""Sending a change to everybody who tests it: side by side, again where it failed, never twice.

A vendor whose repository is gone, or whose token is refused, does not keep the others from theirs.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.upstream.change import BRANCH, Text
from accelerator_portal.automation.upstream.payload import client_payload
from accelerator_portal.automation.upstream.planning import Entry, Plan
from accelerator_portal.catalog.fields import Id, Model
from accelerator_portal.reports.report import Moment


class Sent(Model):
    """What came of sending to one platform."""

    accelerator: Id
    """Its id."""
    at: Moment
    """When."""
    ok: bool
    """Whether GitHub took it."""
    tries: Annotated[int, Field(ge=0)]
    """How often it was tried; 0 where nothing needs to be sent."""
    why: Text = ""
    """Why not."""
    run: int | None = None
    """The run of this repository's workflow that has its job, where it has one."""


class Journal(Model):
    """A plan and what was sent for it: the file that the later jobs go by."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    plan: Plan
    """Who was to be told."""
    sent: Annotated[tuple[Sent, ...], Field(max_length=1000)] = ()
    """Who was."""


@dataclass(frozen=True, slots=True)
class Sending:
    """How to send; tests wait shorter."""

    at_once: int = 16
    tries: int = 4
    wait: float = 2.0
    """Seconds before the second try; twice as long before each further one."""
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    run: int | None = None
    """The run of this repository's workflow that has the jobs of its own runners."""


def send(
    api: Api, plan: Plan, home: str, told: Collection[str] = (), how: Sending | None = None
) -> list[Sent]:
    """Send a change to everybody in the plan who is not `told` yet; return what came of each.

    `home` is this repository, for workflows that vendors have in it. A lost answer can make a
    second event of the same delivery: whoever gets it knows it by the number.
    """
    how = how or Sending()
    left = [entry for entry in plan.entries if entry.accelerator not in told]
    if not left:
        return []
    with ThreadPoolExecutor(min(how.at_once, len(left))) as pool:
        return list(pool.map(lambda entry: _sent(api, plan, entry, home, how), left))


def _sent(api: Api, plan: Plan, entry: Entry, home: str, how: Sending) -> Sent:
    try:
        place, body = _request(plan, entry, home)
    except ValueError as error:
        return _outcome(entry, how, 0, str(error))
    if place is None:
        return _outcome(entry, how, 0)
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


def _outcome(entry: Entry, how: Sending, tries: int, why: str = "") -> Sent:
    return Sent(
        accelerator=entry.accelerator,
        at=how.now(),
        ok=not why,
        tries=tries,
        why=why[:1000],
        run=how.run if entry.run.runner else None,
    )


def _request(plan: Plan, entry: Entry, home: str) -> tuple[str | None, dict[str, Any]]:
    """Where to send what; nowhere for runners of this repository, which have jobs already."""
    payload = client_payload(plan.change, entry)
    if entry.run.sent_to:
        place = f"repos/{entry.run.sent_to.repository}/dispatches"
        return place, {"event_type": entry.run.sent_to.event_type, "client_payload": payload}
    if entry.run.workflow:
        place = f"repos/{home}/actions/workflows/{entry.run.workflow}/dispatches"
        inputs = {"run_name": payload["run_name"], "event": json.dumps(payload)}
        return place, {"ref": BRANCH, "inputs": inputs}
    return None, {}

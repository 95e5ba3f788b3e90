"""Manages the queue of PyTorch changes to send to platforms.

The functions take the sender's log (`SendLog`) and do not change it; they return a new log.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from accelerator_automation.upstream.change import Change, Delivery
from accelerator_automation.upstream.planning import DispatchPlan, PlannedPlatform
from accelerator_reports.files.fields import Id, StrictModel
from accelerator_reports.report import Moment

REPEAT_PERIOD = dt.timedelta(days=1)
"""A repeated event within this time is sent only to the platforms that did not receive it. A later
repetition is refused as a replay. A platform gets a commit only once within this time, except for
the action `rerequested`."""

LOG_RETENTION = dt.timedelta(days=3)
"""The log keeps sent changes, and the times at which plans were read, for this time. The round of
answers reads the sent changes from it."""

DELIVERY_RETENTION = dt.timedelta(days=14)
"""The log keeps delivery numbers for this time, to recognize replays."""

MOST_FAILURES = 3
"""The number of failed rounds after which a change is no longer sent to a platform."""


class SentChange(StrictModel):
    """A change, and when it was sent to each platform."""

    change: Change
    """The change that was sent."""
    sent: Mapping[Id, Moment]
    """The time of sending, by platform id."""


class WaitingPlan(StrictModel):
    """The part of a plan that is not sent yet: the change, the platforms, and their failures."""

    change: Change
    """The change to test."""
    entries: Annotated[tuple[PlannedPlatform, ...], Field(max_length=1000)]
    """The platforms to which the change is not sent yet."""
    failures: Mapping[Id, NonNegativeInt] = Field(default_factory=dict)
    """The number of rounds that failed to send the change, by platform id."""


class SendLog(StrictModel):
    """The file that passes the sender's state to its next run.

    The keys of `waiting`, `sent` and `read` are the ids of the plans' artifacts.
    """

    schema_version: Literal[1] = 1
    """The version of this file's format."""
    waiting: Annotated[Mapping[int, WaitingPlan], Field(max_length=10_000)] = Field(
        default_factory=dict
    )
    """Plans that are not sent to all their platforms yet."""
    sent: Annotated[Mapping[int, SentChange], Field(max_length=10_000)] = Field(
        default_factory=dict
    )
    """The changes that were sent in the last three days."""
    read: Annotated[Mapping[int, Moment], Field(max_length=10_000)] = Field(default_factory=dict)
    """The time at which each plan was read; these plans are not read again."""
    deliveries: Annotated[Mapping[Delivery, Moment], Field(max_length=100_000)] = Field(
        default_factory=dict
    )
    """The time at which the first plan of each event was read, by delivery number. A repeated event
    is refused if it comes more than a day later."""


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A change to send to one platform, which `entry` describes.

    `plan` is the id of the artifact with the plan of the change.
    """

    plan: int
    change: Change
    entry: PlannedPlatform


@dataclass(frozen=True, slots=True)
class EnqueueResult:
    """The log with new plans; `notes` are sentences that say what is not sent, and why."""

    log: SendLog
    notes: tuple[str, ...] = ()


def log_with_plans(
    log: SendLog, plans: Mapping[int, DispatchPlan], now: dt.datetime
) -> EnqueueResult:
    """Return the log with new plans, which are added oldest first.

    The keys of `plans` are the ids of the plans' artifacts. A newer commit of a pull request
    replaces older commits that are not sent yet. A newer commit of the main branch replaces older
    ones for the same kind of event or schedule. If the first plan of an event was read more than
    `REPEAT_PERIOD` ago, the event is refused as a replay.
    """
    notes: list[str] = []
    for plan_id, plan in sorted(plans.items()):
        log = log.model_copy(update={"read": {**log.read, plan_id: now}})
        first_read = log.deliveries.get(plan.change.delivery)
        if first_read is not None and now - first_read > REPEAT_PERIOD:
            notes.append(
                f"Event {plan.change.delivery} is a replay from {first_read:%Y-%m-%d}: refused."
            )
            continue
        log, replaced_count = _with_plan(log, plan_id, plan, now)
        if replaced_count:
            name = branch_name(plan.change)
            notes.append(
                f"{name}: {replaced_count} unsent dispatches are replaced by a newer event."
            )
    return EnqueueResult(log, tuple(notes))


def queue_items(log: SendLog) -> Iterator[QueueItem]:
    """Yield the items to send, from the oldest plan to the newest."""
    for plan_id, plan in sorted(log.waiting.items()):
        for entry in plan.entries:
            yield QueueItem(plan_id, plan.change, entry)


def log_with_sent(
    log: SendLog, items: Iterable[QueueItem], at: Mapping[QueueItem, dt.datetime]
) -> SendLog:
    """Return the log after an attempt to send `items`.

    `at` has the time of sending for each item that was sent. Items that are not in `at` failed. If
    sending to a platform failed in `MOST_FAILURES` rounds, the platform is removed from the plan.
    """
    waiting, sent, done = dict(log.waiting), dict(log.sent), []
    for item in items:
        name, plan = item.entry.accelerator, waiting[item.plan]
        failures = {**plan.failures}
        if item in at:
            sent_change = sent.get(item.plan, SentChange(change=item.change, sent={}))
            sent_times = {**sent_change.sent, name: at[item]}
            sent[item.plan] = sent_change.model_copy(update={"sent": sent_times})
        else:
            failures[name] = failures.get(name, 0) + 1
        waiting[item.plan] = plan.model_copy(update={"failures": failures})
        if item in at or failures[name] >= MOST_FAILURES:
            done.append(item)
    return log_without_items(log.model_copy(update={"waiting": waiting, "sent": sent}), done)


def log_without_items(log: SendLog, items: Iterable[QueueItem]) -> SendLog:
    """Return the log without `items`, which are no longer to be sent."""
    waiting = dict(log.waiting)
    for item in items:
        plan = waiting[item.plan]
        entries = tuple(entry for entry in plan.entries if entry != item.entry)
        waiting[item.plan] = plan.model_copy(update={"entries": entries})
    return log.model_copy(update={"waiting": _nonempty_plans(waiting)})


def log_without_old(log: SendLog, now: dt.datetime) -> SendLog:
    """Return the log without old records.

    Records in the log's fields `sent` and `read` are removed after `LOG_RETENTION`, records in
    `deliveries` after `DELIVERY_RETENTION`.
    """
    return log.model_copy(
        update={
            "sent": {
                plan_id: sent_change
                for plan_id, sent_change in log.sent.items()
                if now - max(sent_change.sent.values(), default=now) <= LOG_RETENTION
            },
            "read": {
                plan_id: read_at
                for plan_id, read_at in log.read.items()
                if now - read_at <= LOG_RETENTION
            },
            "deliveries": {
                delivery: read_at
                for delivery, read_at in log.deliveries.items()
                if now - read_at <= DELIVERY_RETENTION
            },
        }
    )


def sending_moments(log: SendLog, since: dt.datetime) -> list[dt.datetime]:
    """Return the times at which changes were sent, from `since` on, oldest first.

    The rate limit counts these times.
    """
    moments = chain.from_iterable(one.sent.values() for one in log.sent.values())
    return sorted(at for at in moments if at >= since)


def _with_plan(
    log: SendLog, plan_id: int, plan: DispatchPlan, now: dt.datetime
) -> tuple[SendLog, int]:
    already_sent = _already_sent_platforms(log, plan.change, now)
    entries = tuple(entry for entry in plan.entries if entry.accelerator not in already_sent)
    platform_ids = {entry.accelerator for entry in plan.entries}
    waiting, replaced_count = {}, 0
    for older_id, older_plan in log.waiting.items():
        kept_entries = tuple(
            entry
            for entry in older_plan.entries
            if not _replaces_older_plan(plan.change, older_plan, entry, platform_ids)
        )
        replaced_count += len(older_plan.entries) - len(kept_entries)
        waiting[older_id] = older_plan.model_copy(update={"entries": kept_entries})
    waiting[plan_id] = WaitingPlan(change=plan.change, entries=entries)
    deliveries = {plan.change.delivery: now, **log.deliveries}
    update = {"waiting": _nonempty_plans(waiting), "deliveries": deliveries}
    return log.model_copy(update=update), replaced_count


def _replaces_older_plan(
    change: Change, older_plan: WaitingPlan, entry: PlannedPlatform, platform_ids: set[str]
) -> bool:
    """Return whether a newer `change` replaces the change of `older_plan` for the platform `entry`.

    Both changes must be of the same pull request, or of the main branch and the same trigger. If
    both have the same commit, the newer change must also be planned for the platform.
    `platform_ids` are the ids of the platforms for which the newer change is planned.
    """
    if _branch_key(change) != _branch_key(older_plan.change):
        return False
    return change.head != older_plan.change.head or entry.accelerator in platform_ids


def _already_sent_platforms(log: SendLog, change: Change, now: dt.datetime) -> frozenset[str]:
    """Return the ids of the platforms that must not get `change` from a new plan.

    A platform is included if it received the same event or the same commit within `REPEAT_PERIOD`.
    For the action `rerequested`, only the same event counts. A platform is also included if an
    earlier plan for another trigger, such as `daily`, is still to send the commit to it.
    """
    already_sent: set[str] = set()
    for one in log.sent.values():
        same_commit = (
            _commit_key(one.change) == _commit_key(change) and change.action != "rerequested"
        )
        if one.change.delivery == change.delivery or same_commit:
            already_sent |= {
                name for name, sent_at in one.sent.items() if now - sent_at <= REPEAT_PERIOD
            }
    for waiting_plan in log.waiting.values():
        if _commit_key(waiting_plan.change) == _commit_key(change) and _branch_key(
            waiting_plan.change
        ) != _branch_key(change):
            already_sent |= {one.accelerator for one in waiting_plan.entries}
    return frozenset(already_sent)


def _commit_key(change: Change) -> tuple[object, ...]:
    return change.repository, change.number, change.head


def _branch_key(change: Change) -> tuple[object, ...]:
    return change.repository, change.number, change.occasion


def branch_name(change: Change) -> str:
    """Return what readers call the branch of a change, such as `Pull request 7`."""
    return f"Pull request {change.number}" if change.number else f"Main ({change.occasion})"


def _nonempty_plans(waiting: Mapping[int, WaitingPlan]) -> dict[int, WaitingPlan]:
    return {plan_id: plan for plan_id, plan in waiting.items() if plan.entries}

"""Follows the delivery of a PyTorch change to one platform: queued, sent, and settled.

The sender and the answerer are two scheduled jobs, and each passes a file with its deliveries to
its next run. The answerer also reads the sender's file. The functions change no delivery; they
return new ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    NonNegativeInt,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from accelerator_automation.upstream.incoming import Change, EventId
from accelerator_automation.upstream.planning import DispatchPlan, PlannedPlatform, run_title
from accelerator_reports.files.fields import Id, StrictModel
from accelerator_reports.report import Moment

REPEAT_PERIOD = dt.timedelta(days=1)
"""A repeated event within this time is sent only to the platforms that did not receive it. A later
repetition is refused as a replay. A platform gets a commit only once within this time, except for
the action `rerequested`."""

SENT_RETENTION = dt.timedelta(days=3)
"""The sender keeps sent deliveries, and the times at which plans were read, for this time."""

EVENT_RETENTION = dt.timedelta(days=14)
"""The sender keeps the numbers of events for this time, to recognize replays."""

LIFETIME = dt.timedelta(days=6, hours=1)
"""The answerer drops deliveries of this age: twice the longest time limit of a run, and an hour."""

MOST_FAILURES = 3
"""The number of failed rounds after which a change is no longer sent to a platform."""

_MOST_DELIVERIES = 500_000

RunState = Literal["waiting", "running", "report", "late", "lost", "silent", "refused"]


class Delivery(StrictModel):
    """A change for one platform: queued until it is `sent`, and open until it has a `state`."""

    plan: int
    """The id of the artifact with the plan; a plan has one change."""
    change: Change
    """The change to test."""
    accelerator: Id
    """The platform's id."""
    settings: PlannedPlatform | None = None
    """The platform's settings until the change is sent. Afterward, only the platform's folder says
    where it answers."""
    failures: NonNegativeInt = 0
    """The number of rounds that failed to send it."""
    sent: Moment | None = None
    """When it was sent; None while it is queued."""
    state: RunState | None = None
    """The final state of the platform's run; None until then."""
    checked: bool = False
    """Whether a check run shows the answer."""

    @property
    def key(self) -> tuple[int, str]:
        """The plan and the platform, which no other delivery of a file has."""
        return self.plan, self.accelerator

    @property
    def title(self) -> str:
        """The title of the platform's run: `<event>/<accelerator>`."""
        return run_title(self.change, self.accelerator)

    @property
    def platform(self) -> PlannedPlatform:
        """The platform's settings. Raises ValueError if they are not known."""
        if self.settings is None:
            raise ValueError(f"the settings of {self.accelerator} are not known")
        return self.settings

    @property
    def at(self) -> dt.datetime:
        """When it was sent. Raises ValueError while it is queued."""
        if self.sent is None:
            raise ValueError(f"{self.title} is not sent yet")
        return self.sent

    def blocks(self, change: Change, now: dt.datetime) -> bool:
        """Return whether this delivery makes another one of `change` to its platform needless.

        It does if the platform received the same event or the same commit within `REPEAT_PERIOD`,
        or if the same commit is queued for it for another trigger, such as `daily`. For the action
        `rerequested`, only the same event counts as received.
        """
        same_commit = _commit(self.change) == _commit(change)
        if self.sent is None:
            return same_commit and _branch(self.change) != _branch(change)
        again = same_commit and change.action != "rerequested"
        return (again or self.change.delivery == change.delivery) and (
            now - self.sent <= REPEAT_PERIOD
        )

    def yields_to(self, change: Change, platforms: Container[str]) -> bool:
        """Return whether a newer `change`, planned for `platforms`, replaces this delivery.

        Both changes must be of the same pull request, or of the main branch and the same trigger.
        If both have the same commit, the newer change must also be planned for the platform.
        """
        if self.sent is not None or _branch(self.change) != _branch(change):
            return False
        return self.change.head != change.head or self.accelerator in platforms


class _DeliveryFile(StrictModel):
    """A file of deliveries. It has each change once, because a hundred platforms may test it."""

    schema_version: Literal[2] = 2
    """The version of this file's format."""
    deliveries: Annotated[tuple[Delivery, ...], Field(max_length=_MOST_DELIVERIES)] = ()
    """The deliveries, oldest plan first."""

    @model_serializer(mode="wrap")
    def _with_changes_apart(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        changes = {one["plan"]: one.pop("change") for one in data["deliveries"]}
        data["deliveries"] = [
            {key: value for key, value in one.items() if value or key == "plan"}
            for one in data["deliveries"]
        ]
        return {**data, "changes": changes}

    @model_validator(mode="before")
    @classmethod
    def _with_changes_inside(cls, data: Any) -> Any:  # noqa: ANN401 - any JSON
        try:
            if data.get("schema_version") == 1:
                return cls._of_version_1(data)
            changes = {int(k): Change.model_validate(v) for k, v in data.pop("changes", {}).items()}
            if changes:
                data["deliveries"] = [
                    {**d, "change": changes[d["plan"]]} for d in data["deliveries"]
                ]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("the file has another format") from error
        return data

    @classmethod
    def _of_version_1(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return data of the first version in this version's format. Until 2027-01-01.

        What was in flight when the format changed is not lost.
        """
        raise NotImplementedError


class SendLog(_DeliveryFile):
    """The file that passes the sender's state to its next run.

    Its deliveries are queued, or were sent in the last three days.
    """

    read: Annotated[Mapping[int, Moment], Field(max_length=10_000)] = Field(default_factory=dict)
    """The time at which each plan was read; these plans are not read again."""
    events: Annotated[Mapping[EventId, Moment], Field(max_length=100_000)] = Field(
        default_factory=dict
    )
    """The time at which the first plan of each event was read, to recognize replays."""

    @classmethod
    def _of_version_1(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        queued = [
            {
                "plan": int(plan),
                "change": one["change"],
                "accelerator": entry["accelerator"],
                "settings": entry,
                "failures": one.get("failures", {}).get(entry["accelerator"], 0),
            }
            for plan, one in data.get("waiting", {}).items()
            for entry in one["entries"]
        ]
        deliveries = [*_sent_of_version_1(data.get("sent", {})), *queued]
        return {
            "deliveries": sorted(deliveries, key=lambda one: int(one["plan"])),
            "read": data.get("read", {}),
            "events": data.get("deliveries", {}),
        }

    @property
    def queue(self) -> list[Delivery]:
        """The deliveries to send, from the oldest plan to the newest."""
        return [one for one in self.deliveries if one.sent is None]

    def sent_since(self, since: dt.datetime) -> list[dt.datetime]:
        """Return the times of sending from `since` on, oldest first. The rate limit counts them."""
        return sorted(one.sent for one in self.deliveries if one.sent and one.sent >= since)

    def with_plans(
        self, plans: Mapping[int, DispatchPlan], now: dt.datetime
    ) -> tuple[SendLog, list[str]]:
        """Return the log with new plans, oldest first, and sentences on what is not sent, and why.

        The keys of `plans` are the ids of their artifacts. If the first plan of an event was read
        more than `REPEAT_PERIOD` ago, the event is refused as a replay.
        """
        log, notes = self, []
        for plan_id, plan in sorted(plans.items()):
            event = plan.change.delivery
            first_read = log.events.get(event)
            update: dict[str, object] = {"read": {**log.read, plan_id: now}}
            if first_read is not None and now - first_read > REPEAT_PERIOD:
                notes.append(f"Event {event} is a replay from {first_read:%Y-%m-%d}: refused.")
            else:
                deliveries, replaced = log._with_plan(plan_id, plan, now)
                update |= {"deliveries": deliveries, "events": {event: now, **log.events}}
                if replaced:
                    name = branch_name(plan.change)
                    notes.append(
                        f"{name}: {replaced} unsent dispatches are replaced by a newer event."
                    )
            log = log.model_copy(update=update)
        return log, notes

    def _with_plan(
        self, plan_id: int, plan: DispatchPlan, now: dt.datetime
    ) -> tuple[tuple[Delivery, ...], int]:
        """Return the deliveries with those of a plan, and how many the plan replaces."""
        change, platforms = plan.change, {entry.accelerator for entry in plan.entries}
        kept = [one for one in self.deliveries if not one.yields_to(change, platforms)]
        blocked = {
            one.accelerator
            for one in self.deliveries
            if one.accelerator in platforms and one.blocks(change, now)
        }
        new = [
            Delivery(plan=plan_id, change=change, accelerator=entry.accelerator, settings=entry)
            for entry in plan.entries
            if entry.accelerator not in blocked
        ]
        return (*kept, *new), len(self.deliveries) - len(kept)

    def after_sending(
        self, tried: Iterable[tuple[int, str]], at: Mapping[tuple[int, str], dt.datetime]
    ) -> SendLog:
        """Return the log after an attempt to send the deliveries with the keys in `tried`.

        `at` has the time of sending by key. A delivery that is not in `at` failed, and is given up
        after `MOST_FAILURES` rounds.
        """
        tried_keys, deliveries = set(tried), []
        for one in self.deliveries:
            if one.key in at:
                sent = {"sent": at[one.key], "settings": None}
                deliveries.append(one.model_copy(update=sent))
            elif one.key not in tried_keys:
                deliveries.append(one)
            elif one.failures + 1 < MOST_FAILURES:
                deliveries.append(one.model_copy(update={"failures": one.failures + 1}))
        return self.model_copy(update={"deliveries": tuple(deliveries)})

    def without(self, keys: Container[tuple[int, str]]) -> SendLog:
        """Return the log without the deliveries with these keys, which are not to be sent."""
        kept = tuple(one for one in self.deliveries if one.key not in keys)
        return self.model_copy(update={"deliveries": kept})

    def without_old(self, now: dt.datetime) -> SendLog:
        """Return the log without records that are older than their retention."""
        return self.model_copy(
            update={
                "deliveries": tuple(
                    one
                    for one in self.deliveries
                    if one.sent is None or now - one.sent <= SENT_RETENTION
                ),
                "read": {k: at for k, at in self.read.items() if now - at <= SENT_RETENTION},
                "events": {k: at for k, at in self.events.items() if now - at <= EVENT_RETENTION},
            }
        )


class Ledger(_DeliveryFile):
    """The file that passes the answerer's deliveries to its next round.

    Its deliveries are open or settled, and at most `LIFETIME` old.
    """

    settled: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict, exclude=True)
    """What the first version of this file says of settled deliveries, by title. Until 2027-01-01.
    """

    @classmethod
    def _of_version_1(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        settled = {
            title: {"state": one["state"], "checked": one.get("checked", False)}
            for title, one in data.get("settled", {}).items()
        }
        return {"deliveries": _sent_of_version_1(data.get("open", {})), "settled": settled}

    def with_sent(
        self, log: SendLog, platforms: Mapping[str, PlannedPlatform], now: dt.datetime
    ) -> list[Delivery]:
        """Return all sent deliveries of this ledger and of the sender's log, oldest plan first.

        What the ledger knows of a delivery counts. `platforms` has the platforms' current settings;
        deliveries to other platforms, and those older than `LIFETIME`, are left out.
        """
        newest_first = sorted(log.deliveries, key=lambda one: one.plan, reverse=True)
        by_title = {one.title: one for one in (*newest_first, *self.deliveries) if one.sent}
        return [
            one.model_copy(
                update={"settings": platforms[one.accelerator], **self.settled.get(title, {})}
            )
            for title, one in sorted(by_title.items(), key=lambda item: item[1].plan)
            if one.accelerator in platforms and now - one.at <= LIFETIME
        ]

    @classmethod
    def of(cls, deliveries: Iterable[Delivery]) -> Self:
        """Return the ledger with these deliveries, without the platforms' settings.

        `deliveries` are sorted from old to new. If there are too many, the oldest are left out.
        """
        kept = [one.model_copy(update={"settings": None}) for one in deliveries]
        return cls(deliveries=tuple(kept[-_MOST_DELIVERIES:]))


def _sent_of_version_1(sent: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"plan": int(plan), "change": one["change"], "accelerator": name, "sent": at}
        for plan, one in sent.items()
        for name, at in one["sent"].items()
    ]


def to_look_up(deliveries: Iterable[Delivery], again: Container[str] = ()) -> Iterator[Delivery]:
    """Yield the deliveries without a final state, and those whose title is in `again`."""
    return (one for one in deliveries if one.state is None or one.title in again)


def settled(
    delivery: Delivery, state: RunState, now: dt.datetime, checked: Collection[str] = ()
) -> Delivery:
    """Return a delivery with the state of its run, if this state cannot change any more.

    A refused report can be replaced until the run's time limit. A missing report can arrive until
    twice the time limit. `checked` has the titles of the runs that got a check run.
    """
    limit = dt.timedelta(hours=delivery.platform.hours)
    age = now - delivery.at
    if state not in {"report", "late"} and age <= (limit if state == "refused" else 2 * limit):
        return delivery
    return delivery.model_copy(update={"state": state, "checked": delivery.title in checked})


def branch_name(change: Change) -> str:
    """Return what readers call the branch of a change, such as `Pull request 7`."""
    return f"Pull request {change.number}" if change.number else f"Main ({change.occasion})"


def _commit(change: Change) -> tuple[object, ...]:
    return change.repository, change.number, change.head


def _branch(change: Change) -> tuple[object, ...]:
    return change.repository, change.number, change.occasion

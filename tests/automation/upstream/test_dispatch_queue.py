"""What waits, what a newer event replaces, and what is told once only."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.upstream.dispatch_queue import (
    DELIVERY_RETENTION,
    LOG_RETENTION,
    MOST_FAILURES,
    SendLog,
    log_with_plans,
    log_with_sent,
    log_without_old,
    queue_items,
)
from accelerator_automation.upstream.planning import DispatchPlan
from tests.automation.upstream.scene import NOW, change, entry

DAY = dt.timedelta(days=1)


def plan(*names: str, **changed: object) -> DispatchPlan:
    return DispatchPlan(change=change(**changed), entries=tuple(map(entry, names)))


def waiting(log: SendLog) -> list[tuple[int, str]]:
    return [(item.plan, item.entry.accelerator) for item in queue_items(log)]


def sent(log: SendLog, *names: str, at: dt.datetime = NOW) -> SendLog:
    """The log after these were told."""
    items = [item for item in queue_items(log) if item.entry.accelerator in names]
    return log_with_sent(log, items, dict.fromkeys(items, at))


def test_the_oldest_plan_is_sent_first() -> None:
    plans = {
        9: plan("a", number=9, delivery="event-9"),
        4: plan("b", "a", number=4, delivery="event-4"),
    }
    assert waiting(log_with_plans(SendLog(), plans, NOW).log) == [(4, "b"), (4, "a"), (9, "a")]


def test_the_newest_commit_of_a_branch_replaces_what_is_not_sent() -> None:
    first = sent(log_with_plans(SendLog(), {1: plan("a", "b", "c")}, NOW).log, "a")
    newer = plan("a", "b", head="c" * 40, delivery="event-2", action="synchronize")
    done = log_with_plans(first, {2: newer}, NOW)
    assert waiting(done.log) == [(2, "a"), (2, "b")]
    assert done.notes == ("Pull request 7: 2 unsent dispatches are replaced by a newer event.",)
    pushes = {
        n: plan(
            "a", occasion="push", number=None, action=None, head=f"{n:040x}", delivery=f"push-{n}"
        )
        for n in (5, 6, 7)
    }
    done = log_with_plans(done.log, pushes, NOW)
    assert waiting(done.log) == [(2, "a"), (2, "b"), (7, "a")]
    assert done.notes[-1] == "Main (push): 1 unsent dispatches are replaced by a newer event."


def test_another_pull_request_or_occasion_replaces_nothing() -> None:
    main = {"number": None, "action": None}
    plans = {
        1: plan("a"),
        2: plan("a", number=8, head="c" * 40, delivery="event-2"),
        3: plan("a", occasion="push", delivery="event-3", **main),
        4: plan("a", occasion="daily", head="d" * 40, delivery="event-4", **main),
    }
    assert [number for number, _ in waiting(log_with_plans(SendLog(), plans, NOW).log)] == [
        1,
        2,
        3,
        4,
    ]


def test_a_commit_that_waits_for_a_push_does_not_wait_for_the_schedule_too() -> None:
    main = {"number": None, "action": None}
    plans = {
        1: plan("a", occasion="push", delivery="event-1", **main),
        2: plan("a", "b", occasion="daily", delivery="event-2", **main),
    }
    assert waiting(log_with_plans(SendLog(), plans, NOW).log) == [(1, "a"), (2, "b")]


def test_a_label_on_a_commit_that_waits_replaces_only_the_platforms_that_it_names() -> None:
    first = log_with_plans(SendLog(), {1: plan("a", "b")}, NOW).log
    label = plan("b", "c", delivery="event-2", action="labeled")
    assert waiting(log_with_plans(first, {2: label}, NOW).log) == [(1, "a"), (2, "b"), (2, "c")]


@pytest.mark.parametrize(
    ("changed", "told_again"),
    [
        ({}, False),
        ({"delivery": "event-2", "action": "labeled"}, False),
        ({"delivery": "event-2", "action": "reopened"}, False),
        ({"delivery": "event-2", "action": "rerequested"}, True),
        ({"delivery": "event-2", "head": "c" * 40}, True),
    ],
)
def test_a_commit_is_told_once_and_a_question_again_is_not(
    changed: dict[str, object], *, told_again: bool
) -> None:
    log = sent(log_with_plans(SendLog(), {1: plan("a")}, NOW).log, "a")
    again = log_with_plans(log, {2: plan("a", **changed)}, NOW + DAY / 2).log
    assert waiting(again) == ([(2, "a")] if told_again else [])


def test_a_replay_after_a_day_is_refused_and_another_event_is_not() -> None:
    log = sent(log_with_plans(SendLog(), {1: plan("a")}, NOW).log, "a")
    late = NOW + DAY + dt.timedelta(minutes=1)
    replay = log_with_plans(log, {2: plan("a")}, late)
    assert waiting(replay.log) == []
    (note,) = replay.notes
    assert note.endswith(" is a replay from 2026-11-21: refused.")
    other = log_with_plans(log, {3: plan("a", delivery="event-3", action="reopened")}, late)
    assert waiting(other.log) == [(3, "a")]
    kept = log_without_old(log, NOW + LOG_RETENTION + DAY)
    assert kept.sent == {}
    assert log_with_plans(kept, {4: plan("a")}, NOW + LOG_RETENTION + DAY).notes
    assert log_without_old(log, NOW + DELIVERY_RETENTION + DAY) == SendLog()


def test_an_event_that_was_half_sent_is_completed_by_its_second_run() -> None:
    log = sent(log_with_plans(SendLog(), {1: plan("a", "b")}, NOW).log, "a")
    again = log_with_plans(log, {2: plan("a", "b")}, NOW + DAY / 24)
    assert waiting(again.log) == [(2, "b")]


def test_a_platform_that_fails_waits_and_is_given_up_after_three_rounds() -> None:
    log = log_with_plans(SendLog(), {1: plan("a", "b")}, NOW).log
    for rounds in range(1, MOST_FAILURES + 1):
        log = log_with_sent(log, list(queue_items(log))[:1], {})
        assert waiting(log) == [(1, "a"), (1, "b")][rounds == MOST_FAILURES :]
    assert log.waiting[1].failures == {"a": MOST_FAILURES}

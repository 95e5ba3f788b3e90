"""What waits, what a newer event replaces, what is told once only, and what is settled."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from accelerator_automation.upstream.delivery import (
    EVENT_RETENTION,
    LIFETIME,
    MOST_FAILURES,
    SENT_RETENTION,
    Delivery,
    Ledger,
    RunState,
    SendLog,
    settled,
    to_look_up,
)
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_automation.upstream.run_search import current_entries
from accelerator_portal.catalog.files.accelerator import Dispatch, UpstreamRun
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.upstream.scene import (
    DELIVERY,
    NOW,
    SENT,
    VENDOR,
    answered,
    asked,
    change,
    entry,
    find,
    portal,
)
from tests.folders import Tree, loaded

DAY = dt.timedelta(days=1)
TITLE = f"{DELIVERY}/example"
MAIN = {"number": None, "action": None}


def plan(*names: str, **changed: object) -> DispatchPlan:
    return DispatchPlan(change=change(**changed), entries=tuple(map(entry, names)))


def planned(
    plans: dict[int, DispatchPlan], log: SendLog | None = None, now: dt.datetime = NOW
) -> SendLog:
    return (log or SendLog()).with_plans(plans, now)[0]


def waiting(log: SendLog) -> list[tuple[int, str]]:
    return [one.key for one in log.queue]


def sent(log: SendLog, *names: str) -> SendLog:
    """The log after these were told."""
    keys = [one.key for one in log.queue if one.accelerator in names]
    return log.after_sending(keys, dict.fromkeys(keys, NOW))


def told(at: dt.datetime = SENT, number: int = 9, **changed: object) -> Delivery:
    return Delivery(plan=number, change=change(**changed), accelerator="example", sent=at)


def waited_for(*deliveries: Delivery, ledger: Ledger | None = None) -> list[str]:
    log, platforms = SendLog(deliveries=deliveries), {"example": entry()}
    found = (ledger or Ledger()).with_sent(log, platforms, NOW)
    return [one.title for one in to_look_up(found)]


def test_the_oldest_plan_is_sent_first() -> None:
    plans = {
        9: plan("a", number=9, delivery="event-9"),
        4: plan("b", "a", number=4, delivery="event-4"),
    }
    assert waiting(planned(plans)) == [(4, "b"), (4, "a"), (9, "a")]


def test_the_newest_commit_of_a_branch_replaces_what_is_not_sent() -> None:
    first = sent(planned({1: plan("a", "b", "c")}), "a")
    newer = plan("a", "b", head="c" * 40, delivery="event-2", action="synchronize")
    log, notes = first.with_plans({2: newer}, NOW)
    assert waiting(log) == [(2, "a"), (2, "b")]
    assert notes == ["Pull request 7: 2 unsent dispatches are replaced by a newer event."]
    pushes = {
        n: plan("a", occasion="push", head=f"{n:040x}", delivery=f"push-{n}", **MAIN)
        for n in (5, 6, 7)
    }
    log, notes = log.with_plans(pushes, NOW)
    assert waiting(log) == [(2, "a"), (2, "b"), (7, "a")]
    assert notes[-1] == "Main (push): 1 unsent dispatches are replaced by a newer event."


def test_another_pull_request_or_occasion_replaces_nothing() -> None:
    plans = {
        1: plan("a"),
        2: plan("a", number=8, head="c" * 40, delivery="event-2"),
        3: plan("a", occasion="push", delivery="event-3", **MAIN),
        4: plan("a", occasion="daily", head="d" * 40, delivery="event-4", **MAIN),
    }
    assert [number for number, _ in waiting(planned(plans))] == [1, 2, 3, 4]


def test_a_commit_that_waits_for_a_push_does_not_wait_for_the_schedule_too() -> None:
    plans = {
        1: plan("a", occasion="push", delivery="event-1", **MAIN),
        2: plan("a", "b", occasion="daily", delivery="event-2", **MAIN),
    }
    assert waiting(planned(plans)) == [(1, "a"), (2, "b")]


def test_a_label_on_a_commit_that_waits_replaces_only_the_platforms_that_it_names() -> None:
    first = planned({1: plan("a", "b")})
    label = plan("b", "c", delivery="event-2", action="labeled")
    assert waiting(planned({2: label}, first)) == [(1, "a"), (2, "b"), (2, "c")]


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
    log = sent(planned({1: plan("a")}), "a")
    again = planned({2: plan("a", **changed)}, log, NOW + DAY / 2)
    assert waiting(again) == ([(2, "a")] if told_again else [])


def test_a_replay_after_a_day_is_refused_and_another_event_is_not() -> None:
    log = sent(planned({1: plan("a")}), "a")
    late = NOW + DAY + dt.timedelta(minutes=1)
    replay, (note,) = log.with_plans({2: plan("a")}, late)
    assert waiting(replay) == []
    assert note.endswith(" is a replay from 2026-11-21: refused.")
    other = planned({3: plan("a", delivery="event-3", action="reopened")}, log, late)
    assert waiting(other) == [(3, "a")]
    kept = log.without_old(NOW + SENT_RETENTION + DAY)
    assert kept.deliveries == ()
    assert kept.with_plans({4: plan("a")}, NOW + SENT_RETENTION + DAY)[1]
    assert log.without_old(NOW + EVENT_RETENTION + DAY) == SendLog()


def test_an_event_that_was_half_sent_is_completed_by_its_second_run() -> None:
    log = sent(planned({1: plan("a", "b")}), "a")
    assert waiting(planned({2: plan("a", "b")}, log, NOW + DAY / 24)) == [(2, "b")]


def test_a_platform_that_fails_waits_and_is_given_up_after_three_rounds() -> None:
    log = planned({1: plan("a", "b")})
    for rounds in range(1, MOST_FAILURES + 1):
        log = log.after_sending([(1, "a")], {})
        assert waiting(log) == [(1, "a"), (1, "b")][rounds == MOST_FAILURES :]
        assert [one.failures for one in log.queue] == [rounds, 0][rounds == MOST_FAILURES :]


def test_what_was_sent_and_is_not_settled_is_waited_for_once() -> None:
    assert waited_for(told(), told(number=8)) == [TITLE]
    done = Ledger.of([told().model_copy(update={"state": "report"})])
    assert waited_for(told(), ledger=done) == []


def test_who_is_gone_or_was_told_long_ago_is_not_waited_for() -> None:
    assert waited_for(told(NOW - LIFETIME - dt.timedelta(minutes=1))) == []
    assert Ledger.of([told()]).with_sent(SendLog(), {}, NOW) == []


def test_how_a_platform_takes_part_is_read_from_its_folder(tree: Tree) -> None:
    (found,) = current_entries(loaded(tree(portal()))).values()
    assert found.run.sent_to is not None
    assert (found.accelerator, found.run.sent_to.repository) == ("example", VENDOR)
    assert current_entries(loaded(tree(portal("")))) == {}


def test_one_that_cannot_be_asked_does_not_stop_the_rest(double: GitHubDouble) -> None:
    answered(double, {"a": "passed"})
    double.faults = [Fault("GET repos/vendor/down/", 500, "down", times=9)]
    down = UpstreamRun(dispatch=Dispatch(repository="vendor/down", event_type="event"))
    one, other = find(double, [asked(down), asked()])
    assert one.state is None
    assert one.why.endswith(": down (HTTP 500)")
    assert other.state == "report"


@pytest.mark.parametrize(
    ("state", "hours"),
    [
        ("report", 0),
        ("late", 0),
        ("refused", 4),  # it may be repeated
        ("waiting", 8),
        ("running", 8),
        ("lost", 8),  # it may come back
        ("silent", 8),
    ],
)
def test_what_is_final_is_settled(state: RunState, hours: int) -> None:
    for more in (-1, 1):
        now = SENT + dt.timedelta(hours=hours, minutes=more)
        after = settled(asked(), state, now, {TITLE})
        is_final = more > 0 or hours == 0
        assert (after.state, after.checked) == ((state, True) if is_final else (None, False))


def test_a_file_has_each_change_once_and_no_settings_of_what_was_sent() -> None:
    log = sent(planned({1: plan("a", "b"), 2: plan("a", number=8, delivery="event-2")}), "a")
    text = log.model_dump_json()
    assert text.count("A title") == 2
    assert text.count(VENDOR) == 1
    assert SendLog.model_validate_json(text) == log
    ledger = Ledger.of([one.model_copy(update={"settings": entry()}) for one in log.deliveries])
    assert VENDOR not in ledger.model_dump_json()
    assert Ledger.model_validate_json(ledger.model_dump_json()) == ledger


def test_files_of_the_first_version_are_read_so_that_nothing_in_flight_is_lost() -> None:
    def told_of(one: Delivery, *names: str) -> dict[str, object]:
        times = dict.fromkeys(names, SENT.isoformat())
        return {"change": one.change.model_dump(mode="json"), "sent": times}

    first, second = told(), told(number=8, delivery="another")
    queued = {"change": told_of(second)["change"], "failures": {"b": 2}}
    queued["entries"] = [entry(name).model_dump(mode="json") for name in "ab"]
    old_log = {
        "schema_version": 1,
        "waiting": {"8": queued},
        "sent": {"9": told_of(first, "example", "other")},
        "read": {"9": SENT.isoformat()},
        "deliveries": {DELIVERY: SENT.isoformat()},
    }
    log = SendLog.model_validate_json(json.dumps(old_log))
    assert [(one.key, one.failures) for one in log.queue] == [((8, "a"), 0), ((8, "b"), 2)]
    assert [one.platform for one in log.queue] == [entry("a"), entry("b")]
    assert log.sent_since(SENT) == [SENT, SENT]
    assert (log.read, log.events) == ({9: SENT}, {DELIVERY: SENT})
    done = {"at": SENT.isoformat(), "state": "report", "checked": True}
    old_ledger = {
        "schema_version": 1,
        "settled": {TITLE: done},
        "open": {"8": told_of(second, "example")},
    }
    ledger = Ledger.model_validate_json(json.dumps(old_ledger))
    platforms = {name: entry(name) for name in ("example", "other")}
    found = ledger.with_sent(log, platforms, NOW)
    assert [(one.key, one.state, one.checked) for one in found] == [
        ((8, "example"), None, False),
        ((9, "example"), "report", True),
        ((9, "other"), None, False),
    ]
    assert Ledger.of(found).with_sent(log, platforms, NOW) == found

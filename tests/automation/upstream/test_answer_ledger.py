from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.upstream.answer_ledger import (
    REQUEST_LIFETIME,
    Ledger,
    LookupResult,
    SettledAnswer,
    current_entries,
    ledger_with_open,
    ledger_with_settled,
    open_requests,
)
from accelerator_automation.upstream.dispatch_queue import SentChange
from accelerator_automation.upstream.run_search import RunResult, RunState
from accelerator_portal.catalog.files.upstream_events import Dispatch, UpstreamRun
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

TITLE = f"{DELIVERY}/example"


def sent_change(at: dt.datetime = SENT, **changed: object) -> SentChange:
    return SentChange(change=change(**changed), sent={"example": at})


def waited_for(*changes: SentChange, ledger: Ledger | None = None) -> list[str]:
    found = open_requests(changes, ledger or Ledger(), {"example": entry()}, NOW)
    return [f"{one.change.delivery}/{one.entry.accelerator}" for one in found]


def test_what_was_sent_and_is_not_settled_is_waited_for_once() -> None:
    assert waited_for(sent_change(), sent_change()) == [TITLE]
    done = Ledger(settled={TITLE: SettledAnswer(at=SENT, state="report")})
    assert waited_for(sent_change(), ledger=done) == []


def test_who_is_gone_or_was_told_long_ago_is_not_waited_for() -> None:
    assert waited_for(sent_change(at=NOW - REQUEST_LIFETIME - dt.timedelta(minutes=1))) == []
    assert list(open_requests([sent_change()], Ledger(), {}, NOW)) == []


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
    assert one.result is None
    assert one.error.endswith(": down (HTTP 500)")
    assert other.result is not None
    assert other.result.state == "report"


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
    looked = [LookupResult(asked(), RunResult(state, VENDOR))]
    for more in (-1, 1):
        now = SENT + dt.timedelta(hours=hours, minutes=more)
        known = ledger_with_settled(Ledger(), looked, now).settled
        assert set(known) == ({TITLE} if more > 0 or hours == 0 else set())


def test_what_was_not_said_is_not_settled_and_old_things_are_forgotten() -> None:
    old = SettledAnswer(at=NOW - REQUEST_LIFETIME - dt.timedelta(minutes=1), state="report")
    before = Ledger(settled={"old": old})
    assert ledger_with_settled(before, [LookupResult(asked(), None, "error")], NOW).settled == {}
    failed = ledger_with_settled(
        before, [LookupResult(asked(), RunResult("report", VENDOR))], NOW, failed={7}
    )
    assert failed.settled == {}


def test_a_change_of_which_all_is_settled_is_left_out() -> None:
    done = Ledger(settled={TITLE: SettledAnswer(at=SENT, state="report")})
    long_ago = NOW - REQUEST_LIFETIME - dt.timedelta(minutes=1)
    sent = {
        9: sent_change(),
        7: sent_change(delivery="another"),
        6: sent_change(delivery="long-ago", at=long_ago),
    }
    after = ledger_with_open(done, sent, NOW)
    assert after.open == {7: sent[7]}
    assert Ledger.model_validate_json(after.model_dump_json()) == after


def test_what_is_settled_is_taken_out_of_a_change() -> None:
    both = SentChange(change=change(), sent={"example": SENT, "other": SENT})
    done = Ledger(settled={TITLE: SettledAnswer(at=SENT, state="report")})
    after = ledger_with_open(done, {9: both}, NOW)
    assert list(after.open[9].sent) == ["other"]

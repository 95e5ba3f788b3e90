from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.automation.upstream.collecting import (
    REMEMBERED,
    Ledger,
    Looked,
    OpenJournal,
    Settled,
    asked_of,
    closing,
    look,
    settled,
    taking_part,
)
from accelerator_portal.automation.upstream.dispatching import DispatchJournal, Sent, told_before
from accelerator_portal.automation.upstream.finding import RunResult, RunState
from accelerator_portal.automation.upstream.planning import DispatchPlan
from accelerator_portal.catalog.upstream_events import Dispatch, UpstreamRun
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
    place,
    portal,
)
from tests.folders import Tree, loaded

TITLE = f"{DELIVERY}/example"


def journal(*, ok: bool = True, at: dt.datetime = SENT, **changed: object) -> DispatchJournal:
    sent = Sent(accelerator="example", at=at, ok=ok, tries=1, why="" if ok else "no")
    return DispatchJournal(
        plan=DispatchPlan(change=change(**changed), entries=(entry(),)), sent=(sent,)
    )


def waited_for(*journals: DispatchJournal, ledger: Ledger | None = None) -> list[str]:
    read = map(OpenJournal.of, journals)
    found = asked_of(read, ledger or Ledger(), {"example": entry()}, NOW)
    return [f"{one.change.delivery}/{one.entry.accelerator}" for one in found]


def test_what_was_sent_and_is_not_settled_is_waited_for_once() -> None:
    assert waited_for(journal(), journal()) == [TITLE]
    done = Ledger(settled={TITLE: Settled(at=SENT, state="report")})
    assert waited_for(journal(), ledger=done) == []


def test_who_was_not_told_is_gone_or_was_told_long_ago_is_not_waited_for() -> None:
    assert waited_for(journal(ok=False)) == []
    assert waited_for(journal(at=NOW - REMEMBERED - dt.timedelta(minutes=1))) == []
    assert list(asked_of([OpenJournal.of(journal())], Ledger(), {}, NOW)) == []


def test_how_a_platform_takes_part_is_read_from_its_folder(tree: Tree) -> None:
    (found,) = taking_part(loaded(tree(portal()))).values()
    assert found.run.sent_to is not None
    assert (found.accelerator, found.run.sent_to.repository) == ("example", VENDOR)
    assert taking_part(loaded(tree(portal("")))) == {}


def test_one_that_cannot_be_asked_does_not_stop_the_rest(double: GitHubDouble) -> None:
    answered(double, {"a": "passed"})
    double.faults = [Fault("GET repos/vendor/down/", 500, "down", times=9)]
    down = UpstreamRun(dispatch=Dispatch(repository="vendor/down", event_type="event"))
    one, other = look(place(double), [asked(down), asked()])
    assert one.found is None
    assert one.error.endswith(": down (HTTP 500)")
    assert other.found is not None
    assert other.found.state == "report"


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
    looked = [Looked(asked(), RunResult(state, VENDOR))]
    for more in (-1, 1):
        now = SENT + dt.timedelta(hours=hours, minutes=more)
        known = settled(Ledger(), looked, now).settled
        assert set(known) == ({TITLE} if more > 0 or hours == 0 else set())


def test_what_was_not_said_is_not_settled_and_old_things_are_forgotten() -> None:
    old = Settled(at=NOW - REMEMBERED - dt.timedelta(minutes=1), state="report")
    before = Ledger(settled={"old": old})
    assert settled(before, [Looked(asked(), None, "error")], NOW).settled == {}
    failed = settled(before, [Looked(asked(), RunResult("report", VENDOR))], NOW, failed={7})
    assert failed.settled == {}


def test_a_journal_of_which_all_is_settled_is_closed() -> None:
    done = Ledger(settled={TITLE: Settled(at=SENT, state="report")}, closed=(3,))
    long_ago = NOW - REMEMBERED - dt.timedelta(minutes=1)
    journals = {
        9: journal(),
        8: journal(ok=False),
        7: journal(delivery="another"),
        6: journal(delivery="long-ago", at=long_ago),
    }
    read = {number: OpenJournal.of(one) for number, one in journals.items()}
    after = closing(done, read, NOW)
    assert after.closed == (9, 8, 6, 3)
    assert after.open == {7: read[7]}
    assert after.known == {9, 8, 7, 6, 3}
    assert Ledger.model_validate_json(after.model_dump_json()) == after


def test_what_is_settled_is_taken_out_of_an_open_journal() -> None:
    both = tuple(Sent(accelerator=n, at=SENT, ok=True, tries=1) for n in ("example", "other"))
    read = OpenJournal.of(journal().model_copy(update={"sent": both}))
    done = Ledger(settled={TITLE: Settled(at=SENT, state="report")})
    after = closing(done, {9: read}, NOW)
    assert after.closed == ()
    assert list(after.open[9].sent) == ["other"]


def test_the_same_commit_is_told_once_and_a_question_again_is_not() -> None:
    before = [journal()]
    same, already = told_before(change(), before)
    assert [one.accelerator for one in same] == ["example"]
    assert already == {"example"}
    same, already = told_before(change(delivery="another", action="labeled"), before)
    assert same == []
    assert already == {"example"}
    assert told_before(change(delivery="another", head="c" * 40), before) == ([], frozenset())
    again = change(delivery="another", action="rerequested")
    assert told_before(again, before) == ([], frozenset())
    assert told_before(change(), [journal(ok=False)]) == ([], frozenset())

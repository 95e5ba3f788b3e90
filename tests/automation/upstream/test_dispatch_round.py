"""One sender at a time sends what is planned, at a pace, and loses nothing."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.github.api import MOST_A_MINUTE, RATE_WINDOW, GitHubError
from accelerator_automation.upstream import dispatch_round
from accelerator_automation.upstream.delivery import SendLog
from accelerator_automation.upstream.dispatch_round import ROUND_TIME_LIMIT, DispatchRound
from accelerator_automation.upstream.incoming import Change, RefusedEventError
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_automation.upstream.run_lists import PLAN_FILE, SENT_FILE
from accelerator_portal.catalog.files.accelerator import Dispatch, UpstreamRun
from tests.automation.github_double import OWN_TOKEN, TOKEN, Fault, GitHubDouble
from tests.automation.github_limits import GitHubLimits
from tests.automation.upstream.scene import NOW, SimulatedClock, change, clients, entry, keep_file


def event_of(number: int, **changed: object) -> Change:
    return change(
        **{"number": number, "head": f"{number:040x}", "delivery": f"event-{number:05}"} | changed
    )


def vendor(number: int) -> UpstreamRun:
    return UpstreamRun(dispatch=Dispatch(repository=f"vendor/v{number}", event_type="event"))


def leave_plan(double: GitHubDouble, changed: Change, vendors: int = 1) -> int:
    """What the first job of an event leaves: a plan for so many vendors."""
    names = range(vendors)
    double.repositories |= {f"vendor/v{number}" for number in names}
    entries = tuple(entry(f"v{number}", vendor(number)) for number in names)
    return keep_file(double, PLAN_FILE, DispatchPlan(change=changed, entries=entries))


def same_plan(double: GitHubDouble) -> dispatch_round.Replan:
    """Every change is still planned for all vendors."""
    entries = tuple(
        entry(name.removeprefix("vendor/"))
        for name in double.repositories
        if name.startswith("vendor/v")
    )
    return lambda changed: DispatchPlan(change=changed, entries=entries)


def sent_round(
    double: GitHubDouble,
    clock: SimulatedClock | None = None,
    replan: dispatch_round.Replan | None = None,
) -> DispatchRound:
    """A round of the sender, after which the workflow keeps its log."""
    double.asked.clear()
    clock = clock or SimulatedClock()
    kept: list[SendLog] = []
    done = dispatch_round.run_dispatch_round(
        clients(double), replan or same_plan(double), kept.append, clock.sending
    )
    assert kept[-1] == done.log
    keep_file(double, SENT_FILE, done.log, clock.now())
    return done


def told(double: GitHubDouble) -> list[tuple[str, int]]:
    """Which vendor was told of which pull request."""
    return [
        (place.removeprefix("vendor/"), int(body["client_payload"]["pull_request"]["number"]))
        for place, body in double.dispatched
    ]


@pytest.mark.parametrize(("earlier", "requests"), [(0, 4), (50, 6), (150, 7)])
def test_an_event_costs_seven_requests_and_one_a_vendor_whatever_came_before(
    double: GitHubDouble, earlier: int, requests: int
) -> None:
    clock = SimulatedClock()
    for number in range(1, earlier + 1):
        leave_plan(double, event_of(number))
        if number % 50 == 0:
            while sent_round(double, clock).waiting:
                pass
    leave_plan(double, event_of(9999), vendors=3)
    sent_round(double, clock)
    # The log: list, and where there is one, run and place. The plans: a page or two. The plan:
    # run, place.
    own = len(double.asked) - 3 - len(double.said("GET", "^files/"))
    assert own == requests
    assert sorted(told(double)[-3:]) == [("v0", 9999), ("v1", 9999), ("v2", 9999)]


def test_a_busy_hour_is_sent_at_the_pace_and_goes_on_in_the_next_run(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    double.limits = limits = GitHubLimits(clock.now, frozenset({OWN_TOKEN}))
    for number in range(1, 13):
        leave_plan(double, event_of(number), vendors=100)
    first = sent_round(double, clock)
    whole = int(ROUND_TIME_LIMIT / RATE_WINDOW) + 1
    assert len(first.sent) == MOST_A_MINUTE * whole
    assert first.waiting == 1200 - len(first.sent)
    second = sent_round(double, clock)
    assert second.waiting == 0
    assert sorted(told(double)) == sorted(
        (f"v{v}", number) for v in range(100) for number in range(1, 13)
    )
    assert not limits.refused
    assert max(*limits.of(TOKEN).shares.values(), *limits.of(OWN_TOKEN).shares.values()) <= 0.5
    moments = second.log.sent_since(NOW - dt.timedelta(days=30))
    pairs = zip(moments, moments[MOST_A_MINUTE:], strict=False)
    assert all(later - earlier >= RATE_WINDOW for earlier, later in pairs)


def test_a_commit_that_comes_while_older_ones_wait_replaces_them(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    leave_plan(double, event_of(1), vendors=50)
    leave_plan(double, event_of(2), vendors=50)

    def pause(seconds: float) -> None:
        if clock.now() == NOW:  # the first batch is sent
            leave_plan(double, event_of(2, head="f" * 40, delivery="event-newer"), vendors=50)
        clock.pause(seconds)

    kept: list[SendLog] = []
    how = clock.sending
    done = dispatch_round.run_dispatch_round(
        clients(double), same_plan(double), kept.append, type(how)(pause=pause, now=clock.now)
    )
    assert "Pull request 2: " in done.notes[0]
    heads = {
        (place, body["client_payload"]["sha"])
        for place, body in double.dispatched
        if body["client_payload"]["pull_request"]["number"] == 2
    }
    assert {place for place, head in heads if head == "f" * 40} == {
        f"vendor/v{n}" for n in range(50)
    }
    assert len(heads) < 100


def test_a_sender_that_is_killed_goes_on_from_its_last_batch(double: GitHubDouble) -> None:
    leave_plan(double, event_of(1), vendors=100)
    clock = SimulatedClock()
    kept: list[SendLog] = []

    def pause(seconds: float) -> None:
        if clock.now() >= NOW + RATE_WINDOW:
            raise KeyboardInterrupt
        clock.pause(seconds)

    how = type(clock.sending)(pause=pause, now=clock.now, at_once=1)
    with pytest.raises(KeyboardInterrupt):
        dispatch_round.run_dispatch_round(clients(double), same_plan(double), kept.append, how)
    keep_file(double, SENT_FILE, kept[-1])
    sent_round(double, clock)
    assert set(told(double)) == {(f"v{n}", 1) for n in range(100)}
    assert len(told(double)) == 100


def test_a_plan_waits_where_github_does_not_answer(double: GitHubDouble) -> None:
    leave_plan(double, event_of(1))
    double.faults = [Fault("GET .*artifacts", 500, times=9)]
    with pytest.raises(GitHubError):
        sent_round(double)
    double.faults = []
    assert not sent_round(double).failed
    assert told(double) == [("v0", 1)]


def test_a_vendor_that_fails_is_told_in_the_next_round(double: GitHubDouble) -> None:
    leave_plan(double, event_of(1), vendors=3)
    double.faults = [Fault("v1/dispatches", 404, "Not Found")]
    first = sent_round(double)
    assert (first.failed, first.waiting, len(first.sent)) == (True, 1, 3)
    second = sent_round(double)
    assert (second.failed, second.waiting, len(second.sent)) == (False, 0, 1)
    assert sorted(told(double)) == [("v0", 1), ("v1", 1), ("v2", 1)]


def test_a_plan_of_another_workflow_is_none(double: GitHubDouble) -> None:
    """A pull request's own code runs here, too, and names its artifacts as it likes."""
    number = leave_plan(double, event_of(1))
    run = double.artifacts[number]["run"]
    double.records[f"repos/example/portal/actions/runs/{run}"]["event"] = "pull_request"
    assert sent_round(double).sent == []


def test_the_same_event_twice_is_sent_once(double: GitHubDouble) -> None:
    for _ in range(3):
        leave_plan(double, event_of(1))
        sent_round(double, SimulatedClock(NOW + dt.timedelta(minutes=1)))
    assert told(double) == [("v0", 1)]


def test_what_is_no_longer_planned_is_canceled_with_the_reason(double: GitHubDouble) -> None:
    for number in (1, 2):
        leave_plan(double, event_of(number), vendors=2)
    main = change(occasion="push", number=None, action=None, delivery="event-push")
    leave_plan(double, main)
    asked: list[Change] = []

    def replan(changed: Change) -> DispatchPlan:
        asked.append(changed)
        if changed.number == 1:
            raise RefusedEventError("out of order", "pull request 1 is already closed")
        passed_over = {"v0": "a member of PyTorch requests changes"}
        return DispatchPlan(change=changed, entries=(entry("v1"),), passed_over=passed_over)

    done = sent_round(double, replan=replan)
    assert asked == [event_of(1), event_of(2)]
    assert sorted(
        (place, body["client_payload"]["event_type"]) for place, body in double.dispatched
    ) == [("vendor/v0", "push"), ("vendor/v1", "pull-request")]
    assert (done.failed, done.waiting) == (False, 0)
    first, second = (note.split(": ", 1) for note in done.notes)
    assert first[0] == second[0].replace("2", "1") == "Pull request 1 at 000000000000"
    closed = "out of order: pull request 1 is already closed"
    assert first[1] == f"2 unsent dispatches are canceled: {closed}."
    assert second[1] == "1 unsent dispatches are canceled: a member of PyTorch requests changes."


def test_what_github_does_not_confirm_waits(double: GitHubDouble) -> None:
    leave_plan(double, event_of(1), vendors=2)

    def replan(_: Change) -> DispatchPlan:
        raise GitHubError("GitHub does not answer")

    done = sent_round(double, replan=replan)
    assert (double.dispatched, done.waiting) == ([], 2)
    assert {(one.why, one.tries) for one in done.sent} == {("GitHub does not answer", 0)}
    assert sent_round(double).waiting == 0
    assert sorted(told(double)) == [("v0", 1), ("v1", 1)]

"""What an event costs does not grow with the events of the day."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.automation.upstream import dispatch_round
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.dispatching import (
    DispatchJournal,
    Sent,
    commit_key,
)
from accelerator_portal.automation.upstream.own_files import JOURNAL, WRITTEN_BY
from accelerator_portal.automation.upstream.planning import DispatchPlan
from tests.automation.github_double import GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import HOME, NOW, change, entry, senders


def plan_of(changed: Change) -> DispatchPlan:
    return DispatchPlan(change=changed, entries=(entry(),))


def leave(double: GitHubDouble, changed: Change) -> None:
    """What an earlier run of the workflow left: the journal under both names."""
    sent = Sent(accelerator="example", at=NOW, ok=True, tries=1)
    journal = DispatchJournal(plan=plan_of(changed), sent=(sent,))
    run = double.new()
    double.records[f"repos/{HOME}/actions/runs/{run}"] = {
        "id": run,
        "event": "repository_dispatch",
        "path": WRITTEN_BY[JOURNAL],
        "head_repository": {"full_name": HOME},
    }
    packed = archive({f"{JOURNAL}.json": journal.model_dump_json()})
    for name in (JOURNAL, f"{JOURNAL}-{commit_key(changed)}"):
        double.add_artifact(HOME, run, name, packed, created_at="2026-11-21T11:00:00Z")


def event_of(number: int, **changed: object) -> Change:
    return change(
        **{"number": number, "head": f"{number:040x}", "delivery": f"event-{number:05}"} | changed
    )


def requests(double: GitHubDouble, changed: Change) -> tuple[int, int]:
    """How many requests a round makes, and how many of them tell a vendor."""
    double.asked.clear()
    dispatch_round.dispatch(senders(double), plan_of(changed), [], NOW)
    return len(double.asked), len(double.said("POST", "dispatches"))


@pytest.mark.parametrize("earlier", [0, 50, 500])
def test_an_event_costs_two_requests_whatever_came_before(
    double: GitHubDouble, earlier: int
) -> None:
    for number in range(1, earlier + 1):
        leave(double, event_of(number))
    assert requests(double, event_of(9999)) == (2, 1)


def test_another_event_of_the_same_commit_tells_nobody_again(double: GitHubDouble) -> None:
    for number in range(1, 20):
        leave(double, event_of(number))
    again = event_of(7, delivery="another-one", action="labeled", added="ciflow/x")
    assert requests(double, again) == (4, 0)
    rerun = event_of(7)
    assert requests(double, rerun) == (4, 0)
    moved = event_of(7, head="f" * 40)
    assert requests(double, moved) == (2, 1)


def test_a_journal_of_two_days_ago_does_not_count(double: GitHubDouble) -> None:
    leave(double, event_of(7))
    late = NOW + dt.timedelta(days=2)
    done = dispatch_round.dispatch(senders(double), plan_of(event_of(7)), [], late)
    assert [one.ok for one in done.sent] == [True]

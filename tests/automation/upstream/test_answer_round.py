"""What a round of answers costs does not grow with what earlier rounds have read."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_automation.upstream.delivery import Delivery, SendLog
from accelerator_automation.upstream.workflow_artifacts import SENT_FILE
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import NOW, add_run, keep_file, portal
from tests.automation.upstream.test_dispatch_round import event_of
from tests.automation.upstream.test_late_labels import answer
from tests.folders import Tree


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(portal())


def leave_log(double: GitHubDouble, events: int) -> None:
    """What the sender keeps after so many events."""
    sent = tuple(
        Delivery(plan=n, change=event_of(n), accelerator="example", sent=NOW)
        for n in range(1, events + 1)
    )
    keep_file(double, SENT_FILE, SendLog(deliveries=sent))


@pytest.mark.parametrize("events", [20, 120])
def test_what_was_sent_is_read_at_once(root: Path, double: GitHubDouble, events: int) -> None:
    leave_log(double, events)
    for number in range(1, events + 1):
        title = f"event-{number:05}/example"
        add_run(double, title, status="queued", created_at="2026-11-21T12:00:00Z")
    first = answer(root, double, NOW)
    assert len(first.lookups) == events
    # The ledger: none. The log: list, run, place, file. The runs: a page for each hundred.
    assert len(double.asked) == 1 + 4 + events // 100 + 1
    second = answer(root, double, NOW)
    assert [one.request for one in second.lookups] == [one.request for one in first.lookups]
    assert len(double.asked) == 4 + 4 + events // 100 + 1
    leave_log(double, events + 1)
    third = answer(root, double, NOW)
    assert len(third.lookups) == events + 1
    much_later = answer(root, double, NOW + dt.timedelta(days=7))
    assert (much_later.lookups, much_later.ledger.deliveries) == ((), ())


def test_what_the_sender_forgot_stays_in_the_ledger(root: Path, double: GitHubDouble) -> None:
    leave_log(double, 5)
    answer(root, double, NOW)
    keep_file(double, SENT_FILE, SendLog())
    assert len(answer(root, double, NOW).lookups) == 5

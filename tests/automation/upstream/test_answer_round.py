"""What a round of answers costs does not grow with what earlier rounds have read."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_portal.automation.upstream import answer_round
from accelerator_portal.automation.upstream.answer_round import AnswerRound, Clients
from accelerator_portal.automation.upstream.own_files import LEDGER, WRITTEN_BY
from tests.automation.github_double import BOT, GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import HOME, NOW, add_run, client, portal
from tests.automation.upstream.test_dispatch_round import event_of, leave
from tests.folders import Tree, loaded


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(portal())


def answer(root: Path, double: GitHubDouble, now: dt.datetime) -> AnswerRound:
    """A round, after which the workflow keeps the ledger."""
    double.asked.clear()
    here = client(double)
    clients = Clients(own=here, vendors=here, upstream=here, home=HOME, login=BOT)
    done = answer_round.answer(root, loaded(root), clients, now)
    run = double.new()
    double.records[f"repos/{HOME}/actions/runs/{run}"] = {
        "id": run,
        "event": "schedule",
        "path": WRITTEN_BY[LEDGER],
        "head_repository": {"full_name": HOME},
    }
    packed = archive({f"{LEDGER}.json": done.ledger.model_dump_json()})
    double.add_artifact(HOME, run, LEDGER, packed, created_at="2026-11-21T11:59:00Z")
    return done


@pytest.mark.parametrize("events", [20, 120])
def test_each_journal_is_read_once(root: Path, double: GitHubDouble, events: int) -> None:
    for number in range(1, events + 1):
        leave(double, event_of(number))
        title = f"event-{number:05}/example"
        add_run(double, title, status="queued", created_at="2026-11-21T12:00:00Z")
    first = answer(root, double, NOW)
    assert len(first.looked) == events
    assert len(double.asked) > 3 * events
    second = answer(root, double, NOW)
    assert [one.asked for one in second.looked] == [one.asked for one in first.looked]
    # The ledger: list, run, place, file. The journals: one page. The runs: a page for each hundred.
    assert len(double.asked) == 4 + 1 + events // 100 + 1
    leave(double, event_of(9999))
    third = answer(root, double, NOW)
    assert len(third.looked) == events + 1
    much_later = answer(root, double, NOW + dt.timedelta(days=7))
    assert (much_later.looked, much_later.ledger.open) == ((), {})

"""A round of answers: what it costs, and labels that are added after an answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode

import pytest

from accelerator_automation.upstream import answer_round
from accelerator_automation.upstream.answer_round import AnswerRound
from accelerator_automation.upstream.connections import Clients
from accelerator_automation.upstream.delivery import Delivery, SendLog
from accelerator_automation.upstream.run_lists import LEDGER_FILE, SENT_FILE
from tests.automation.github_double import BOT, Fault, GitHubDouble
from tests.automation.upstream import scene
from tests.automation.upstream.scene import (
    HEAD,
    HOME,
    NOW,
    NUMBER,
    UPSTREAM,
    VENDOR,
    add_run,
    change,
    keep_file,
    portal,
)
from tests.automation.upstream.test_check_runs import RELAY
from tests.automation.upstream.test_dispatch_round import event_of
from tests.folders import Tree, loaded

LABEL = "ciflow/crcr/ex_ample"
ISSUES = f"repos/{UPSTREAM}/issues$"
NEW_HEAD = "c" * 40


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({**scene.portal(), **RELAY})


def answer(root: Path, double: GitHubDouble, now: dt.datetime = NOW) -> AnswerRound:
    """A round, after which the workflow keeps the ledger."""
    double.asked.clear()
    here = scene.client(double)
    clients = Clients(here, here, HOME, BOT)
    done = answer_round.run_answer_round(root, loaded(root), clients, now)
    scene.keep_file(double, LEDGER_FILE, done.ledger, now)
    return done


def send(double: GitHubDouble, *changes: Delivery) -> None:
    """What the sender's log says."""
    plans = enumerate(changes, 1)
    deliveries = tuple(one.model_copy(update={"plan": plan}) for plan, one in plans)
    scene.keep_file(double, SENT_FILE, SendLog(deliveries=deliveries))


def sent(at: dt.datetime = scene.SENT, **changed: object) -> Delivery:
    return Delivery(plan=1, change=change(**changed), accelerator="example", sent=at)


def label(double: GitHubDouble, *names: str, number: int = NUMBER) -> None:
    """The labels that a pull request has from now on."""
    double.records[f"repos/{UPSTREAM}/pulls/{number}"]["labels"] = [{"name": n} for n in names]


def checks(double: GitHubDouble) -> list[tuple[str, str, str]]:
    """The check runs: of which commit, of which event, and how they ended."""
    return [
        (one["head_sha"], one["external_id"], one["conclusion"])
        for one in double.check_runs.get(UPSTREAM, [])
    ]


def questions(double: GitHubDouble) -> int:
    """How often a list of the pull requests with a label was asked for."""
    return len(double.said("GET", ISSUES))


def rounds(root: Path, double: GitHubDouble, minutes: Iterable[int]) -> list[AnswerRound]:
    return [answer(root, double, NOW + dt.timedelta(minutes=one)) for one in minutes]


def test_the_check_run_is_made_in_the_round_after_the_label(
    root: Path, double: GitHubDouble
) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    answer(root, double)
    assert (checks(double), questions(double)) == ([], 0)
    (unlabeled,) = rounds(root, double, [30])
    assert (unlabeled.lookups, questions(double)) == ([], 1)
    assert len(double.said("GET", f"repos/{UPSTREAM}/")) == 1
    label(double, "other", LABEL)
    (labeled,) = rounds(root, double, [60])
    assert not labeled.failed
    assert "The check run accelerators/example was created." in labeled.done
    assert checks(double) == [(HEAD, f"{scene.DELIVERY}:{NUMBER}", "success")]
    (later,) = rounds(root, double, [90])
    assert (later.lookups, questions(double), len(checks(double))) == ([], 0, 1)


def test_the_question_names_the_label_and_the_time(root: Path, double: GitHubDouble) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    rounds(root, double, [0, 30])
    (asked,) = double.said("GET", ISSUES)
    since = "2026-11-21T09:50:00Z"
    expected = {"labels": LABEL, "state": "all", "since": since, "per_page": "100", "page": "1"}
    assert dict(asked.query) == expected, urlencode(asked.query)


def test_a_label_that_is_there_at_the_answer_is_not_asked_for(
    root: Path, double: GitHubDouble
) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    label(double, LABEL)
    rounds(root, double, [0, 30])
    assert (len(checks(double)), questions(double)) == (1, 0)


def test_one_question_is_enough_for_all_pull_requests(root: Path, double: GitHubDouble) -> None:
    numbers = range(100, 130)
    for number in numbers:
        record = {**scene.pull_webhook()["pull_request"], "number": number}
        double.records[f"repos/{UPSTREAM}/pulls/{number}"] = record
        run = scene.add_run(double, f"event-{number}/example")
        made = scene.packed(scene.report({"good": "passed"}))
        double.add_artifact(VENDOR, run, "accelerator-report", made)
    send(double, *(sent(number=number, delivery=f"event-{number}") for number in numbers))
    rounds(root, double, [0, 30])
    assert len(double.said("GET", f"repos/{UPSTREAM}/")) == questions(double) == 1
    label(double, LABEL, number=117)
    rounds(root, double, [60])
    assert checks(double) == [(HEAD, "event-117:117", "success")]


def test_the_answer_for_an_older_commit_gets_none(root: Path, double: GitHubDouble) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    answer(root, double)
    double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]["head"]["sha"] = NEW_HEAD
    label(double, LABEL)
    newer = sent(NOW + dt.timedelta(minutes=5), head=NEW_HEAD, delivery="event-newer")
    send(double, sent(), newer)
    rounds(root, double, [30])
    assert (checks(double), questions(double)) == ([], 0)
    began = "2026-11-21T12:06:00Z"
    run = scene.add_run(double, "event-newer/example", created_at=began)
    moment = NOW + dt.timedelta(minutes=10)
    made = scene.report({"good": "passed"}, started=moment, finished=moment)
    double.add_artifact(VENDOR, run, "accelerator-report", scene.packed(made), created_at=began)
    rounds(root, double, [60])
    assert checks(double) == [(NEW_HEAD, f"event-newer:{NUMBER}", "success")]


@pytest.mark.parametrize(("hours", "made"), [(69, 1), (71, 0)])
def test_a_label_counts_for_three_days_after_the_dispatch(
    root: Path, double: GitHubDouble, hours: int, made: int
) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    answer(root, double)
    label(double, LABEL)
    rounds(root, double, [hours * 60])
    assert (len(checks(double)), questions(double)) == (made, made)


def test_a_list_that_github_does_not_give_is_asked_for_again(
    root: Path, double: GitHubDouble
) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    answer(root, double)
    label(double, LABEL)
    double.faults = [Fault(f"GET {ISSUES}", 404, "Not Found")]
    (failed,) = rounds(root, double, [30])
    assert failed.failed
    assert failed.done[0].startswith(f"Pull requests with {LABEL} could not be listed: ")
    assert checks(double) == []
    (done,) = rounds(root, double, [60])
    assert (done.failed, len(checks(double))) == (False, 1)


def test_a_check_run_that_cannot_be_made_is_tried_again(root: Path, double: GitHubDouble) -> None:
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    answer(root, double)
    label(double, LABEL)
    double.faults = [Fault("POST .*/check-runs", 404, "Not Found")]
    first, second = rounds(root, double, [30, 60])
    assert (first.failed, second.failed, len(checks(double))) == (True, False, 1)


def test_below_the_level_nothing_is_asked(tree: Tree, double: GitHubDouble) -> None:
    root = tree(
        {
            **scene.portal(),
            "data/relay.yaml": RELAY["data/relay.yaml"].replace("L3, device: ex_ample", "L2"),
        }
    )
    send(double, sent())
    scene.answered(double, {"good": "passed"})
    label(double, "ciflow/crcr/example", LABEL)
    rounds(root, double, [0, 30])
    assert (checks(double), questions(double)) == ([], 0)


@pytest.fixture
def plain_root(tree: Tree) -> Path:
    return tree(portal())


def leave_log(double: GitHubDouble, events: int) -> None:
    """What the sender keeps after so many events."""
    sent = tuple(
        Delivery(plan=n, change=event_of(n), accelerator="example", sent=NOW)
        for n in range(1, events + 1)
    )
    keep_file(double, SENT_FILE, SendLog(deliveries=sent))


@pytest.mark.parametrize("events", [20, 120])
def test_what_was_sent_is_read_at_once(plain_root: Path, double: GitHubDouble, events: int) -> None:
    leave_log(double, events)
    for number in range(1, events + 1):
        title = f"event-{number:05}/example"
        add_run(double, title, status="queued", created_at="2026-11-21T12:00:00Z")
    first = answer(plain_root, double, NOW)
    assert len(first.lookups) == events
    # The ledger: none. The log: list, run, place, file. The runs: a page for each hundred.
    assert len(double.asked) == 1 + 4 + events // 100 + 1
    second = answer(plain_root, double, NOW)
    assert [one.delivery for one in second.lookups] == [one.delivery for one in first.lookups]
    assert len(double.asked) == 4 + 4 + events // 100 + 1
    leave_log(double, events + 1)
    third = answer(plain_root, double, NOW)
    assert len(third.lookups) == events + 1
    much_later = answer(plain_root, double, NOW + dt.timedelta(days=7))
    assert (much_later.lookups, much_later.ledger.deliveries) == ([], ())


def test_what_the_sender_forgot_stays_in_the_ledger(plain_root: Path, double: GitHubDouble) -> None:
    leave_log(double, 5)
    answer(plain_root, double, NOW)
    keep_file(double, SENT_FILE, SendLog())
    assert len(answer(plain_root, double, NOW).lookups) == 5

"""A check run of a fork's pull request that is asked for again, from the event to the new answer.

GitHub's event of such a check run names no pull request: `pull_requests` is empty.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_automation.upstream import dispatch_round
from accelerator_automation.upstream.incoming import Change, confirmed_change, read_event
from accelerator_automation.upstream.planning import DispatchPlan, plan_tests
from accelerator_automation.upstream.run_lists import PLAN_FILE, SENT_FILE
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream import scene
from tests.automation.upstream.scene import DELIVERY, HEAD, NOW, NUMBER, UPSTREAM, VENDOR
from tests.automation.upstream.test_answer_round import LABEL, answer, checks, label
from tests.automation.upstream.test_check_runs import RELAY
from tests.folders import Tree, loaded

AGAIN = "0a1b2c3d-rerequested"


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({**scene.portal(), **RELAY})


def dispatch(double: GitHubDouble, found: DispatchPlan) -> None:
    """A round of the sender for a plan."""
    scene.keep_file(double, PLAN_FILE, found)
    done = dispatch_round.run_dispatch_round(
        scene.clients(double), lambda _: found, lambda _: None, scene.SENDING
    )
    scene.keep_file(double, SENT_FILE, done.log)


def report_back(double: GitHubDouble, delivery: str, outcome: str) -> None:
    """The vendor's run for an event."""
    run = scene.add_run(double, f"{delivery}/example", created_at="2026-11-21T12:01:00Z")
    moment = NOW + dt.timedelta(minutes=2)
    made = scene.report({"one": outcome}, started=moment, finished=moment)
    double.add_artifact(VENDOR, run, "accelerator-report", scene.packed(made))


def rerequested(double: GitHubDouble) -> bytes:
    """GitHub's event for the portal's own check run, as it is for a pull request of a fork."""
    made = double.check_runs[UPSTREAM][0]
    check = {key: made[key] for key in ("name", "head_sha", "external_id")}
    webhook = {
        "action": "rerequested",
        "check_run": {**check, "pull_requests": []},
        "repository": {"full_name": UPSTREAM},
    }
    inside = {"event_type": "check_run", "delivery_id": AGAIN, "payload": webhook}
    return scene.event(inside)


def test_the_platform_is_told_again_and_answers_again(root: Path, double: GitHubDouble) -> None:
    catalog = loaded(root)
    pull = double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]
    assert pull["head"]["repo"]["full_name"] != UPSTREAM, "the pull request is not of a fork"
    label(double, LABEL)
    dispatch(double, plan_tests(catalog, scene.change()))
    report_back(double, DELIVERY, "failed")
    answer(root, double, NOW + dt.timedelta(minutes=30))
    assert [one[:2] for one in checks(double)] == [(HEAD, f"{DELIVERY}:{NUMBER}")]

    change = read_event(rerequested(double))
    assert isinstance(change, Change)
    confirmed = confirmed_change(scene.client(double), change, NOW)
    assert (confirmed.number, confirmed.head, confirmed.only) == (NUMBER, HEAD, "example")
    dispatch(double, plan_tests(catalog, confirmed))
    payloads = [body["client_payload"] for _, body in double.dispatched]
    assert [one["delivery_id"] for one in payloads] == [DELIVERY, AGAIN]

    report_back(double, AGAIN, "passed")
    answer(root, double, NOW + dt.timedelta(minutes=60))
    assert [one[:2] for one in checks(double)] == [
        (HEAD, f"{DELIVERY}:{NUMBER}"),
        (HEAD, f"{AGAIN}:{NUMBER}"),
    ]


def test_a_new_commit_since_then_refuses_it(root: Path, double: GitHubDouble) -> None:
    label(double, LABEL)
    dispatch(double, plan_tests(loaded(root), scene.change()))
    report_back(double, DELIVERY, "passed")
    answer(root, double, NOW + dt.timedelta(minutes=30))
    double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]["head"]["sha"] = "d" * 40
    change = read_event(rerequested(double))
    assert isinstance(change, Change)
    with pytest.raises(ValueError, match="has a newer commit than"):
        confirmed_change(scene.client(double), change, NOW)

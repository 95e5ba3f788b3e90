from __future__ import annotations

import json
import threading
import time
from dataclasses import replace

import pytest

from accelerator_automation.github.rate_limit import RateLimiter
from accelerator_automation.upstream.delivery import Delivery
from accelerator_automation.upstream.dispatch_round import SendResult, SendSettings, send_items
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_portal.catalog.files.upstream_events import Dispatch, UpstreamRun
from tests.automation.github_double import OWN_TOKEN, TOKEN, Fault, GitHubDouble
from tests.automation.github_limits import SECONDARY
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    HOME,
    NOW,
    RUNNER,
    SENDING,
    VENDOR,
    WORKFLOW,
    change,
    clients,
    entry,
)

PATIENCE = 60.0  # seconds, for what happens at once on a machine that does nothing else


def plan_of(*vendors: str) -> DispatchPlan:
    runs = {
        name: UpstreamRun(dispatch=Dispatch(repository=f"vendor/{name}", event_type="event"))
        for name in vendors
    }
    return DispatchPlan(
        change=change(), entries=tuple(entry(name, run) for name, run in runs.items())
    )


def sent_to(double: GitHubDouble, plan: DispatchPlan, how: SendSettings) -> list[SendResult]:
    """Send a whole plan, as fast as it goes."""
    items = [
        Delivery(plan=1, change=plan.change, accelerator=one.accelerator, settings=one)
        for one in plan.entries
    ]
    return send_items(clients(double), items, RateLimiter(most=1000), how)


def test_each_vendor_is_sent_its_own_event(double: GitHubDouble) -> None:
    double.repositories |= {"vendor/one", "vendor/two"}
    sent = sent_to(double, plan_of("one", "two"), SENDING)
    assert [(one.accelerator, one.ok, one.tries, one.at) for one in sent] == [
        ("one", True, 1, NOW),
        ("two", True, 1, NOW),
    ]
    payloads = {place: body["client_payload"] for place, body in double.dispatched}
    assert {place: p["accelerator"] for place, p in payloads.items()} == {
        "vendor/one": "one",
        "vendor/two": "two",
    }


def test_what_passes_is_tried_again_after_longer_and_longer_waits(double: GitHubDouble) -> None:
    double.repositories.add("vendor/one")
    double.faults = [Fault("POST", 502, times=2)]
    waits: list[float] = []
    how = SendSettings(wait=2.0, pause=waits.append, now=lambda: NOW)
    (one,) = sent_to(double, plan_of("one"), how)
    assert (one.ok, one.tries, waits) == (True, 3, [2.0, 4.0])
    assert len(double.dispatched) == 1


def test_a_lost_answer_makes_a_second_event_of_the_same_delivery(double: GitHubDouble) -> None:
    double.repositories.add("vendor/one")
    double.faults = [Fault("POST", 502, after=True)]
    (one,) = sent_to(double, plan_of("one"), SENDING)
    assert one.ok
    first, second = double.dispatched
    assert first == second


def test_a_limit_for_an_hour_ends_within_seconds_and_says_so(
    double: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    double.repositories |= {"vendor/one", "vendor/two"}
    double.faults = [Fault("one/disp", 403, SECONDARY, {"retry-after": "3600"}, times=99)]
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    sent = sent_to(double, plan_of("one", "two"), replace(SENDING, pause=pauses.append))
    assert sum(pauses) < 10
    assert [one.ok for one in sent] == [False, True]
    assert sent[0].why.endswith("GitHub's rate limit lasts longer than the maximum wait")


def test_a_runner_of_this_repository_gets_a_run_of_its_own(double: GitHubDouble) -> None:
    """Whatever a change or a vendor does in it stays in it."""
    plan = DispatchPlan(change=change(), entries=(entry(run=RUNNER),))
    (one,) = sent_to(double, plan, SENDING)
    assert one.ok
    assert double.dispatched == [
        (
            f"{HOME}/upstream-run.yml",
            {
                "ref": "main",
                "inputs": {
                    "run_name": f"{DELIVERY}/example",
                    "accelerator": "example",
                    "device": "ex",
                    "runner": '["self-hosted", "npu"]',
                    "matrix": json.dumps(
                        {
                            "include": [
                                {"task": "unit", "suites": "operators"},
                                {"task": "models", "suites": "models"},
                            ]
                        }
                    ),
                    "minutes": "240",
                    "commit": HEAD,
                    "pull-request": "7",
                },
            },
        )
    ]


def test_each_token_goes_where_it_may(double: GitHubDouble) -> None:
    double.repositories.add("vendor/one")
    both = (*plan_of("one").entries, entry(run=RUNNER))
    sent_to(double, DispatchPlan(change=change(), entries=both), SENDING)
    assert {asked.path.split("/dis")[0]: asked.token for asked in double.asked} == {
        "repos/vendor/one": TOKEN,
        f"repos/{HOME}/actions/workflows/upstream-run.yml": OWN_TOKEN,
    }


def test_a_workflow_of_this_repository_is_started(double: GitHubDouble) -> None:
    plan = DispatchPlan(change=change(), entries=(entry(run=WORKFLOW),))
    (one,) = sent_to(double, plan, SENDING)
    assert one.ok
    ((place, body),) = double.dispatched
    assert (place, body["ref"]) == (f"{HOME}/foo.yml", "main")
    assert json.loads(body["inputs"]["event"])["run_name"] == body["inputs"]["run_name"]


def test_they_are_sent_side_by_side(double: GitHubDouble) -> None:
    together = threading.Barrier(SENDING.at_once)
    names = [f"n{number}" for number in range(2 * SENDING.at_once)]
    double.repositories |= {f"vendor/{name}" for name in names}
    double.faults = [Fault("POST", 0, times=len(names), wait=lambda: together.wait(PATIENCE))]
    sent = sent_to(double, plan_of(*names), SENDING)
    assert all(one.ok for one in sent)
    assert not together.broken, f"never were {SENDING.at_once} requests under way at once"
    assert VENDOR not in {place for place, _ in double.dispatched}

"""What is sent to each platform, at which pace, and with which token."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from accelerator_automation.github.api import MOST_A_MINUTE, RATE_WINDOW, RateLimiter
from accelerator_automation.github.app import APP_ID, APP_KEY, AppError
from accelerator_automation.upstream.answer_round import check_run_body, put_check_run
from accelerator_automation.upstream.connections import clients_from_environment
from accelerator_automation.upstream.delivery import Delivery
from accelerator_automation.upstream.dispatch_round import SendResult, SendSettings, send_items
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_portal.catalog.files.accelerator import Dispatch, UpstreamRun
from tests.automation import github_apps
from tests.automation.github_apps import AppDouble, private_key
from tests.automation.github_double import OWN_TOKEN, TOKEN, Fault, GitHubDouble
from tests.automation.github_limits import SECONDARY
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    HOME,
    NOW,
    NUMBER,
    RUNNER,
    SENDING,
    UPSTREAM,
    VENDOR,
    WORKFLOW,
    SimulatedClock,
    change,
    clients,
    entry,
)
from tests.automation.upstream.test_comment import answer

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


def starts(clock: SimulatedClock, pace: RateLimiter, number: int) -> list[dt.datetime]:
    found = []
    for _ in range(number):
        pace.wait()
        found.append(clock.now())
    return found


def most_in_a_minute(moments: list[dt.datetime]) -> int:
    return max(sum(one <= other < one + RATE_WINDOW for other in moments) for one in moments)


def test_any_minute_has_at_most_forty() -> None:
    clock = SimulatedClock()
    found = starts(clock, RateLimiter((), clock.now, clock.pause), 250)
    assert most_in_a_minute(found) == MOST_A_MINUTE
    assert found[-1] - NOW == 6 * RATE_WINDOW


def test_what_an_earlier_run_sent_counts() -> None:
    clock = SimulatedClock()
    recent = [NOW - dt.timedelta(seconds=10)] * 30
    found = starts(clock, RateLimiter(recent, clock.now, clock.pause), 45)
    assert found[9] == NOW
    assert found[10] == NOW + dt.timedelta(seconds=50)
    assert most_in_a_minute([*recent, *found]) == MOST_A_MINUTE


def test_threads_share_the_pace() -> None:
    clock = SimulatedClock()
    pace = RateLimiter((), clock.now, clock.pause, most=5)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: pace.wait(), range(50)))
    assert clock.now() - NOW == 9 * RATE_WINDOW


COMMENTS = f"repos/{UPSTREAM}/issues/{NUMBER}/comments"
RUNS = f"repos/{VENDOR}/actions/runs?event=push"


@pytest.fixture(autouse=True)
def app(double: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> AppDouble:
    """The App, installed at the vendor and upstream."""
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    double.app.install("pytorch", "pytorch", pull_requests="write", checks="write")
    variables = {"PORTAL_TOKEN": OWN_TOKEN, "GITHUB_API_URL": double.home}
    variables |= {APP_ID: github_apps.APP_ID, APP_KEY: private_key()}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return double.app


def items(*repositories: str) -> list[Delivery]:
    """Dispatches to repositories, and one to a workflow of the portal."""
    runs = {
        repository.partition("/")[0]: UpstreamRun(
            dispatch=Dispatch(repository=repository, event_type="event")
        )
        for repository in repositories
    }
    runs["here"] = UpstreamRun(workflow="here.yml")
    return [
        Delivery(plan=1, change=change(), accelerator=name, settings=entry(name, run))
        for name, run in runs.items()
    ]


def test_where_the_app_is_missing_that_vendor_alone_is_not_sent(
    double: GitHubDouble, app: AppDouble
) -> None:
    for vendor in ("other", "gone", "asleep", "closed"):
        double.repositories.add(f"{vendor}/plugin")
    app.install("gone", "docs", contents="write")
    app.install("asleep", contents="write").suspended = True
    app.install("closed", contents="read")
    work = items(VENDOR, "other/plugin", "gone/plugin", "asleep/plugin", "closed/plugin")
    sent = {
        one.accelerator: one
        for one in send_items(clients_from_environment(HOME), work, RateLimiter(), SENDING)
    }
    assert {name for name, one in sent.items() if one.ok} == {"vendor", "here"}
    assert {place for place, _ in double.dispatched} == {VENDOR, f"{HOME}/here.yml"}
    words = {
        "other": "not installed at other. ",
        "gone": "doesn't include this repository. ",
        "asleep": "suspended. ",
        "closed": "lacks the permission contents: write. ",
    }
    for name, problem in words.items():
        assert sent[name].why.startswith(f"{name}/plugin: the ")
        assert problem in sent[name].why
        assert f"sk an owner of {name} to " in sent[name].why
        assert sent[name].tries == 1


def test_a_round_mints_once_for_each_vendor_with_the_least_permissions(app: AppDouble) -> None:
    send_items(clients_from_environment(HOME), items(VENDOR) * 5, RateLimiter(), SENDING)
    clients = clients_from_environment(HOME)
    assert clients.login == f"{github_apps.SLUG}[bot]"
    for _ in range(3):
        clients.app.get(RUNS)
        clients.app.send("POST", COMMENTS, {"body": "text"})
        put_check_run(clients.app, UPSTREAM, check_run_body(answer(), change(), "L4"))
    asked = [(owner, body["repositories"], body["permissions"]) for owner, body in app.minted]
    assert asked == [
        ("vendor", ["plugin"], {"contents": "write"}),
        ("vendor", ["plugin"], {"actions": "read"}),
        ("pytorch", ["pytorch"], {"pull_requests": "write"}),
        ("pytorch", ["pytorch"], {"checks": "write"}),
    ]


def test_comments_are_written_where_checks_may_not_be(double: GitHubDouble, app: AppDouble) -> None:
    del app.installed["pytorch"].permissions["checks"]
    clients = clients_from_environment(HOME)
    clients.app.send("POST", COMMENTS, {"body": "text"})
    assert len(double.comments[UPSTREAM, NUMBER]) == 1
    with pytest.raises(AppError, match=r"^pytorch/pytorch: .* lacks the permission checks: write"):
        put_check_run(clients.app, UPSTREAM, check_run_body(answer(), change(), "L4"))

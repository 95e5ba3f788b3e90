"""Tokens of a round: made once, renewed in time, and what GitHub refuses them; the pace."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from accelerator_automation.github.api import RATE_WINDOW, GitHubError
from accelerator_automation.github.app import (
    AppApi,
    AppCredentials,
    AppError,
    Permissions,
    connected_app,
)
from accelerator_automation.github.client import GitHubClient
from tests.automation import github_apps
from tests.automation.conftest import QUICK
from tests.automation.github_apps import AppDouble, private_key
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.github_limits import POINTS_A_MINUTE, GitHubLimits
from tests.automation.upstream.scene import SimulatedClock

DISPATCH = "repos/vendor/plugin/dispatches"
EVENT = {"event_type": "x"}
SEND: Permissions = {"contents": "write"}
READ: Permissions = {"actions": "read"}

RUNS = "repos/vendor/plugin/actions/runs?event=push"

Connect = Callable[..., AppApi]


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock()


@pytest.fixture
def registered(double: GitHubDouble, clock: SimulatedClock) -> AppDouble:
    """The App, installed at one vendor; tokens expire by the clock."""
    double.repositories |= {"vendor/plugin", "vendor/docs", "other/plugin"}
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    double.app.now = clock.now
    return double.app


@pytest.fixture
def connect(double: GitHubDouble, registered: AppDouble, clock: SimulatedClock) -> Connect:
    """The API of one round."""
    assert registered is double.app
    credentials = AppCredentials(github_apps.APP_ID, private_key())
    app = connected_app(credentials, double.home, QUICK)
    return partial(AppApi, app, clock.now, clock.pause)


def test_one_token_serves_a_repository_for_a_round(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    api = connect()
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: api.send("POST", DISPATCH, EVENT), range(50)))
    assert len(double.dispatched) == 50
    assert [owner for owner, _ in registered.minted] == ["vendor"]


def test_each_use_and_repository_has_a_token_of_its_own(
    registered: AppDouble, connect: Connect
) -> None:
    api = connect()
    for name in ("plugin", "docs", "plugin"):
        api.send("POST", f"repos/vendor/{name}/dispatches", EVENT)
    api.get(RUNS)
    assert [(body["repositories"], body["permissions"]) for _, body in registered.minted] == [
        (["plugin"], SEND),
        (["docs"], SEND),
        (["plugin"], READ),
    ]


def test_the_double_lets_a_token_do_no_more_than_it_may(
    double: GitHubDouble, registered: AppDouble, connect: Connect, clock: SimulatedClock
) -> None:
    connect().get(RUNS)
    (token,) = registered.grants
    reader = GitHubClient(token, double.home, QUICK)
    for method, path in (("POST", DISPATCH), ("POST", "repos/vendor/plugin/check-runs")):
        with pytest.raises(GitHubError, match=r"not accessible by integration \(HTTP 403\)$"):
            reader.send(method, path, EVENT)
    reader.close()
    refused = [
        registered.refusal(token, "GET", f"repos/{name}/actions/runs")
        for name in ("vendor/plugin", "vendor/docs", "other/plugin")
    ]
    assert [one and one.status for one in refused] == [None, 404, 404]
    clock.pause(3600)
    expired = registered.refusal(token, "GET", "repos/vendor/plugin/actions/runs")
    assert expired
    assert expired.status == 401
    assert double.dispatched == []


@pytest.mark.parametrize(("minutes", "count"), [(54, 1), (55, 2), (90, 2)])
def test_a_token_is_renewed_shortly_before_it_expires(
    registered: AppDouble, connect: Connect, clock: SimulatedClock, minutes: int, count: int
) -> None:
    api = connect()
    for _ in range(2):
        api.send("POST", DISPATCH, EVENT)
        clock.pause(minutes * 60)
    assert len(registered.minted) == count


def test_a_token_that_github_does_not_know_is_replaced_once(
    double: GitHubDouble, registered: AppDouble, connect: Connect, clock: SimulatedClock
) -> None:
    began = clock.now()
    api = connect()
    double.faults = [Fault("POST .*dispatches", 401, "Bad credentials")]
    api.send("POST", DISPATCH, EVENT)
    assert len(double.dispatched) == 1
    assert len(registered.minted) == 2
    assert clock.now() - began == dt.timedelta(seconds=QUICK.wait)
    double.faults = [Fault("POST .*dispatches", 401, "Bad credentials", times=9)]
    with pytest.raises(GitHubError, match=r"Bad credentials \(HTTP 401\)$"):
        api.send("POST", DISPATCH, EVENT)
    assert len(registered.minted) == 3


def test_a_refused_token_is_replaced_for_all_threads_at_once(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    api = connect()
    api.send("POST", DISPATCH, EVENT)
    registered.grants.clear()  # revoked
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: api.send("POST", DISPATCH, EVENT), range(8)))
    assert len(double.dispatched) == 9
    assert len(registered.minted) == 2


def test_an_owner_without_the_app_is_asked_for_once_and_hinders_nobody(
    double: GitHubDouble, connect: Connect
) -> None:
    api = connect()
    for _ in range(3):
        with pytest.raises(AppError, match=r"^other/plugin: the GitHub App is not installed at ot"):
            api.send("POST", "repos/other/plugin/dispatches", EVENT)
    assert len(double.said("GET", "installation$")) == 2
    api.send("POST", DISPATCH, EVENT)
    assert [place for place, _ in double.dispatched] == ["vendor/plugin"]


def test_a_repository_outside_the_installation_hinders_no_other_of_its_owner(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    registered.installed["vendor"].repositories = {"plugin"}
    api = connect()
    with pytest.raises(AppError, match=r"^vendor/docs: .* doesn't include this repository"):
        api.send("POST", "repos/vendor/docs/dispatches", EVENT)
    api.send("POST", DISPATCH, EVENT)
    assert [place for place, _ in double.dispatched] == ["vendor/plugin"]


def test_what_passes_is_asked_again(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    api = connect()
    double.faults = [Fault("POST .*access_tokens", 503)]
    with pytest.raises(GitHubError) as raised:
        api.send("POST", DISPATCH, EVENT)
    assert raised.value.passing
    api.send("POST", DISPATCH, EVENT)
    assert len(registered.minted) == 1


def test_a_file_is_downloaded_with_the_token_and_fetched_without(
    double: GitHubDouble, connect: Connect
) -> None:
    number = double.add_artifact("vendor/plugin", 7, "report", b"PK")
    path = f"repos/vendor/plugin/actions/artifacts/{number}/zip"
    assert connect().download(path, 2) == b"PK"
    assert [asked.token for asked in double.said("GET", "artifacts|files")] == ["ghs_1_secret", ""]


def test_a_path_names_its_repository(connect: Connect) -> None:
    with pytest.raises(ValueError, match=r"^the path names no repository: user$"):
        connect().get("user")


def test_the_installations_are_listed_once_and_each_token_is_one_request(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    owners = [f"owner-{number}" for number in range(150)]
    for owner in owners:
        double.repositories.add(f"{owner}/plugin")
        registered.install(owner, contents="write")
    api = connect()
    double.asked.clear()
    for owner in (owners[0], owners[-1], owners[0]):  # of both pages
        api.send("POST", f"repos/{owner}/plugin/dispatches", EVENT)
    assert len(double.dispatched) == 3
    assert len(double.said("GET", "^app/installations$")) == 2
    assert len(double.said("GET", "/installation$")) == 0
    assert len(double.said("POST", "access_tokens$")) == len(registered.minted) == 2


def test_an_owner_that_the_list_does_not_have_is_asked_for(
    double: GitHubDouble, registered: AppDouble, connect: Connect
) -> None:
    """The App was installed during the round, or the owner has another name by now."""
    api = connect()
    api.send("POST", DISPATCH, EVENT)
    registered.install("other", contents="write")
    api.send("POST", "repos/other/plugin/dispatches", EVENT)
    assert len(double.said("GET", "/installation$")) == 1
    assert len(double.dispatched) == 2


def test_a_list_that_does_not_come_is_asked_for_again(
    double: GitHubDouble, connect: Connect
) -> None:
    api = connect()
    double.faults = [Fault("GET app/installations", 502, times=QUICK.tries)]
    with pytest.raises(GitHubError) as raised:
        api.send("POST", DISPATCH, EVENT)
    assert raised.value.passing
    api.send("POST", DISPATCH, EVENT)
    assert len(double.dispatched) == 1


def test_tokens_are_asked_for_at_a_pace(
    double: GitHubDouble, registered: AppDouble, connect: Connect, clock: SimulatedClock
) -> None:
    for owner in ("one", "two", "three"):
        double.repositories.add(f"{owner}/plugin")
        registered.install(owner, contents="write")
    api, began = connect(tokens_a_minute=2), clock.now()
    for owner in ("one", "two", "one", "three"):
        api.send("POST", f"repos/{owner}/plugin/dispatches", EVENT)
    assert clock.now() - began == RATE_WINDOW


def test_a_thousand_reads_take_two_minutes_and_half_of_the_points(
    double: GitHubDouble, connect: Connect, clock: SimulatedClock
) -> None:
    double.limits = GitHubLimits(clock.now)
    api, began = connect(), clock.now()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: api.get(RUNS), range(1000)))
    assert clock.now() - began == 2 * RATE_WINDOW
    limits = double.limits.of("installation at vendor")
    assert limits.requests.total == 1000
    assert limits.points.peak <= POINTS_A_MINUTE
    assert not double.limits.refused


def test_each_owner_has_a_pace_of_its_own(
    double: GitHubDouble, registered: AppDouble, connect: Connect, clock: SimulatedClock
) -> None:
    """GitHub counts the requests of an App by installation, which is by owner."""
    double.limits = GitHubLimits(clock.now)
    for owner in ("one", "two"):
        registered.install(owner, actions="read")
        double.repositories |= {f"{owner}/a", f"{owner}/b"}
    api, began = connect(requests_a_minute=3), clock.now()
    for name in ("a", "b", "a"):
        for owner in ("one", "two"):
            api.get(f"repos/{owner}/{name}/actions/runs?event=push")
    assert clock.now() == began
    api.get("repos/one/a/actions/runs?event=push")
    assert clock.now() - began == RATE_WINDOW
    used = {
        owner: double.limits.of(f"installation at {owner}").requests.total
        for owner in ("one", "two")
    }
    assert used == {"one": 4, "two": 3}


def test_what_is_sent_and_downloaded_has_the_owner_s_pace(
    double: GitHubDouble, connect: Connect, clock: SimulatedClock
) -> None:
    api, began = connect(requests_a_minute=1), clock.now()
    number = double.add_artifact("vendor/plugin", 1, "x", b"archive")
    api.send("POST", DISPATCH, EVENT)
    path = f"repos/vendor/plugin/actions/artifacts/{number}/zip"
    assert api.download(path, 100) == b"archive"
    assert clock.now() - began == RATE_WINDOW

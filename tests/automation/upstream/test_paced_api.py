"""A round that reads thousands of reports stays within the points of a minute."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from accelerator_automation.github.app import AppCredentials, connected_app
from accelerator_automation.github.installation_tokens import InstallationApi, InstallationTokens
from accelerator_automation.github.rate_limit import (
    RATE_WINDOW,
    OwnerRateLimitedApi,
    RateLimitedApi,
    RateLimiter,
)
from accelerator_automation.upstream.connections import READ_PERMISSIONS, READS_A_MINUTE
from tests.automation.github_apps import APP_ID, app_double, private_key
from tests.automation.github_double import TOKEN, GitHubDouble
from tests.automation.github_limits import POINTS_A_MINUTE, GitHubLimits
from tests.automation.upstream.scene import NOW, QUICK, UPSTREAM, SimulatedClock, client


def test_a_thousand_reads_take_two_minutes_and_half_of_the_points(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    double.limits = GitHubLimits(clock.now)
    api = RateLimitedApi(
        client(double), RateLimiter((), clock.now, clock.pause, most=READS_A_MINUTE)
    )
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: api.get(f"repos/{UPSTREAM}/pulls/7"), range(1000)))
    assert clock.now() - NOW == 2 * RATE_WINDOW
    assert double.limits.of(TOKEN).points.peak <= POINTS_A_MINUTE
    assert not double.limits.refused


def test_each_owner_has_a_pace_of_its_own(double: GitHubDouble) -> None:
    """GitHub counts the requests of an App by installation, which is by owner."""
    clock = SimulatedClock()
    double.limits = GitHubLimits(clock.now)
    double.app = app_double()
    owners = ("one", "two")
    for owner in owners:
        double.app.install(owner, actions="read")
        double.repositories |= {f"{owner}/a", f"{owner}/b"}
    double.app.now = clock.now
    credentials = AppCredentials(APP_ID, private_key())
    tokens = InstallationTokens(connected_app(credentials, double.home, QUICK), now=clock.now)
    api = OwnerRateLimitedApi(
        InstallationApi(tokens, lambda _: READ_PERMISSIONS), 3, clock.now, clock.pause
    )
    for name in ("a", "b", "a"):
        for owner in owners:
            api.get(f"repos/{owner}/{name}/actions/runs?event=push")
    assert clock.now() == NOW
    api.get("repos/one/a/actions/runs?event=push")
    assert clock.now() - NOW == RATE_WINDOW
    used = {owner: double.limits.of(f"installation at {owner}").requests.total for owner in owners}
    assert used == {"one": 4, "two": 3}


def test_what_is_sent_and_downloaded_has_the_owner_s_pace(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    api = OwnerRateLimitedApi(client(double), 1, clock.now, clock.pause)
    number = double.add_artifact(UPSTREAM, 1, "x", b"archive")
    api.send("POST", f"repos/{UPSTREAM}/dispatches", {"event_type": "x"})
    assert api.download(f"repos/{UPSTREAM}/actions/artifacts/{number}/zip", 100) == b"archive"
    assert clock.now() - NOW == RATE_WINDOW

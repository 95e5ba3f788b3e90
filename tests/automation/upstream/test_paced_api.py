"""A round that reads thousands of reports stays within the points of a minute."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from accelerator_portal.automation.upstream.pace import A_MINUTE, Pace
from accelerator_portal.automation.upstream.paced_api import READS_A_MINUTE, PacedApi
from tests.automation.github_double import TOKEN, GitHubDouble
from tests.automation.github_limits import POINTS_A_MINUTE, GitHubLimits
from tests.automation.upstream.scene import NOW, UPSTREAM, SimulatedClock, client


def test_a_thousand_reads_take_two_minutes_and_half_of_the_points(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    double.limits = GitHubLimits(clock.now)
    api = PacedApi(client(double), Pace((), clock.now, clock.pause, most=READS_A_MINUTE))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: api.get(f"repos/{UPSTREAM}/pulls/7"), range(1000)))
    assert clock.now() - NOW == 2 * A_MINUTE
    assert double.limits.of(TOKEN).points.peak <= POINTS_A_MINUTE
    assert not double.limits.refused


def test_what_is_sent_and_downloaded_waits_too(double: GitHubDouble) -> None:
    clock = SimulatedClock()
    api = PacedApi(client(double), Pace((), clock.now, clock.pause, most=1))
    number = double.add_artifact(UPSTREAM, 1, "x", b"archive")
    api.send("POST", f"repos/{UPSTREAM}/dispatches", {"event_type": "x"})
    assert api.download(f"repos/{UPSTREAM}/actions/artifacts/{number}/zip", 100) == b"archive"
    assert clock.now() - NOW == A_MINUTE

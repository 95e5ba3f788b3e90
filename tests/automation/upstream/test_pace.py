"""No window of a minute has more requests than GitHub allows by half."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

from accelerator_automation.github.rate_limit import MOST_A_MINUTE, RATE_WINDOW, RateLimiter
from tests.automation.upstream.scene import NOW, SimulatedClock


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

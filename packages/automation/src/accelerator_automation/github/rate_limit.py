"""Limits the rate of requests to GitHub's API.

GitHub has one limit for each personal token. A GitHub App has one limit for each installation, so
one for each owner of repositories. Source: docs.github.com, "Rate limits for the REST API", read
2026-11-21.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from accelerator_automation.github.api import Api, ForwardingApi, repository_of
from accelerator_reports.files.clock import utc_now

RATE_WINDOW = dt.timedelta(minutes=1)
MOST_A_MINUTE = 40
"""The default rate limit: half of the 80 requests in a minute that may create content."""

Pause = Callable[[float], None]
UtcClock = Callable[[], dt.datetime]


class RateLimiter:
    """A rate limit: at most `most` requests begin within one minute (`RATE_WINDOW`).

    `recent` has the times of earlier requests, which also count.
    """

    def __init__(
        self,
        recent: Iterable[dt.datetime] = (),
        now: UtcClock = utc_now,
        pause: Pause = time.sleep,
        most: int = MOST_A_MINUTE,
    ) -> None:
        self._starts = deque(sorted(recent), maxlen=most)
        self._now, self._pause, self._most = now, pause, most
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait until the next request may begin."""
        with self._lock:
            while len(self._starts) == self._most:
                seconds_left = (self._starts[0] + RATE_WINDOW - self._now()).total_seconds()
                if seconds_left <= 0:
                    break
                self._pause(seconds_left)
            self._starts.append(self._now())


@dataclass(frozen=True, slots=True)
class RateLimitedApi(ForwardingApi):
    """GitHub's API, with a wait before each request until the rate limit `pace` allows it."""

    api: Api
    pace: RateLimiter

    def _forward(self, path: str, ask: Callable[[Api], bytes]) -> bytes:  # noqa: ARG002 - one pace for all paths
        self.pace.wait()
        return ask(self.api)


class OwnerRateLimitedApi(ForwardingApi):
    """GitHub's API, with one rate limit for each owner of repositories."""

    def __init__(
        self, api: Api, most: int, now: UtcClock = utc_now, pause: Pause = time.sleep
    ) -> None:
        self._api = api
        self._new_limiter = partial(RateLimiter, (), now, pause, most)
        self._limiters: dict[str, RateLimiter] = {}

    def _forward(self, path: str, ask: Callable[[Api], bytes]) -> bytes:
        owner = repository_of(path).partition("/")[0].casefold()
        self._limiters.setdefault(owner, self._new_limiter()).wait()
        return ask(self._api)

"""Limits the rate of requests to GitHub's API.

A GitHub App has one limit for each installation, so one for each owner of repositories. Source:
docs.github.com, "Rate limits for the REST API", read 2026-11-21.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

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

"""A pace that keeps dispatches below half of GitHub's limits, across threads and runs.

GitHub allows a token 5,000 requests an hour, 900 points a minute of which a POST costs 5, and 80
requests a minute that create content. 40 a minute are half of 80, 200 of 900 points, and 2,400 of
5,000 requests an hour. Source: docs.github.com, "Rate limits for the REST API", read 2026-11-21.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

A_MINUTE = dt.timedelta(minutes=1)
MOST_A_MINUTE = 40

Pause = Callable[[float], None]
UtcClock = Callable[[], dt.datetime]


def utc_now() -> dt.datetime:
    """Return the time."""
    return dt.datetime.now(dt.timezone.utc)


class Pace:
    """Lets at most `most` requests begin within any `window`; `recent` ones count, too."""

    def __init__(
        self,
        recent: Iterable[dt.datetime] = (),
        now: UtcClock = utc_now,
        pause: Pause = time.sleep,
        most: int = MOST_A_MINUTE,
        window: dt.timedelta = A_MINUTE,
    ) -> None:
        self._starts = deque(sorted(recent), maxlen=most)
        self._now, self._pause = now, pause
        self._most, self._window = most, window
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next request may begin."""
        with self._lock:
            while len(self._starts) == self._most:
                left = (self._starts[0] + self._window - self._now()).total_seconds()
                if left <= 0:
                    break
                self._pause(left)
            self._starts.append(self._now())

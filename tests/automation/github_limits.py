"""GitHub's limits, counted for each token by a clock that a test may simulate.

Source: docs.github.com, "Rate limits for the REST API", read 2026-11-21. A 304 answer costs no
request of the hour. Endpoints that create content are those that send notifications.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

PRIMARY = "API rate limit exceeded for installation."
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."

A_MINUTE, AN_HOUR = dt.timedelta(minutes=1), dt.timedelta(hours=1)
POINTS_A_MINUTE = 900
CONTENT_A_MINUTE, CONTENT_AN_HOUR = 80, 500
REQUESTS_AN_HOUR = 5000
REPOSITORY_TOKEN_AN_HOUR = 1000

_CONTENT = re.compile(r"repos/[^/]+/[^/]+/issues(/\d+/comments)?$")
_WRITE_POINTS = 5


@dataclass
class Window:
    """Costs within a sliding time, and the most that there ever were."""

    length: dt.timedelta
    most: int
    peak: int = 0
    total: int = 0
    _costs: deque[tuple[dt.datetime, int]] = field(default_factory=deque)

    def left(self, now: dt.datetime, cost: int) -> float:
        """Return after how many seconds a cost fits; 0 if it does now."""
        while self._costs and self._costs[0][0] <= now - self.length:
            self.total -= self._costs.popleft()[1]
        if self.total + cost <= self.most:
            return 0
        return (self._costs[0][0] + self.length - now).total_seconds()

    def add(self, now: dt.datetime, cost: int) -> None:
        """Count a cost."""
        self._costs.append((now, cost))
        self.total += cost
        self.peak = max(self.peak, self.total)


@dataclass
class TokenLimits:
    """What one token may do."""

    requests: Window
    points: Window
    content: Window
    content_an_hour: Window

    @classmethod
    def of(cls, requests_an_hour: int) -> TokenLimits:
        """Return the limits of a token that nobody used yet."""
        return cls(
            Window(AN_HOUR, requests_an_hour),
            Window(A_MINUTE, POINTS_A_MINUTE),
            Window(A_MINUTE, CONTENT_A_MINUTE),
            Window(AN_HOUR, CONTENT_AN_HOUR),
        )

    @property
    def shares(self) -> dict[str, float]:
        """The largest share of each limit that was ever used."""
        return {name: window.peak / window.most for name, window in vars(self).items()}


Refused = tuple[str, Mapping[str, str]]
"""The message of a refusal, and its headers."""


@dataclass
class GitHubLimits:
    """The limits of all tokens, and how many requests were refused because of them."""

    now: Callable[[], dt.datetime]
    repository_tokens: frozenset[str] = frozenset()
    tokens: dict[str, TokenLimits] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    def refusal(self, token: str, method: str, path: str) -> Refused | None:
        """Count a request, or say why GitHub refuses it; without a token nothing is counted."""
        if not token:
            return None
        now, limits = self.now(), self.of(token)
        costs = _costs(limits, method, path)
        for window, cost in costs:
            if seconds := window.left(now, cost):
                self.refused[token] += 1
                if window is limits.requests:
                    reset = str(int(now.timestamp() + seconds) + 1)
                    return PRIMARY, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
                return SECONDARY, {"retry-after": str(int(seconds) + 1)}
        for window, cost in costs:
            window.add(now, cost)
        return None

    def of(self, token: str) -> TokenLimits:
        """Return what a token used."""
        hour = REPOSITORY_TOKEN_AN_HOUR if token in self.repository_tokens else REQUESTS_AN_HOUR
        return self.tokens.setdefault(token, TokenLimits.of(hour))


def _costs(limits: TokenLimits, method: str, path: str) -> list[tuple[Window, int]]:
    found = [(limits.requests, 1), (limits.points, 1 if method == "GET" else _WRITE_POINTS)]
    if method == "POST" and _CONTENT.match(path):
        found += [(limits.content, 1), (limits.content_an_hour, 1)]
    return found

"""GitHub's API at a pace, for a round that reads thousands of reports.

GitHub counts the requests of a personal token together, and those of a GitHub App by installation,
which is by owner. Source: docs.github.com, "Rate limits for the REST API", read 2026-11-21.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelerator_portal.automation.github import Api
from accelerator_portal.automation.installation_api import repository_of
from accelerator_portal.automation.upstream.pace import Pace, Pause, UtcClock, utc_now

READS_A_MINUTE = 450
"""Half of the 900 points that GitHub allows a token in a minute; a GET costs one."""

TOKENS_A_MINUTE = 45
"""Tokens of the App that a round of answers asks for in a minute; each costs five points. With the
40 that the sender may ask for in the same minute, it is less than half of the 900 points."""


@dataclass(frozen=True, slots=True)
class PacedApi:
    """Waits before each request until the pace allows it."""

    api: Api
    pace: Pace

    def get(self, path: str) -> bytes:
        """Return what stands at a path. Raises GitHubError."""
        self.pace.wait()
        return self.api.get(path)

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body as JSON. Raises GitHubError."""
        self.pace.wait()
        return self.api.send(method, path, body)

    def download(self, path: str, most: int) -> bytes:
        """Return a file of at most `most` bytes. Raises GitHubError."""
        self.pace.wait()
        return self.api.download(path, most)


class OwnerPacedApi:
    """Waits before each request until the pace of the repository's owner allows it."""

    def __init__(
        self, api: Api, most: int, now: UtcClock = utc_now, pause: Pause = time.sleep
    ) -> None:
        self._api, self._most = api, most
        self._now, self._pause = now, pause
        self._owners: dict[str, PacedApi] = {}
        self._lock = threading.Lock()

    def get(self, path: str) -> bytes:
        """Return what stands at a path. Raises GitHubError."""
        return self._of(path).get(path)

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body as JSON. Raises GitHubError."""
        return self._of(path).send(method, path, body)

    def download(self, path: str, most: int) -> bytes:
        """Return a file of at most `most` bytes. Raises GitHubError."""
        return self._of(path).download(path, most)

    def _of(self, path: str) -> PacedApi:
        owner = repository_of(path).partition("/")[0].casefold()
        with self._lock:
            if owner not in self._owners:
                pace = Pace((), self._now, self._pause, most=self._most)
                self._owners[owner] = PacedApi(self._api, pace)
            return self._owners[owner]

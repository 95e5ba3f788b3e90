"""GitHub's API at a pace, for a round that reads thousands of reports with one token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelerator_portal.automation.github import Api
from accelerator_portal.automation.upstream.pace import Pace

READS_A_MINUTE = 450
"""Half of the 900 points that GitHub allows a token in a minute; a GET costs one."""


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

"""GitHub's API as a GitHub App: a token for each repository and use, at a limited rate.

Each token is for one repository, so that a repository that the App may not use does not affect the
owner's other repositories. Tokens are kept only in memory. The installations are listed once, which
saves a request for each token.

PyGithub 2.10 can request tokens and pace requests, too. But its tokens are for all repositories of
an installation, threads request them several times, and one that GitHub refuses is not replaced.
Its pace is that of one thread: eight threads that may send 10 requests a second send 77.
"""

from __future__ import annotations

import datetime as dt
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.app import AppError, AppInstallation, GitHubApp, Permissions
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.rate_limit import Pause, RateLimiter, UtcClock
from accelerator_reports.files.clock import utc_now

REQUESTS_A_MINUTE = 450
"""The maximum number of requests in a minute to the repositories of one owner: half of the 900
points that GitHub allows an installation; a GET costs one point."""

TOKENS_A_MINUTE = 45
"""The maximum number of tokens that a job requests in a minute; each costs five points. The sender
may request 40 more tokens in the same minute. Together, this is less than half of the 900 points
that GitHub allows."""

RENEWED_BEFORE = dt.timedelta(minutes=5)
"""A token is renewed this long before it expires. A request with its retries takes less time."""

# The least permissions for each use, by the part of a path after the repository: to send events, to
# read runs and artifacts, to write check runs, to comment on pull requests and read their labels.
# GitHub adds `metadata: read` itself. Source, read 2026-11-23: docs.github.com, "Permissions
# required for GitHub Apps", as data in github/docs,
# `src/github-apps/data/fpt-2022-11-28/server-to-server-permissions.json`.
_PERMISSIONS: Mapping[str, Permissions] = {
    "dispatches": {"contents": "write"},
    "actions": {"actions": "read"},
    "check-runs": {"checks": "write"},
    "commits": {"checks": "write"},
    "issues": {"pull_requests": "write"},
    "pulls": {"pull_requests": "write"},
}
_PATH = re.compile(r"repos/(?P<repository>(?P<owner>[^/?]+)/[^/?]+)/(?P<use>[\w-]+)")
_UNAUTHORIZED = 401


@dataclass
class _TokenState:
    """The token for one repository and one set of permissions.

    `made` is None before the first token. `error` is the AppError that later calls raise again.
    `lock` is held while the token is requested, so that two threads do not request it at once.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: tuple[GitHubClient, dt.datetime] | None = None
    """A client with the token, and the time at which the token expires."""
    error: AppError | None = None


class AppApi:
    """GitHub's API; the token of each request has only the permissions that the request needs.

    Each method raises GitHubError, and AppError if the App may not use the repository. An AppError
    needs a person to fix it, so later calls raise it again without a request.
    """

    def __init__(
        self,
        app: GitHubApp,
        now: UtcClock = utc_now,
        pause: Pause = time.sleep,
        tokens_a_minute: int = TOKENS_A_MINUTE,
        requests_a_minute: int = REQUESTS_A_MINUTE,
    ) -> None:
        """Prepare the API; no token is requested yet.

        `now` returns the current time. `pause` sleeps for a number of seconds.
        """
        self._app, self._now, self._pause = app, now, pause
        self._token_pace = RateLimiter((), now, pause, tokens_a_minute)
        self._new_pace = partial(RateLimiter, (), now, pause, requests_a_minute)
        self._pace_by_owner: dict[str, RateLimiter] = {}
        self._installations: dict[str, AppInstallation] | None = None
        self._states: dict[tuple[str, str], _TokenState] = {}
        self._lock = threading.Lock()

    def get(self, path: str) -> bytes:
        """Return the response body for a path."""
        return self._forward(path, lambda api: api.get(path))

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a JSON body and return the response body."""
        return self._forward(path, lambda api: api.send(method, path, body))

    def download(self, path: str, most: int) -> bytes:
        """Return the file at an API path; raise GitHubError if it has more than `most` bytes."""
        return self._forward(path, lambda api: api.download(path, most))

    def _forward(self, path: str, ask: Callable[[Api], bytes]) -> bytes:
        """Call `ask` with a client for the path, and return the response.

        If GitHub does not accept the client's token, calls `ask` again with a new one.
        """
        found = _PATH.match(path)
        if found is None:
            raise ValueError(f"the path names no repository: {path}")
        repository, owner = found["repository"], found["owner"].casefold()
        permissions = _PERMISSIONS[found["use"]]
        with self._lock:
            pace = self._pace_by_owner.setdefault(owner, self._new_pace())
            state = self._states.setdefault(
                (repository.casefold(), str(permissions)), _TokenState()
            )
        pace.wait()
        client = self._client(state, repository, permissions)
        try:
            return ask(client)
        except GitHubError as error:
            if error.status != _UNAUTHORIZED:
                raise
        return ask(self._client(state, repository, permissions, refused=client))

    def _client(
        self,
        state: _TokenState,
        repository: str,
        permissions: Permissions,
        refused: GitHubClient | None = None,
    ) -> GitHubClient:
        """Return a client with these permissions on a repository, other than `refused`."""
        with state.lock:
            if state.error:
                raise state.error
            if state.made:
                client, expires = state.made
                if client is not refused and (refused or expires - self._now() > RENEWED_BEFORE):
                    return client
            try:
                installation = self._installation(repository)
                self._token_pace.wait()
                token = self._app.token(repository, permissions, installation)
            except AppError as error:
                state.error = error
                raise
            client = GitHubClient(token.token, self._app.home, self._app.patience)
            state.made = client, token.expires_at
            if refused:
                # GitHub's servers may not know a token in its first second. Source:
                # github.com/octokit/auth-app.js, issue 65, read 2026-11-23.
                self._pause(self._app.patience.wait)
            return client

    def _installation(self, repository: str) -> AppInstallation | None:
        with self._lock:
            if self._installations is None:
                self._installations = self._app.installations()
        return self._installations.get(repository.partition("/")[0].casefold())

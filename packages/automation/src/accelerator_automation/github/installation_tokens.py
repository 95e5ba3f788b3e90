"""Gets a GitHub App's tokens, one per repository and permissions; renews them before they expire.

Each token is for one repository, so that a repository that the App may not use does not affect the
owner's other repositories. Tokens are kept only in memory. The installations are listed once, which
saves a request for each token.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from accelerator_automation.github.api import Api, ForwardingApi, GitHubError, repository_of
from accelerator_automation.github.app import AppError, AppInstallation, GitHubApp, Permissions
from accelerator_automation.github.client import GitHubClient
from accelerator_reports.files.clock import utc_now

RENEWED_BEFORE = dt.timedelta(minutes=5)
"""A token is renewed this long before it expires. A request with its retries takes less time."""

_UNAUTHORIZED = 401

_TokenKey = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class _TokenState:
    """The state of the token for one repository and one set of permissions.

    `made` is None before the first token. `error` is the AppError that later calls raise again.
    `lock` is held while the token is requested, so that two threads do not request it at once.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: tuple[GitHubClient, dt.datetime] | None = None
    """A client with the token, and the time at which the token expires."""
    error: AppError | None = None


class InstallationTokens:
    """Clients of GitHub's API with the App's tokens, one for each repository and permissions."""

    def __init__(
        self,
        app: GitHubApp,
        now: Callable[[], dt.datetime] = utc_now,
        pause: Callable[[float], None] = time.sleep,
        wait: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare clients with tokens of `app`; no token is requested yet.

        `now` returns the current time. `pause` sleeps for a number of seconds. `wait` blocks until
        the next token may be requested.
        """
        self.app = app
        self._now, self._pause, self._wait = now, pause, wait
        self._installations: dict[str, AppInstallation] | None = None
        self._states_by_key: dict[_TokenKey, _TokenState] = {}
        self._lock = threading.Lock()

    def client(self, repository: str, permissions: Permissions) -> GitHubClient:
        """Return a client with these permissions on a repository. Raises GitHubError, AppError.

        An AppError needs a person to fix it, so later calls raise it again without a request.
        """
        state = self._token_state(repository, permissions)
        with state.lock:
            if state.error:
                raise state.error
            if state.made and state.made[1] - self._now() > RENEWED_BEFORE:
                return state.made[0]
            return self._renew_client(state, repository, permissions)

    def renewed_client(
        self, refused: GitHubClient, repository: str, permissions: Permissions
    ) -> GitHubClient:
        """Return a client with a newer token, because GitHub did not accept the token of `refused`.

        Waits after it gets a token, because GitHub's servers may not know the token in its first
        second. Raises GitHubError, AppError. Source: github.com/octokit/auth-app.js, issue 65, read
        2026-11-23.
        """
        state = self._token_state(repository, permissions)
        with state.lock:
            if state.made and state.made[0] is not refused:
                return state.made[0]
            client = self._renew_client(state, repository, permissions)
            self._pause(self.app.patience.wait)
            return client

    def _token_state(self, repository: str, permissions: Permissions) -> _TokenState:
        key = (repository.casefold(), tuple(sorted(permissions.items())))
        with self._lock:
            return self._states_by_key.setdefault(key, _TokenState())

    def _installation(self, repository: str) -> AppInstallation | None:
        """Return the installation of the repository's owner, or None if the owner has none."""
        with self._lock:
            if self._installations is None:
                self._installations = self.app.installations()
        return self._installations.get(repository.partition("/")[0].casefold())

    def _renew_client(
        self, state: _TokenState, repository: str, permissions: Permissions
    ) -> GitHubClient:
        try:
            installation = self._installation(repository)
            self._wait()
            token = self.app.token(repository, permissions, installation)
        except AppError as error:
            state.error = error
            raise
        client = GitHubClient(token.token, self.app.home, self.app.patience)
        state.made = (client, token.expires_at)
        return client


@dataclass(frozen=True, slots=True)
class InstallationApi(ForwardingApi):
    """GitHub's API; the token of each request has only the permissions that the request needs."""

    tokens: InstallationTokens
    permissions: Callable[[str], Permissions]
    """Returns the permissions that a request to a path needs."""

    def _forward(self, path: str, ask: Callable[[Api], bytes]) -> bytes:
        """Call `ask` with a client, and return the response.

        If GitHub does not accept the client's token (status 401), calls `ask` again with a new one.
        """
        repository, permissions = repository_of(path), self.permissions(path)
        api = self.tokens.client(repository, permissions)
        try:
            return ask(api)
        except GitHubError as error:
            if error.status != _UNAUTHORIZED:
                raise
        return ask(self.tokens.renewed_client(api, repository, permissions))

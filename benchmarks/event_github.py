"""Simulates GitHub for a day with the double, without connections, and the workflows' tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from accelerator_automation.github import app as github_app
from accelerator_automation.github import installation_tokens
from accelerator_automation.github.api import GitHubError, Patience
from accelerator_automation.github.app import AppCredentials, connected_app
from accelerator_automation.github.installation_tokens import InstallationApi, InstallationTokens
from accelerator_automation.github.rate_limit import (
    OwnerRateLimitedApi,
    RateLimitedApi,
    RateLimiter,
)
from accelerator_automation.upstream.answer_round import Clients
from accelerator_automation.upstream.connections import (
    READ_PERMISSIONS,
    READS_A_MINUTE,
    SEND_PERMISSIONS,
    TOKENS_A_MINUTE,
    upstream_permissions,
)
from accelerator_automation.upstream.dispatch_round import Senders
from tests.automation.github_apps import APP_ID, AppDouble
from tests.automation.github_double import BOT, Asked, GitHubDouble
from tests.automation.github_limits import GitHubLimits, Window
from tests.automation.upstream.scene import HOME, SimulatedClock

REPOSITORY, DISPATCH, READER, COMMENTER = "repository", "dispatch", "read", "comment"
APP = "the App itself"


class DirectApi:
    """A client that calls the double directly, because a day has a hundred thousand requests."""

    def __init__(self, double: GitHubDouble, token: str, scheme: str = "token") -> None:
        self._double, self._token, self._scheme = double, token, scheme

    def get(self, path: str) -> bytes:
        """Return the body of the response to a GET request. Raises GitHubError."""
        return self._asked("GET", path, None)[1]

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body; return the body of the response. Raises GitHubError."""
        return self._asked(method, path, dict(body))[1]

    def download(self, path: str, most: int) -> bytes:
        """Return at most the first `most` bytes of a file. Raises GitHubError."""
        headers, _ = self._asked("GET", path, None)
        number = int(headers["location"].rpartition("/")[2])
        return self._double.files[number][:most]

    def close(self) -> None:
        """Do nothing: there is no connection to close."""

    def _asked(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, str], bytes]:
        parts = urlsplit(path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        asked = Asked(method, parts.path, query, body, self._token, self._scheme)
        status, headers, answer = self._double.answer(asked)
        if status >= HTTPStatus.BAD_REQUEST:
            passing = status == HTTPStatus.FORBIDDEN
            raise GitHubError(f"{path}: {answer.decode()}", status, passing=passing)
        return headers, answer


@dataclass
class DayGitHub:
    """The double with GitHub's limits, and the clients that the workflows create for each round."""

    clock: SimulatedClock
    app: bool
    """Whether the workflows use the GitHub App; otherwise personal tokens."""
    double: GitHubDouble = field(default_factory=GitHubDouble)
    app_requests: int = 0
    """The number of requests with the App's own JSON web token."""

    def __post_init__(self) -> None:
        """Add the tokens and the limits to the double."""
        self.limits = GitHubLimits(self.clock.now, frozenset({REPOSITORY}))
        self.double.limits = self.limits
        self.double.tokens |= {REPOSITORY, DISPATCH, READER, COMMENTER}
        self.personal = RateLimitedApi(self._as(READER), self._pace())
        if self.app:
            self.double.app = AppDouble("")
            self.double.app.now = self.clock.now

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Get the App's tokens from the double until the end of the block.

        There are no signatures, because they would take the most time. GitHub documents no limit
        for the App itself, so its requests are only counted.
        """
        with ExitStack() as patched:
            for module in (github_app, installation_tokens):
                patched.enter_context(mock.patch.object(module, "GitHubClient", self._client))
            patched.enter_context(
                mock.patch.object(AppCredentials, "web_token", return_value="jwt")
            )
            patched.enter_context(mock.patch.object(AppDouble, "_verify", return_value=None))
            yield

    def senders(self) -> Senders:
        """Return the clients that send dispatches in a round."""
        own = self._as(REPOSITORY)
        if not self.app:
            return Senders(self._as(DISPATCH), own, HOME)
        return Senders(InstallationApi(self._tokens(), lambda _: SEND_PERMISSIONS), own, HOME)

    def clients(self) -> Clients:
        """Return the clients that read reports and comment in a round."""
        own = self._as(REPOSITORY)
        if not self.app:
            return Clients(own, self.personal, self._as(COMMENTER), home=HOME, login=BOT)
        tokens = self._tokens()
        reads = InstallationApi(tokens, lambda _: READ_PERMISSIONS)
        vendors = OwnerRateLimitedApi(reads, READS_A_MINUTE, self.clock.now, self.clock.pause)
        upstream = InstallationApi(tokens, upstream_permissions)
        return Clients(own, vendors, upstream, home=HOME, login=BOT)

    def confirming(self) -> DirectApi:
        """Return the client that confirms an event."""
        return self._as(REPOSITORY)

    def install(self, owner: str, **permissions: str) -> None:
        """Install the App in an owner's account; does nothing with personal tokens."""
        if self.double.app:
            self.double.app.install(owner, **permissions)

    def _as(self, token: str) -> DirectApi:
        return DirectApi(self.double, token)

    def _pace(self) -> RateLimiter:
        return RateLimiter((), self.clock.now, self.clock.pause, READS_A_MINUTE)

    def _tokens(self) -> InstallationTokens:
        app = connected_app(AppCredentials(APP_ID, ""), self.double.home, Patience())
        pace = RateLimiter((), self.clock.now, self.clock.pause, TOKENS_A_MINUTE)
        return InstallationTokens(app, now=self.clock.now, pause=self.clock.pause, wait=pace.wait)

    def _client(self, token: str, *_: object, jwt: bool = False, **__: object) -> DirectApi:
        if not jwt:
            return self._as(token)
        return _AppApi(self, token)


class _AppApi(DirectApi):
    """A client of the App itself; counts its requests, because the double has no limits for it."""

    def __init__(self, github: DayGitHub, token: str) -> None:
        super().__init__(github.double, token, "Bearer")
        self._github = github

    def get(self, path: str) -> bytes:
        """Return the body of the response to a GET request, and count it as one point."""
        self._count(1)
        return super().get(path)

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body, and count it as five points."""
        self._count(5)
        return super().send(method, path, body)

    def _count(self, points: int) -> None:
        limits, now = self._github.limits.of(APP), self._github.clock.now()
        self._github.app_requests += 1
        for window, cost in ((limits.requests, 1), (limits.points, points)):
            _forget(window, now)
            window.add(now, cost)


def _forget(window: Window, now: Any) -> None:  # noqa: ANN401 - a moment
    """Remove the entries that are older than the window."""
    window.left(now, 0)

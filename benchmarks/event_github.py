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
from tests.automation.github_limits import GitHubLimits
from tests.automation.upstream.scene import HOME, SimulatedClock

REPOSITORY, DISPATCH, READER, COMMENTER = "repository", "dispatch", "read", "comment"
APP, WEB_TOKEN = "the App itself", "jwt"


@dataclass(slots=True)
class DirectApi:
    """A client that calls the double directly, because a day has a hundred thousand requests."""

    github: DayGitHub
    token: str

    def get(self, path: str) -> bytes:
        """Return the body of the response to a GET request. Raises GitHubError."""
        return self._asked("GET", path, None)[1]

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body; return the body of the response. Raises GitHubError."""
        return self._asked(method, path, dict(body))[1]

    def download(self, path: str, most: int) -> bytes:
        """Return at most the first `most` bytes of a file. Raises GitHubError."""
        headers, _ = self._asked("GET", path, None)
        return self.github.double.files[int(headers["location"].rpartition("/")[2])][:most]

    def close(self) -> None:
        """Do nothing: there is no connection to close."""

    def _asked(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, str], bytes]:
        scheme = "token"
        if self.token == WEB_TOKEN:  # GitHub documents no limit for it: it is only counted
            scheme = "Bearer"
            self.github.limits.refusal(APP, method, path)
        parts = urlsplit(path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        asked = Asked(method, parts.path, query, body, self.token, scheme)
        status, headers, answer = self.github.double.answer(asked)
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

    def __post_init__(self) -> None:
        """Add the tokens and the limits to the double."""
        self.limits = GitHubLimits(self.clock.now, frozenset({REPOSITORY}))
        self.double.limits = self.limits
        self.double.tokens |= {REPOSITORY, DISPATCH, READER, COMMENTER}
        self.own = DirectApi(self, REPOSITORY)
        self.personal = RateLimitedApi(DirectApi(self, READER), self._pace(READS_A_MINUTE))
        if self.app:
            self.double.app = AppDouble("")
            self.double.app.now = self.clock.now

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Get the App's tokens from the double until the end of the block, without signatures."""

        def client(token: str, *_: object, **__: object) -> DirectApi:
            return DirectApi(self, token)

        with ExitStack() as patched:
            for module in (github_app, installation_tokens):
                patched.enter_context(mock.patch.object(module, "GitHubClient", client))
            web_token = mock.patch.object(AppCredentials, "web_token", return_value=WEB_TOKEN)
            patched.enter_context(web_token)
            patched.enter_context(mock.patch.object(AppDouble, "_verify", return_value=None))
            yield

    def senders(self) -> Senders:
        """Return the clients that send dispatches in a round."""
        if not self.app:
            return Senders(DirectApi(self, DISPATCH), self.own, HOME)
        return Senders(InstallationApi(self._tokens(), lambda _: SEND_PERMISSIONS), self.own, HOME)

    def clients(self) -> Clients:
        """Return the clients that read reports and comment in a round."""
        if not self.app:
            comments = DirectApi(self, COMMENTER)
            return Clients(self.own, self.personal, comments, home=HOME, login=BOT)
        tokens = self._tokens()
        reads = InstallationApi(tokens, lambda _: READ_PERMISSIONS)
        vendors = OwnerRateLimitedApi(reads, READS_A_MINUTE, self.clock.now, self.clock.pause)
        upstream = InstallationApi(tokens, upstream_permissions)
        return Clients(self.own, vendors, upstream, home=HOME, login=BOT)

    def install(self, owner: str, **permissions: str) -> None:
        """Install the App in an owner's account; does nothing with personal tokens."""
        if self.double.app:
            self.double.app.install(owner, **permissions)

    def used(self) -> dict[str, int]:
        """Return the number of requests of each token, installation and of the App itself."""
        app, found = self.double.app, dict.fromkeys(self.limits.tokens, 0)
        for asked in self.double.asked:
            grant = app.grants.get(asked.token) if app else None
            name = f"installation at {grant.owner}" if grant else asked.token
            name = APP if name == WEB_TOKEN else name
            if name in found:
                found[name] += 1
        return found

    def _pace(self, most: int) -> RateLimiter:
        return RateLimiter((), self.clock.now, self.clock.pause, most)

    def _tokens(self) -> InstallationTokens:
        app = connected_app(AppCredentials(APP_ID, ""), self.double.home, Patience())
        wait = self._pace(TOKENS_A_MINUTE).wait
        return InstallationTokens(app, now=self.clock.now, pause=self.clock.pause, wait=wait)

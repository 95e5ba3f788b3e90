"""Simulates GitHub for a day with the double, without connections, and the workflows' tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from accelerator_automation.github import app as app_api
from accelerator_automation.github import app as github_app
from accelerator_automation.github.api import GitHubError, Patience
from accelerator_automation.github.app import AppCredentials, connected_app
from accelerator_automation.upstream.connections import Clients
from tests.automation.github_apps import APP_ID, AppDouble
from tests.automation.github_double import BOT, Asked, GitHubDouble
from tests.automation.github_limits import GitHubLimits
from tests.automation.upstream.scene import HOME, SimulatedClock

REPOSITORY, APP, WEB_TOKEN = "repository", "the App itself", "jwt"


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
    double: GitHubDouble = field(default_factory=GitHubDouble)

    def __post_init__(self) -> None:
        """Add the tokens and the limits to the double."""
        self.limits = GitHubLimits(self.clock.now, frozenset({REPOSITORY}))
        self.double.limits = self.limits
        self.double.tokens.add(REPOSITORY)
        self.own = DirectApi(self, REPOSITORY)
        self.app = self.double.app = AppDouble("")
        self.app.now = self.clock.now

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Get the App's tokens from the double until the end of the block, without signatures."""

        def client(token: str, *_: object, **__: object) -> DirectApi:
            return DirectApi(self, token)

        with ExitStack() as patched:
            for module in (github_app, app_api):
                patched.enter_context(mock.patch.object(module, "GitHubClient", client))
            web_token = mock.patch.object(AppCredentials, "web_token", return_value=WEB_TOKEN)
            patched.enter_context(web_token)
            patched.enter_context(mock.patch.object(AppDouble, "_verify", return_value=None))
            yield

    def clients(self) -> Clients:
        """Return the clients of a round."""
        app = connected_app(AppCredentials(APP_ID, ""), self.double.home, Patience())
        api = app_api.AppApi(app, self.clock.now, self.clock.pause)
        return Clients(self.own, api, home=HOME, login=BOT)

    def used(self) -> dict[str, int]:
        """Return the number of requests of each token, installation and of the App itself."""
        found = dict.fromkeys(self.limits.tokens, 0)
        for asked in self.double.asked:
            grant = self.app.grants.get(asked.token)
            name = f"installation at {grant.owner}" if grant else asked.token
            name = APP if name == WEB_TOKEN else name
            if name in found:
                found[name] += 1
        return found

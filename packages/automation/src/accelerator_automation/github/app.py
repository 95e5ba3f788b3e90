"""GitHub's API as a GitHub App: it authenticates, and gets a token for each repository and use.

An installation is the App on one account, with access to some repositories and permissions. Its
tokens expire after an hour. Sources, read 2026-11-23: docs.github.com, "Generating a JSON Web Token
(JWT) for a GitHub App", "REST API endpoints for GitHub Apps" and "Generating an installation access
token for a GitHub App".
"""

from __future__ import annotations

import datetime as dt
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from accelerator_automation.github.api import (
    NOT_FOUND,
    Api,
    GitHubError,
    Patience,
    Pause,
    RateLimiter,
    UtcClock,
    exists,
    none_if_missing,
    parse_response,
    read_all_pages,
    read_response,
)
from accelerator_automation.github.client import (
    GitHubClient,
    api_url_from_environment,
    require_pygithub,
)
from accelerator_reports.files.clock import utc_now

APP_ID = "UPSTREAM_APP_ID"
APP_KEY = "UPSTREAM_APP_KEY"

Permissions = Mapping[str, str]
"""Levels of access by resource, in GitHub's words: `{"contents": "write"}`."""

_LEVELS = ("read", "write", "admin")
_UNAUTHORIZED, _FORBIDDEN, _UNPROCESSABLE = 401, 403, 422
# Parts of GitHub's messages, from the issues of octokit/auth-app.js and of
# actions/create-github-app-token, read 2026-11-23. Errors quote messages that have neither.
_CLOCK_CLAIMS = ("'iat'", "'exp'")
_UNKNOWN_APP_MESSAGE = "integration not found"


class AppError(GitHubError):
    """The GitHub App cannot be used; the same request fails until a person fixes the setup."""

    def __init__(self, where: str, problem: str, fix: str, status: int | None = None) -> None:
        super().__init__(f"{where}: {problem}. {fix}", status)


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """The id and the private key of a GitHub App."""

    app_id: str
    """The numeric id or the client id of the App."""
    key: str = field(repr=False)
    """The private key of the App: the content of the PEM file that GitHub creates."""

    def web_token(self) -> str:
        """Return a JSON web token for the next five minutes. Raises AppError for an invalid key."""
        from github import Auth

        try:
            return Auth.AppAuth(self.app_id, self.key).token
        except Exception:  # noqa: BLE001 - PyJWT's and cryptography's own, each about the key
            problem = "the value is not the private key of a GitHub App in PEM format"
            command = f"gh secret set {APP_KEY} --env upstream < FILE.pem"
            fix = f"Set it to the content of the file: {command}"
            raise AppError(APP_KEY, problem, fix) from None


class _Account(BaseModel):
    login: str = ""


class AppInstallation(BaseModel):
    """An installation of the App on one account."""

    id: int
    account: _Account | None = None
    permissions: dict[str, str] = {}
    suspended_at: str | None = None


class InstallationToken(BaseModel):
    """An access token of an installation, with its expiration time."""

    token: str = Field(repr=False)
    expires_at: AwareDatetime


class _Registration(BaseModel):
    slug: str
    html_url: str


@dataclass(frozen=True, slots=True)
class GitHubApp:
    """A GitHub App whose credentials GitHub's API has accepted."""

    credentials: AppCredentials
    slug: str
    """The name of the App in URLs."""
    page: str
    """The URL of the page on which owners install the App."""
    home: str
    """The URL of GitHub's API."""
    patience: Patience = field(default_factory=Patience)

    @property
    def login(self) -> str:
        """The login of the App's account, as GitHub shows it on the App's comments."""
        return f"{self.slug}[bot]"

    def installations(self) -> dict[str, AppInstallation]:
        """Return all installations, by the login of their account in lower case.

        GitHub lists 100 per request. Raises GitHubError, and AppError if GitHub refuses the App.
        """
        with _app_client(self.credentials, self.home, self.patience) as api:
            listed = list(read_all_pages(api, "app/installations", AppInstallation))
        return {one.account.login.casefold(): one for one in listed if one.account}

    def token(
        self, repository: str, permissions: Permissions, known: AppInstallation | None = None
    ) -> InstallationToken:
        """Return a new token for one repository with exactly these permissions.

        `known` is the installation, if it was already looked up. Raises GitHubError, and AppError
        if the App is not installed there or may not have the token.
        """
        with _app_client(self.credentials, self.home, self.patience) as api:
            try:
                installation = known or self._find_installation(api, repository)
                self._require_permissions(repository, permissions, installation)
                path = f"app/installations/{installation.id}/access_tokens"
                name = repository.partition("/")[2]
                body = {"repositories": [name], "permissions": dict(permissions)}
                return parse_response(path, api.send("POST", path, body), InstallationToken)
            except AppError:
                raise
            except GitHubError as error:
                raise self._refusal_error(repository, error) from None

    def _find_installation(self, api: GitHubClient, repository: str) -> AppInstallation:
        path = f"repos/{repository}/installation"
        if found := none_if_missing(lambda: read_response(api, path, AppInstallation)):
            return found
        if exists(api, f"users/{repository.partition('/')[0]}/installation"):
            raise self._missing_repository(repository)
        raise self._missing_installation(repository)

    def _require_permissions(
        self, repository: str, permissions: Permissions, installation: AppInstallation
    ) -> None:
        if installation.suspended_at:
            raise self._suspended_installation(repository)
        missing_levels = [
            f"{resource}: {level}"
            for resource, level in permissions.items()
            if not _includes_level(installation.permissions.get(resource), level)
        ]
        if missing_levels:
            problem = f"the GitHub App lacks the permission {' and '.join(missing_levels)}"
            to_do = "Add it to the App if needed, and ask an owner of {owner} to accept it"
            raise self._setup_error(repository, problem, to_do)

    def _refusal_error(self, repository: str, error: GitHubError) -> GitHubError:
        """Return the error to raise if GitHub refused a request about an installation.

        It states the cause: the installation was removed or suspended, does not include the
        repository, or lacks a permission. Temporary errors and errors of the credentials are
        returned unchanged.
        """
        message = str(error)
        if error.passing or error.status in {None, _UNAUTHORIZED}:
            return error
        if error.status == NOT_FOUND:
            return self._missing_installation(repository)
        if error.status == _FORBIDDEN and "suspended" in message:
            return self._suspended_installation(repository)
        if error.status == _UNPROCESSABLE and "permission" not in message:
            return self._missing_repository(repository)
        problem = f"GitHub refuses the GitHub App ({message})"
        return self._setup_error(repository, problem, "Check the App's installation")

    def _missing_installation(self, repository: str) -> AppError:
        problem = "the GitHub App is not installed at {owner}"
        to_do = "Ask an owner of {owner} to install it for {name}"
        return self._setup_error(repository, problem, to_do)

    def _missing_repository(self, repository: str) -> AppError:
        problem = "the installation of the GitHub App at {owner} doesn't include this repository"
        to_do = "Ask an owner of {owner} to add {name}, or correct the name"
        return self._setup_error(repository, problem, to_do)

    def _suspended_installation(self, repository: str) -> AppError:
        problem = "the installation of the GitHub App at {owner} is suspended"
        return self._setup_error(repository, problem, "Ask an owner of {owner} to unsuspend it")

    def _setup_error(self, repository: str, problem: str, to_do: str) -> AppError:
        """Return an error with `{owner}` and `{name}` filled in, and the App's page."""
        owner, _, name = repository.partition("/")
        problem, to_do = (
            text.replace("{owner}", owner).replace("{name}", name) for text in (problem, to_do)
        )
        return AppError(repository, problem, f"{to_do}: {self.page}")


def app_from_environment(patience: Patience | None = None) -> GitHubApp:
    """Return the App that the environment variables UPSTREAM_APP_ID and UPSTREAM_APP_KEY describe.

    Raises GitHubError, and AppError if a variable is not set, the key is not valid, or GitHub
    refuses the App.
    """
    values = {name: os.environ.get(name, "").strip() for name in (APP_ID, APP_KEY)}
    if empty := [name for name, value in values.items() if not value]:
        fix = "Set up the GitHub App as docs/upstream-events.md describes"
        raise AppError(" and ".join(empty), "no value is set", fix)
    require_pygithub()
    credentials = AppCredentials(values[APP_ID], values[APP_KEY])
    return connected_app(credentials, api_url_from_environment(), patience or Patience())


def connected_app(credentials: AppCredentials, home: str, patience: Patience) -> GitHubApp:
    """Return the App with these credentials, from the API at the URL `home`.

    Raises GitHubError, and AppError if the credentials or this machine's clock are wrong.
    """
    with _app_client(credentials, home, patience) as api:
        found = read_response(api, "app", _Registration)
    return GitHubApp(credentials, found.slug, found.html_url, home, patience)


@contextmanager
def _app_client(
    credentials: AppCredentials, home: str, patience: Patience
) -> Iterator[GitHubClient]:
    """Yield a client that authenticates as the App itself, not as one of its installations.

    An error becomes an AppError if wrong credentials or a wrong clock caused it.
    """
    api = GitHubClient(credentials.web_token(), home, patience, jwt=True)
    try:
        yield api
    except AppError:
        raise
    except GitHubError as error:
        raise _credentials_error(error) from None
    finally:
        api.close()


def _includes_level(granted: str | None, level: str) -> bool:
    return granted in _LEVELS and _LEVELS.index(granted) >= _LEVELS.index(level)


def _credentials_error(error: GitHubError) -> GitHubError:
    """Return an AppError if wrong credentials or a wrong clock caused `error`, else `error`."""
    message = str(error)
    if error.status == _UNAUTHORIZED and any(claim in message for claim in _CLOCK_CLAIMS):
        clock = f"the clock of this machine says {utc_now():%Y-%m-%d %H:%M:%S} UTC"
        problem = f"GitHub refuses the time of the request: {clock}"
        fix = "Synchronize the clock of this machine"
    elif error.status == _UNAUTHORIZED or _UNKNOWN_APP_MESSAGE in message.casefold():
        problem = f"GitHub doesn't accept the App ({message})"
        fix = "Check that the key belongs to the App with this id and was not deleted"
    else:
        return error
    return AppError(f"{APP_ID} and {APP_KEY}", problem, fix, error.status)


# GitHub's API as a GitHub App: a token for each repository and use, at a limited rate.
#
# Each token is for one repository, so that a repository that the App may not use does not affect
# the owner's other repositories. Tokens are kept only in memory. The installations are listed once,
# which saves a request for each token.
#
# PyGithub 2.10 can request tokens and pace requests, too. But its tokens are for all repositories
# of an installation, threads request them several times, and one that GitHub refuses is not
# replaced. Its pace is that of one thread: eight threads that may send 10 requests a second send
# 77.

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

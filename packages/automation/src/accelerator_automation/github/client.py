"""Sends requests to GitHub's API with PyGithub, with retries and within rate limits.

PyGithub is imported when a client is created: only the extra `automation` installs it, because it
requires packages (requests, cryptography) that most commands don't need.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import urlsplit

from github import GithubRetry
from github.GithubException import RateLimitExceededExceedsMaxWait
from urllib3.connectionpool import ConnectionPool
from urllib3.response import BaseHTTPResponse, HTTPResponse
from urllib3.util import Retry

from accelerator_automation.github.api import GitHubError, Patience
from accelerator_portal.http import (
    REFUSING_STATUSES,
    FetchError,
    RequestLimits,
    Traffic,
    current_traffic,
    open_client,
)
from accelerator_reports.files.wording import install_command

if TYPE_CHECKING:
    from github.Requester import Requester

API_URL = "https://api.github.com"

_AGENT = "accelerator-portal"
_TIMEOUT_SECONDS = 30
_MOST_CHARACTERS = 200
_OK = 200
_SERVER_ERROR = 500
_REDIRECT_STATUSES = {301, 302, 303, 307, 308}
_ASSET_PATH = re.compile(r"/releases/assets/\d+$")
_TEMPORARY_STATUSES = {408, 425, 429}
_LIMITS = RequestLimits(attempts=3, redirects=0, timeout=30, total_timeout=300)


class _CutOffError(GitHubError):
    """GitHub's response ended too early."""


@dataclass(frozen=True)
class GitHubClient:
    """GitHub's API at the URL `home`, accessed with one token.

    Requests that are safe to repeat are retried after errors of GitHub's servers. A POST is retried
    only if GitHub refused it, because otherwise GitHub may have carried it out.
    """

    token: str = field(repr=False)
    home: str = API_URL
    patience: Patience = field(default_factory=Patience)
    jwt: bool = False
    """Whether the token is a JSON web token, which GitHub accepts only as `Bearer`."""
    # PyGithub keeps the request under way in its connection: each thread needs its own.
    _thread_local: threading.local = field(
        default_factory=threading.local, repr=False, compare=False
    )

    def get(self, path: str) -> bytes:
        """Return the response body for a path; retry if the response was cut off.

        Raises GitHubError.
        """
        for _ in range(self.patience.tries - 1):
            try:
                return self._response("GET", path)
            except _CutOffError:
                continue
        return self._response("GET", path)

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a JSON body and return the response body. Raises GitHubError."""
        return self._response(method, path, dict(body))

    def download(self, path: str, most: int) -> bytes:
        """Return the content of a file, following GitHub's redirect to its storage.

        The token is not sent to the storage. Raises GitHubError, also if the file has more than
        `most` bytes.
        """
        try:
            return asyncio.run(_download_url(self._storage_url(path), most))
        except FetchError as error:
            raise _download_error(path, most, error) from None

    def close(self) -> None:
        """Close this thread's connections."""
        self._requester.close()

    def _storage_url(self, path: str) -> str:
        """Return the URL in GitHub's storage to which a request for `path` is redirected.

        The URL must start with `https` or be on the API's host. Raises GitHubError.
        """
        # Without this header, GitHub describes a release's file instead of redirecting to it.
        accept = {"Accept": "application/octet-stream"} if _ASSET_PATH.search(path) else None
        status, headers, text = self._request("GET", path, None, accept)
        storage_url = str(headers.get("location", ""))
        if status not in _REDIRECT_STATUSES or not storage_url:
            raise _refusal_error(path, status, text)
        storage_parts, api_parts = urlsplit(storage_url), urlsplit(self.home)
        if storage_parts.scheme != "https" and storage_parts.netloc != api_parts.netloc:
            raise GitHubError(f"{path}: the address of the file is not https")
        return storage_url

    def _response(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        status, _, text = self._request(method, path, body)
        if not _OK <= status < min(_REDIRECT_STATUSES):
            raise _refusal_error(path, status, text)
        return text.encode()

    def _request(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, Any], str]:
        from github.GithubException import GithubException, RateLimitExceededExceedsMaxWait
        from requests.exceptions import ChunkedEncodingError, ContentDecodingError, RequestException

        traffic = current_traffic()
        traffic.add(Traffic(requests=1))
        try:
            response = self._requester.requestJson(method, f"/{path}", headers=headers, input=body)
        except RateLimitExceededExceedsMaxWait:
            traffic.add(Traffic(refusals=1))
            what = f"{path}: GitHub's rate limit lasts longer than the maximum wait"
            raise GitHubError(what, 403, passing=True) from None
        except GithubException as error:
            traffic.add(Traffic(refusals=error.status in REFUSING_STATUSES))
            text = json.dumps(error.data, default=str)  # bytes if GitHub did not answer in JSON
            raise _refusal_error(path, error.status, text) from None
        except (ChunkedEncodingError, ContentDecodingError):
            raise _CutOffError(f"{path}: GitHub's response was cut off", passing=True) from None
        except (RequestException, OSError, RuntimeError) as error:
            what = f"{path}: GitHub did not respond ({type(error).__name__})"
            raise GitHubError(what, passing=True) from None
        status, _, text = response
        traffic.add(Traffic(bytes=len(text.encode()), refusals=status in REFUSING_STATUSES))
        return response

    @property
    def _requester(self) -> Requester:
        requester: Requester | None = getattr(self._thread_local, "requester", None)
        if requester is None:
            requester = self._thread_local.requester = self._new_requester()
        return requester

    def _new_requester(self) -> Requester:
        from github import Auth, Github

        return Github(
            base_url=self.home,
            auth=Auth.AppAuthToken(self.token) if self.jwt else Auth.Token(self.token),
            user_agent=_AGENT,
            timeout=_TIMEOUT_SECONDS,
            retry=retry_rule(self.patience),
            seconds_between_requests=None,
            seconds_between_writes=None,
        ).requester


def client_from_environment(
    variable: str = "GH_TOKEN", patience: Patience | None = None
) -> GitHubClient:
    """Return a client with the token in the environment variable `variable`.

    A job can have several tokens with different permissions, each in its own variable. The client
    uses GITHUB_API_URL if it is set. Raises GitHubError if the token or PyGithub is missing.
    """
    token = os.environ.get(variable, "").strip()
    if not token:
        raise GitHubError(f"{variable} is empty. Set it to a GitHub token")
    require_pygithub()
    return GitHubClient(token, api_url_from_environment(), patience or Patience())


def api_url_from_environment() -> str:
    """Return the URL of the API: GITHUB_API_URL if it is set, else GitHub's own."""
    return (os.environ.get("GITHUB_API_URL") or API_URL).rstrip("/")


def require_pygithub() -> None:
    """Raise GitHubError if PyGithub is not installed, before the first request needs it."""
    try:
        import github  # noqa: F401 - whether it is there
    except ImportError:
        install = f"In a clone of the portal, run: {install_command('accelerator-automation')}"
        raise GitHubError(f"PyGithub is not installed. {install}") from None


def _refusal_error(path: str, status: int, text: str) -> GitHubError:
    """Return the error for a request that GitHub refused, with GitHub's message in one line."""
    try:
        message = json.loads(text)["message"]
    except (ValueError, LookupError, TypeError):
        message = ""
    reason = " ".join(str(message).split())[:_MOST_CHARACTERS] or "refused"
    is_rate_limit = "rate limit" in reason.casefold()
    passing = is_rate_limit or status >= _SERVER_ERROR or status in _TEMPORARY_STATUSES
    return GitHubError(f"{path}: {reason} (HTTP {status})", status, passing=passing)


async def _download_url(url: str, most: int) -> bytes:
    plain = {"accept-encoding": "identity"}  # else a few bytes could become many
    async with open_client(_AGENT, _LIMITS) as client:
        return (await client.get(url, plain, max_bytes=most)).body


def _download_error(path: str, most: int, error: FetchError) -> GitHubError:
    if error.status is not None:
        what = f"{path}: file not found (HTTP {error.status})"
        return GitHubError(what, error.status, passing=error.status >= _SERVER_ERROR)
    if error.kind == "long":
        return GitHubError(f"{path}: the file has more than {most:,} bytes")
    if error.kind == "slow" and not error.cause:
        what = f"{path}: the download did not finish within {_LIMITS.total_timeout:.0f} seconds"
        return GitHubError(what, passing=True)
    return GitHubError(f"{path}: the download failed ({error.cause})", passing=True)


# Decides which failed requests to GitHub are repeated, and how long to wait before a retry.

# GitHub's responses to too many requests; it has not carried out the request.
# Source: docs.github.com, "Rate limits for the REST API", read 2026-11-21.
_RATE_LIMIT_STATUSES = {403, 429}


class _Retry(GithubRetry):
    """PyGithub's retry rule; it gives up if GitHub asks for a wait longer than `most_wait`."""

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:  # noqa: FBT001, FBT002 - urllib3's own
        """Return whether to repeat a request after this status.

        A POST is repeated only if GitHub refused it; otherwise, GitHub may have carried it out.
        """
        if status_code in _RATE_LIMIT_STATUSES:
            return bool(self.total)
        return super().is_retry(method, status_code, has_retry_after)

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Return the retry rule for the next attempt, and count the retry in the metrics.

        Raises an error if no attempt is left, or if GitHub asks for a longer wait than allowed.
        """
        longest_wait = self.max_rate_limit_wait
        if response is not None and longest_wait is not None:
            wait = self.get_retry_after(response)
            if wait is not None and wait > longest_wait:
                response.drain_conn()  # as urllib3 does, so that the connection returns to its pool
                raise RateLimitExceededExceedsMaxWait(response.status, None, None, wait=wait)
        http_response = cast("HTTPResponse | None", response)
        next_retry = super().increment(method, url, http_response, error, _pool, _stacktrace)
        current_traffic().add(Traffic(requests=1, retries=1))
        return cast("Self", next_retry)


def retry_rule(patience: Patience) -> Retry:
    """Return the retry rule for urllib3 with the limits of `patience`."""
    return _Retry(
        total=patience.tries - 1,
        backoff_factor=patience.wait,
        backoff_max=patience.most_wait,
        max_rate_limit_wait=patience.most_wait,
        secondary_rate_wait=patience.limited,
        status_forcelist=[429, *range(500, 600)],
        allowed_methods={"GET", "HEAD", "PATCH", "PUT", "DELETE"},
        raise_on_status=False,
    )

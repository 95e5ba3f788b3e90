"""Decides which failed requests to GitHub are repeated, and how long to wait before a retry."""

from __future__ import annotations

from types import TracebackType
from typing import Self, cast

from github import GithubRetry
from github.GithubException import RateLimitExceededExceedsMaxWait
from urllib3.connectionpool import ConnectionPool
from urllib3.response import BaseHTTPResponse, HTTPResponse
from urllib3.util import Retry

from accelerator_automation.github.api import Patience
from accelerator_portal.http.traffic import Traffic, current_traffic

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

"""Defines the errors and the limits of HTTP requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailureKind = Literal["status", "unreachable", "slow", "broken", "long", "loop", "invalid"]

# Errors that may be temporary. Source: RFC 9110, 15; RFC 6585, 4; RFC 8470, 5.2.
_TRANSIENT_STATUSES = {408, 425, 429, 500, 502, 503, 504}
MISSING_STATUSES = {404, 410}


class FetchError(Exception):
    """A request that failed; the message says what happened.

    The message is the same on every machine and contains no address, because the portal stores the
    message with the address and compares it. `kind` is the type of the failure. `status` is the
    HTTP status, or None without a response. `cause` is the class name of the underlying error.
    `retry_after` is the number of seconds that the server asks to wait, or 0.
    """

    def __init__(
        self,
        what: str,
        kind: FailureKind = "invalid",
        *,
        status: int | None = None,
        cause: str = "",
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(what)
        self.kind = kind
        self.status = status
        self.cause = cause
        self.retry_after = retry_after

    @property
    def missing(self) -> bool:
        """Whether the server responded that the file does not exist."""
        return self.status in MISSING_STATUSES

    @property
    def transient(self) -> bool:
        """Whether the failure may be temporary, so that a retry can succeed."""
        failed = self.kind in {"unreachable", "slow", "broken"}
        return failed or self.status in _TRANSIENT_STATUSES


class InvalidResponseError(FetchError):
    """A response that is not valid or not what was requested, or an address that is not allowed."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of a client: numbers of requests, attempts and redirects, and times in seconds."""

    concurrent: int = 8
    concurrent_per_host: int = 4
    attempts: int = 3
    redirects: int = 3
    timeout: float = 20.0
    """The time limit for a connection, and for each part of a response."""
    total_timeout: float = 120.0
    """The time limit for a whole response."""
    first_pause: float = 1.0
    """The wait before the second attempt; it doubles before each further attempt. Up to the same
    time is added at random, so that many clients do not repeat at the same moment."""
    longest_pause: float = 30.0
    """The longest wait that a server can ask for."""
    public_hosts_only: bool = False
    """Whether a host with an address on a private network is refused."""

"""Defines the exceptions for failed HTTP requests: FetchError and InvalidResponseError."""

from __future__ import annotations

from typing import Literal

FailureKind = Literal["status", "unreachable", "slow", "broken", "long", "loop", "invalid"]

# Errors that may be temporary. Source: RFC 9110, 15; RFC 6585, 4; RFC 8470, 5.2.
_TRANSIENT_STATUSES = {408, 425, 429, 500, 502, 503, 504}
MISSING_STATUSES = {404, 410}


class FetchError(Exception):
    """Raised if an HTTP request fails; the message says what happened.

    The portal stores messages and compares them with later ones. A message therefore contains no
    address, and is the same on every machine. `kind` is the type of the failure, such as
    `unreachable` or `slow`. `status` is the HTTP status if it is the reason for the failure,
    otherwise None. `cause` is the class name of the underlying error, or empty. `retry_after` is
    the number of seconds that the server asks to wait, or 0.
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
        """Whether the server responded that the file does not exist (status 404 or 410)."""
        return self.status in MISSING_STATUSES

    @property
    def transient(self) -> bool:
        """Whether the failure may be temporary, so that a retry can succeed."""
        failed = self.kind in {"unreachable", "slow", "broken"}
        return failed or self.status in _TRANSIENT_STATUSES


class InvalidResponseError(FetchError):
    """Raised if a response is not valid or not what was requested, or if an address is refused."""

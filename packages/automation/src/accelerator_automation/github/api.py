"""Declares the interface `Api` for requests to GitHub, their rate, and parses responses."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import UserError

T = TypeVar("T")

NOT_FOUND = 404
_PAGE_SIZE = 100
_MOST_PAGES = 30

MOST_ITEMS = _PAGE_SIZE * _MOST_PAGES
"""The length at which `read_all_pages` stops: a list of this length may be cut."""


class GitHubError(UserError, RuntimeError):
    """A request to GitHub could not be sent, was refused, or got an unusable response.

    `status` is the HTTP status of a refused request, otherwise None. `passing` is true for a
    temporary error (of the network, a rate limit or GitHub's servers), after which the request may
    succeed later.
    """

    def __init__(self, what: str, status: int | None = None, *, passing: bool = False) -> None:
        super().__init__(what)
        self.status = status
        self.passing = passing


class Api(Protocol):
    """The methods of GitHub's API that the automation uses; each can raise GitHubError.

    Paths have no leading slash.
    """

    def get(self, path: str) -> bytes:
        """Return the response body for a path."""

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a JSON body and return the response body, which may be empty."""

    def download(self, path: str, most: int) -> bytes:
        """Return the file at an API path such as `…/artifacts/7/zip`, following GitHub's redirect.

        Raises GitHubError if the file has more than `most` bytes.
        """


def read_response(api: Api, path: str, model: type[T]) -> T:
    """Return the response for a path, parsed as `model`. Raises GitHubError."""
    return parse_response(path, api.get(path), model)


def read_all_pages(api: Api, path: str, model: type[T]) -> Iterator[T]:
    """Yield the items of a list that GitHub returns in pages, parsed as `model`.

    Yields at most `MOST_ITEMS` items. Raises GitHubError.
    """
    for page in range(1, _MOST_PAGES + 1):
        page_path = f"{path}{'&' if '?' in path else '?'}per_page={_PAGE_SIZE}&page={page}"
        records: list[T] = read_response(api, page_path, list[model])  # type: ignore[valid-type] # at run time
        yield from records
        if len(records) < _PAGE_SIZE:
            return


def none_if_missing(ask: Callable[[], T]) -> T | None:
    """Return the result of `ask`, or None if GitHub responds with status 404.

    Raises GitHubError for other errors.
    """
    try:
        return ask()
    except GitHubError as error:
        if error.status == NOT_FOUND:
            return None
        raise


def exists(api: Api, path: str) -> bool:
    """Return whether an API path exists: false if GitHub responds with status 404.

    Raises GitHubError for other errors.
    """
    return none_if_missing(lambda: api.get(path)) is not None


def parse_response(path: str, answer: bytes, model: type[T]) -> T:
    """Return the response body `answer`, parsed as `model`; error messages name `path`.

    Raises GitHubError.
    """
    try:
        return TypeAdapter(model).validate_json(answer)
    except ValidationError:
        raise GitHubError(f"{path}: the response has an unexpected format") from None


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try one request, and how many seconds to wait between attempts."""

    tries: int = 4
    """The maximum number of attempts."""
    wait: float = 1.0
    """Sets the seconds between attempts. The second attempt follows at once. The third follows
    after `2 * wait` seconds, the fourth after `4 * wait`, and so on, up to `most_wait`."""
    most_wait: float = 120.0
    """The longest wait, in seconds. If GitHub asks for a longer wait, the request fails at once."""
    limited: float = 60.0
    """Seconds to wait if GitHub refuses a request by a rate limit and does not say how long."""


# Limits the rate of requests to GitHub's API.
#
# A GitHub App has one limit for each installation, so one for each owner of repositories. Source:
# docs.github.com, "Rate limits for the REST API", read 2026-11-21.

RATE_WINDOW = dt.timedelta(minutes=1)
MOST_A_MINUTE = 40
"""The default rate limit: half of the 80 requests in a minute that may create content."""

Pause = Callable[[float], None]
UtcClock = Callable[[], dt.datetime]


class RateLimiter:
    """A rate limit: at most `most` requests begin within one minute (`RATE_WINDOW`).

    `recent` has the times of earlier requests, which also count.
    """

    def __init__(
        self,
        recent: Iterable[dt.datetime] = (),
        now: UtcClock = utc_now,
        pause: Pause = time.sleep,
        most: int = MOST_A_MINUTE,
    ) -> None:
        self._starts = deque(sorted(recent), maxlen=most)
        self._now, self._pause, self._most = now, pause, most
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait until the next request may begin."""
        with self._lock:
            while len(self._starts) == self._most:
                seconds_left = (self._starts[0] + RATE_WINDOW - self._now()).total_seconds()
                if seconds_left <= 0:
                    break
                self._pause(seconds_left)
            self._starts.append(self._now())

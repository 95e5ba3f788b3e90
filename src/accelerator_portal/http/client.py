"""Sends HTTP requests with limits, retries and plain errors; refuses hosts in private networks.

Only requests to GitHub's API use another client, PyGithub. Files that GitHub stores on other hosts
are fetched with this client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from accelerator_portal.http.errors import MISSING_STATUSES, FetchError, InvalidResponseError
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.http.public_hosts import (
    PrivateHostError,
    certificate_authorities,
    find_private_address,
    public_transport,
)
from accelerator_portal.http.traffic import REFUSING_STATUSES, Traffic, current_traffic
from accelerator_reports.files.public_host import is_public

_OK, _PARTIAL, _NOT_MODIFIED = 200, 206, 304
# A host is given up after this many addresses in a row without a response. The second number is for
# a host that has not responded before.
_MAX_UNANSWERED, _MAX_UNANSWERED_NEW_HOST = 20, 3
_REDIRECT_STATUSES = {301, 302, 303, 307, 308}
_COMPRESSIONS = frozenset({"br", "deflate", "gzip", "zstd"})  # what httpx decompresses

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A complete response with status 200, 206 or 304."""

    status: int
    headers: httpx.Headers
    body: bytes


@asynccontextmanager
async def open_client(agent: str, limits: RequestLimits | None = None) -> AsyncIterator[HttpClient]:
    """Yield a client that identifies itself to servers as `agent` and keeps to `limits`."""
    limits = limits or RequestLimits()
    async with httpx.AsyncClient(
        verify=certificate_authorities(),
        timeout=limits.timeout,
        max_redirects=limits.redirects,
        limits=httpx.Limits(max_connections=limits.concurrent * 2),
        transport=public_transport(limits) if limits.public_hosts_only else None,
        headers={"user-agent": agent},
    ) as session:
        yield HttpClient(session, limits)


class HttpClient:
    """An HTTP client that keeps to its limits and counts its traffic.

    The client gives up a host that cannot be reached after all attempts. It also gives up a host if
    20 addresses in a row on this host do not respond. If the host has never responded, 3 addresses
    are enough. For a host that was given up, `get` raises FetchError at once. `sleep` is called
    with the number of seconds to wait between attempts.
    """

    def __init__(
        self, session: httpx.AsyncClient, limits: RequestLimits, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.traffic = Traffic()
        self._session = session
        self._limits = limits
        self._sleep = sleep
        self._slots = asyncio.Semaphore(limits.concurrent)
        self._host_slots: dict[str, asyncio.Semaphore] = {}
        self._unreachable_hosts: dict[str, str] = {}
        self._unanswered_urls: dict[str, set[str]] = {}
        self._responding_hosts: set[str] = set()
        self._first_responses: dict[str, asyncio.Event] = {}

    async def get(
        self, url: str, headers: Mapping[str, str] | None = None, *, max_bytes: int
    ) -> HttpResponse:
        """Return the response to a GET request, after retries if needed.

        The names in `headers` are in lowercase. Redirects are followed only to the same host. The
        status of the response is 200, or 206 if `headers` contain `range`. It can be 304 if
        `headers` contain `if-none-match`.

        Raises FetchError for other statuses, if the address is not allowed, if there is no complete
        response in time, or if the body has more than `max_bytes` bytes.
        """
        headers = headers or {}
        first_response = self._first_responses.get(origin(url))
        if first_response:
            await first_response.wait()
            return await self._with_retries(url, headers, max_bytes)
        first_response = self._first_responses[origin(url)] = asyncio.Event()
        try:  # the first request shows whether the host responds
            return await self._with_retries(url, headers, max_bytes)
        finally:
            first_response.set()

    async def status(self, url: str, method: str = "GET") -> int:
        """Return the HTTP status of an address, such as 404, without a body and without retries.

        Redirects are followed to any host. If the limits allow no redirects, the status of the
        redirect is returned. Raises FetchError if the address is invalid, if there is no response
        in time, or if there are too many redirects.
        """
        follow = self._limits.redirects > 0
        async with self._request_slot(origin(url)):
            self._count_traffic(Traffic(requests=1))
            try:
                async with (
                    asyncio.timeout(self._limits.total_timeout),
                    self._session.stream(method, url, follow_redirects=follow) as response,
                ):
                    return response.status_code
            except TimeoutError:
                what = "the response did not finish in time"
                raise FetchError(what, "slow", cause="ReadTimeout") from None
            except httpx.TooManyRedirects:
                raise FetchError("the address has a redirect loop", "loop") from None
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                raise _network_error(error) from None

    def is_unreachable(self, url: str) -> bool:
        """Return whether the client has given up the host of an address."""
        return origin(url) in self._unreachable_hosts

    async def _with_retries(
        self, url: str, headers: Mapping[str, str], max_bytes: int
    ) -> HttpResponse:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._limits.attempts),
            wait=self._retry_wait,
            retry=retry_if_exception(lambda e: isinstance(e, FetchError) and e.transient),
            before_sleep=lambda _: self._count_traffic(Traffic(retries=1)),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return await retrying(self._attempt, url, headers, max_bytes)
        except FetchError as error:
            if error.kind == "unreachable" or self._record_failure(url, error):
                self._unreachable_hosts[origin(url)] = str(error)
            raise

    def _count_traffic(self, more: Traffic) -> None:
        self.traffic.add(more)
        current_traffic().add(more)

    def _record_failure(self, url: str, error: FetchError) -> bool:
        """Count `url` as an address that did not respond, and return whether to give up its host.

        Only errors of kind `slow` or `broken` are counted. Returns False for errors of other kinds.
        """
        if error.kind not in {"slow", "broken"}:
            return False
        host = origin(url)
        unanswered = self._unanswered_urls.setdefault(host, set())
        unanswered.add(url)
        return len(unanswered) >= (
            _MAX_UNANSWERED if host in self._responding_hosts else _MAX_UNANSWERED_NEW_HOST
        )

    def _retry_wait(self, state: RetryCallState) -> float:
        first_pause = self._limits.first_pause
        backoff = wait_exponential(first_pause) + wait_random(0, first_pause)
        error = state.outcome.exception() if state.outcome else None
        requested_wait = error.retry_after if isinstance(error, FetchError) else 0.0
        return max(backoff(state), min(requested_wait, self._limits.longest_pause))

    @asynccontextmanager
    async def _request_slot(self, host: str) -> AsyncIterator[None]:
        slots = asyncio.Semaphore(self._limits.concurrent_per_host)
        async with self._host_slots.setdefault(host, slots), self._slots:
            yield

    async def _is_refused(self, url: str) -> bool:
        is_allowed = urlsplit(url).hostname in self._limits.private_hosts
        is_checked = self._limits.public_hosts_only and not is_allowed
        return is_checked and await find_private_address(url) is not None

    async def _attempt(self, url: str, headers: Mapping[str, str], max_bytes: int) -> HttpResponse:
        host = origin(url)
        async with self._request_slot(host):
            if host in self._unreachable_hosts:
                raise FetchError(self._unreachable_hosts[host])
            try:
                if await self._is_refused(url):
                    raise InvalidResponseError("the host is on a private network")
                async with asyncio.timeout(self._limits.total_timeout):
                    return await self._get_with_redirects(url, headers, max_bytes)
            except TimeoutError:
                raise _incomplete_error() from None
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                fetch_error = _network_error(error)
                if fetch_error.kind != "unreachable":
                    self._first_responses[host].set()  # other requests need not wait for retries
                raise fetch_error from None

    async def _get_with_redirects(
        self, url: str, headers: Mapping[str, str], max_bytes: int
    ) -> HttpResponse:
        target = url
        for _ in range(self._limits.redirects + 1):
            response = await self._get_response(target, headers, max_bytes)
            if response.status not in _REDIRECT_STATUSES:
                return response
            if not self._limits.redirects:
                raise _status_error(response.status, response.headers)
            target = _redirect_target(target, response.headers.get("location", ""))
        raise InvalidResponseError("the address has a redirect loop", "loop")

    async def _get_response(
        self, url: str, headers: Mapping[str, str], max_bytes: int
    ) -> HttpResponse:
        self._count_traffic(Traffic(requests=1))
        async with self._session.stream("GET", url, headers=dict(headers)) as response:
            status = response.status_code
            self._count_traffic(Traffic(refusals=status in REFUSING_STATUSES))
            self._responding_hosts.add(origin(url))
            self._first_responses[origin(url)].set()
            self._unanswered_urls.pop(origin(url), None)
            if status in _REDIRECT_STATUSES or (
                status == _NOT_MODIFIED and "if-none-match" in headers
            ):
                return HttpResponse(status, response.headers, b"")
            if status == _OK and "range" in headers:  # the whole file would be too large
                raise FetchError("the server doesn't support range requests")
            if status != (_PARTIAL if "range" in headers else _OK):
                raise _status_error(status, response.headers)
            body = await self._read_body(response, max_bytes)
            return HttpResponse(status, response.headers, body)

    async def _read_body(self, response: httpx.Response, max_bytes: int) -> bytes:
        # If the caller requests a body without compression, it is not decompressed: a few bytes
        # could become many. If a body is compressed once, pieces have at most 64 MB.
        is_identity = response.request.headers.get("accept-encoding") == "identity"
        encodings = response.headers.get_list("content-encoding", split_commas=True)
        if sum(name.lower() in _COMPRESSIONS for name in encodings) > 1 and not is_identity:
            raise InvalidResponseError("the response is compressed more than once")
        body = bytearray()
        async for piece in response.aiter_raw() if is_identity else response.aiter_bytes():
            body += piece
            self._count_traffic(Traffic(bytes=len(piece)))
            if len(body) > max_bytes:
                what = f"the response is longer than {max_bytes:,} bytes"
                raise InvalidResponseError(what, "long")
        return bytes(body)


def _status_error(status: int, headers: httpx.Headers) -> FetchError:
    missing = status in MISSING_STATUSES
    text = f"has no such file ({status})" if missing else f"answered {status}"
    retry_after = headers.get("retry-after", "")
    is_seconds = retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 6  # noqa: PLR2004 - a day has 86400 s
    seconds = float(retry_after) if is_seconds else 0.0
    return FetchError(f"the server {text}", "status", status=status, retry_after=seconds)


def _incomplete_error() -> FetchError:
    return FetchError("the response did not finish in time", "slow")


def _network_error(error: httpx.HTTPError | httpx.InvalidURL | ValueError) -> FetchError:
    """Return the FetchError for an error of httpx.

    httpx raises ValueError for a host name that is invalid in IDNA, the encoding of such names.
    """
    cause = type(error).__name__
    if isinstance(error, httpx.InvalidURL | ValueError):
        return FetchError("an invalid address", cause=cause)
    if isinstance(error, httpx.ConnectTimeout):
        return FetchError("no response in time", "unreachable", cause=cause)
    if isinstance(error, httpx.TimeoutException):
        return FetchError("no response in time", "slow", cause=cause)
    if isinstance(error, httpx.ConnectError):
        return _connect_error(error)
    if isinstance(error, httpx.NetworkError):
        return FetchError("the connection was interrupted", "broken", cause=cause)
    return FetchError(f"the response is not HTTP ({cause})", "broken", cause=cause)


def _connect_error(error: httpx.ConnectError) -> FetchError:
    cause = type(error).__name__
    if isinstance(error.__cause__, PrivateHostError):
        return InvalidResponseError(str(error.__cause__), cause=cause)
    what = "the host cannot be reached from the machine that read the indexes"
    return FetchError(what, "unreachable", cause=cause)


def origin(url: str) -> str:
    """Return the scheme, host and port of an address; empty if it cannot be parsed."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def may_request_link(page: str, url: str) -> bool:
    """Return whether a link to `url` on the page at `page` may be requested.

    The link must lead to the page's own host or to a public https host. Otherwise, a page could
    make the machine that reads the page send requests to its own private network.
    """
    if origin(page) == origin(url):
        return True
    if not origin(url):
        return False
    parts = urlsplit(url)
    return parts.scheme == "https" and is_public(parts)


def _redirect_target(url: str, location: str) -> str:
    """Return the target of a redirect from `url` to `location`, which can be relative.

    Raises InvalidResponseError if the target is on another host, or if `location` is empty.
    """
    target = urljoin(url, location) if origin(location) else ""
    if not location or origin(target) != origin(url):
        shown = origin(target).partition("//")[2][:80] or "nowhere"
        raise InvalidResponseError(f"the address redirects to another host, {shown}")
    return target

"""Sends HTTP requests to public hosts, with limits, retries, a cache and plain errors.

Only requests to GitHub's API use another client, PyGithub. Files that GitHub stores on other hosts
are fetched with this client.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies

import httpcore
import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from accelerator_reports.files.fields import is_public, is_public_ip
from accelerator_reports.files.text_file import write_bytes_atomically

# Defines the exceptions for failed HTTP requests: FetchError and InvalidResponseError.

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


# States how many parallel requests, attempts, redirects and seconds an HTTP client may use.


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of an HTTP client; times are in seconds."""

    concurrent: int = 8
    concurrent_per_host: int = 4
    attempts: int = 3
    redirects: int = 3
    timeout: float = 20.0
    """The time limit for a connection, and for each part of a response."""
    total_timeout: float = 120.0
    """The time limit for a whole response, including redirects."""
    first_pause: float = 1.0
    """The wait before the second attempt. The wait doubles before each later attempt. A random time
    of at most `first_pause` is added, so that clients do not repeat requests at the same moment."""
    longest_pause: float = 30.0
    """The longest wait if a server asks the client to wait. Longer waits are shortened to it."""
    public_hosts_only: bool = False
    """Whether a host with an address on a private network is refused."""
    private_hosts: frozenset[str] = frozenset()
    """Hosts that are never refused, by name."""


# Counts HTTP requests and received bytes, for example of a step of the nightly update.


@dataclass
class Traffic:
    """Numbers of HTTP requests, received bytes, retries and refusals."""

    requests: int = 0
    bytes: int = 0
    """The bytes of response bodies after decompression."""
    retries: int = 0
    """Requests that repeat a failed request."""
    refusals: int = 0
    """Responses that refuse a request: status 401, 403 or 429."""

    def add(self, more: Traffic) -> None:
        """Add the counts of `more`."""
        self.requests += more.requests
        self.bytes += more.bytes
        self.retries += more.retries
        self.refusals += more.refusals


REFUSING_STATUSES = frozenset({401, 403, 429})

_block_traffic: ContextVar[Traffic] = ContextVar("step_traffic")


@contextmanager
def count_traffic() -> Iterator[Traffic]:
    """Yield a Traffic that counts the requests of all HTTP clients until the end of the block.

    Requests of a thread that is started in the block are counted only if the thread runs in a copy
    of the block's context. Requests of other programs, such as uv and git, are not counted.
    """
    traffic = Traffic()
    token = _block_traffic.set(traffic)
    try:
        yield traffic
    finally:
        _block_traffic.reset(token)


def current_traffic() -> Traffic:
    """Return the Traffic of the current `count_traffic` block, or a new one outside of a block."""
    return _block_traffic.get(Traffic())


# Opens HTTP connections to public hosts only, at the IP address that was checked.
#
# A name may resolve to a public address when it is checked, and to a private one when the
# connection is made. This client therefore resolves the name only once for each connection. The
# certificate must still match the name. If a proxy is set, the proxy resolves names and makes the
# connection.


class PrivateHostError(httpcore.ConnectError):
    """Raised if a host name resolves to an address on a private network."""


class PublicHostsBackend(httpcore.AsyncNetworkBackend):
    """A network backend that connects to a host only if all its addresses are public.

    The addresses of the hosts in `allowed` may be private.
    """

    def __init__(
        self, inner: httpcore.AsyncNetworkBackend, allowed: frozenset[str] = frozenset()
    ) -> None:
        self._backend = inner
        self._allowed = allowed

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection to the first address that accepts one.

        Raises PrivateHostError if any address is not public, and httpcore.ConnectError if the name
        cannot be resolved. If no address accepts a connection, raises the error of the last
        address: httpcore.ConnectError or httpcore.ConnectTimeout.
        """
        error: Exception = httpcore.ConnectError("the host name cannot be resolved")
        for address in await _addresses(host, port, public=host not in self._allowed):
            try:
                return await self._backend.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error


async def _addresses(host: str, port: int, *, public: bool) -> list[str]:
    try:
        addresses = await _resolved_addresses(host, port)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from None
    if public and not all(map(is_public_ip, addresses)):
        raise PrivateHostError("the host is on a private network")
    return addresses


async def _resolved_addresses(host: str, port: int | None) -> list[str]:
    """Return the IP addresses of a host. Raises OSError or UnicodeError if there are none."""
    loop = asyncio.get_running_loop()
    address_infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(socket_address[0]) for *_, socket_address in address_infos))


class _PublicTransport(httpx.AsyncHTTPTransport):
    """An httpx transport that uses PublicHostsBackend as its network backend.

    httpx has no argument for the network backend.
    """

    def __init__(self, limits: RequestLimits) -> None:
        super().__init__(verify=certificate_authorities())
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=certificate_authorities(),
            max_connections=limits.concurrent * 2,
            network_backend=PublicHostsBackend(httpcore.AnyIOBackend(), limits.private_hosts),
        )


def public_transport(limits: RequestLimits) -> httpx.AsyncBaseTransport | None:
    """Return a transport to public hosts and to the private hosts that `limits` allow.

    Returns None if the system or the environment sets a proxy: the proxy then resolves names.
    """
    if not getproxies().keys().isdisjoint({"all", "http", "https"}):
        return None
    return _PublicTransport(limits)


@cache
def certificate_authorities() -> ssl.SSLContext:
    """Return httpx's default TLS context, cached because creating it takes 30 ms."""
    return httpx.create_ssl_context()


async def find_private_address(url: str) -> str | None:
    """Return the first private address that the host of `url` resolves to, or None.

    A public name may resolve to a private address, such as `127.0.0.1`. If the name cannot be
    resolved, the result is None, because a proxy may know the name. Raises ValueError if `url`
    cannot be parsed.
    """
    host = urlsplit(url).hostname or ""
    try:
        addresses = await _resolved_addresses(host, None)
    except (OSError, UnicodeError):
        return None
    return next((address for address in addresses if not is_public_ip(address)), None)


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


# Caches HTTP responses on disk, so that unchanged ones are not downloaded again.
#
# A body is stored with its ETag. Callers can also store a body under another key that identifies
# its content, such as a file's hash. The cache may be deleted at any time. A damaged body, whose
# hash has changed, is ignored.


@dataclass(frozen=True, slots=True)
class CachedBody:
    """A response body, with its ETag and content type."""

    body: bytes
    etag: str = ""
    content_type: str = ""


class HttpCache:
    """A cache of response bodies by key, with a file in `folder` for each body.

    A key is a text, such as the address of the response. If `folder` is None, nothing is stored.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, key: str) -> CachedBody | None:
        """Return the body for a key; None if there is none, or if its file is damaged."""
        if self._folder is None:
            return None
        try:
            head, _, body = _cache_path(self._folder, key).read_bytes().partition(b"\n")
            record = json.loads(head)
            if record["key"] != key or record["sha256"] != hashlib.sha256(body).hexdigest():
                return None
            return CachedBody(body, str(record["etag"]), str(record["kind"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, key: str, cached: CachedBody) -> None:
        """Store a body for a key. OSError is ignored, because the cache only saves time."""
        if self._folder is None:
            return
        record = {
            "key": key,
            "etag": cached.etag,
            "kind": cached.content_type,
            "sha256": hashlib.sha256(cached.body).hexdigest(),
        }
        with suppress(OSError):
            data = json.dumps(record).encode() + b"\n" + cached.body
            write_bytes_atomically(_cache_path(self._folder, key), data)


async def get_cached(
    client: HttpClient, cache: HttpCache, url: str, headers: Mapping[str, str], max_bytes: int
) -> CachedBody:
    """Return the body at `url`, from the cache if the body has not changed on the server.

    To find out, the request contains the ETag of the cached body. Raises FetchError in the same
    cases as `HttpClient.get`.
    """
    key = f"{url} {headers.get('range', '')}"
    cached_body = cache.read(key)
    if cached_body and cached_body.etag:
        headers = {**headers, "if-none-match": cached_body.etag}
    response = await client.get(url, headers, max_bytes=max_bytes)
    if response.status == 304 and cached_body:  # noqa: PLR2004 - not modified
        return cached_body
    etag = response.headers.get("etag", "")
    new_body = CachedBody(response.body, etag, response.headers.get("content-type", ""))
    if etag:
        cache.write(key, new_body)
    return new_body


def _cache_path(folder: Path, key: str) -> Path:
    digest = hashlib.sha256(key.encode()).hexdigest()
    return folder / digest[:2] / digest[2:]

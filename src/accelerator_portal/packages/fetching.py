"""Asking indexes politely: few requests at once, bounded answers, retries, and no other host.

A body is read only so far and so long; a redirect is followed only within the host that was asked.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

AGENT = "accelerator-portal (reads package metadata, never packages)"

_RETRIED = {408, 425, 429, 500, 502, 503, 504}
_MOVED = {301, 302, 303, 307, 308}
_MOST_MOVES = 3


class FetchError(Exception):
    """Something could not be had; the text says what happened, in words for people."""

    def __init__(self, what: str, *, missing: bool = False) -> None:
        super().__init__(what)
        self.missing = missing
        """The server answered, and has no such thing."""


class RefusedError(FetchError):
    """An answer that cannot be true, or that leads elsewhere."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How politely to ask; tests ask faster."""

    at_once: int = 8
    of_a_host: int = 4
    tries: int = 3
    seconds: float = 20.0
    """For a connection, and for each piece of an answer."""
    whole: float = 120.0
    """For a whole answer."""
    wait: float = 1.0
    """Before the second try; twice as long before each further one."""
    most_wait: float = 30.0
    """Where a server says how long to wait, at most so long."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: 200, 206 or 304, with a body that was read to its end."""

    status: int
    headers: httpx.Headers
    body: bytes


@dataclass
class Spent:
    """What was asked of the network."""

    requests: int = 0
    bytes: int = 0


class Fetcher:
    """Asks with the manners given; counts what was spent.

    A host that could not be reached after all tries is not asked again by this object: forty
    indexes on one host would otherwise each wait for the same nothing.
    """

    def __init__(self, client: httpx.AsyncClient, manners: Manners | None = None) -> None:
        self.manners = manners or Manners()
        self.spent = Spent()
        self._client = client
        self._every = asyncio.Semaphore(self.manners.at_once)
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._down: dict[str, str] = {}
        self._met: set[str] = set()
        self._meeting: dict[str, asyncio.Lock] = {}

    async def get(self, url: str, headers: Mapping[str, str], most: int) -> Answer:
        """Return the answer to a GET; its body has at most `most` bytes.

        Raises FetchError; RefusedError for a body that is longer, or a redirect to another host.
        """
        host = origin(url)
        if host not in self._met:  # one request finds out whether the host is there
            async with self._meeting.setdefault(host, asyncio.Lock()):
                if host not in self._met:
                    return await self._tried(url, headers, most)
        return await self._tried(url, headers, most)

    async def _tried(self, url: str, headers: Mapping[str, str], most: int) -> Answer:
        host = origin(url)
        for number in range(self.manners.tries):
            try:
                async with self._turn(host):
                    if host in self._down:
                        raise FetchError(self._down[host])
                    return await self._once(url, headers, most)
            except _AgainError as error:
                if number + 1 == self.manners.tries:
                    if error.unreachable:
                        self._down[host] = str(error)
                    raise FetchError(str(error)) from None
                pause = self.manners.wait * 2**number
                await asyncio.sleep(max(pause, min(error.after, self.manners.most_wait)))
        raise AssertionError("there is at least one try")  # pragma: no cover

    def is_down(self, url: str) -> bool:
        """Say whether the host of an address could not be reached."""
        return origin(url) in self._down

    @asynccontextmanager
    async def _turn(self, host: str) -> AsyncIterator[None]:
        of_host = self._hosts.setdefault(host, asyncio.Semaphore(self.manners.of_a_host))
        async with of_host, self._every:
            yield

    async def _once(self, url: str, headers: Mapping[str, str], most: int) -> Answer:
        place = url
        try:
            async with asyncio.timeout(self.manners.whole):
                for _ in range(_MOST_MOVES + 1):
                    answer = await self._one(place, headers, most)
                    if answer.status not in _MOVED:
                        return answer
                    place = _moved(place, answer.headers.get("location", ""))
        except TimeoutError:
            raise _AgainError("the answer had no end within the time given") from None
        except httpx.InvalidURL:
            raise RefusedError("an address that is none") from None
        except (httpx.TimeoutException, httpx.NetworkError) as error:
            raise _AgainError(_reason(error), unreachable=True) from None
        except httpx.HTTPError as error:
            raise _AgainError(f"the answer is no HTTP ({type(error).__name__})") from None
        raise RefusedError("the address leads round in circles")

    async def _one(self, url: str, headers: Mapping[str, str], most: int) -> Answer:
        self.spent.requests += 1
        async with self._client.stream("GET", url, headers=dict(headers)) as answer:
            status = answer.status_code
            self._met.add(origin(url))
            if status in _MOVED or status == httpx.codes.NOT_MODIFIED:
                return Answer(status, answer.headers, b"")
            if status in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
                raise FetchError(f"the server has no such thing ({status})", missing=True)
            if status in _RETRIED:
                raise _AgainError(f"the server answered {status}", after=_after(answer.headers))
            if status not in {httpx.codes.OK, httpx.codes.PARTIAL_CONTENT}:
                raise FetchError(f"the server answered {status}")
            if status == httpx.codes.OK and "range" in headers:
                raise FetchError(
                    "the server gives no parts of a file"
                )  # all of it would be too much
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                self.spent.bytes += len(piece)
                if len(body) > most:
                    raise RefusedError(f"the answer is longer than {most:,} bytes")
            return Answer(status, answer.headers, bytes(body))


class _AgainError(Exception):
    def __init__(self, what: str, *, unreachable: bool = False, after: float = 0.0) -> None:
        super().__init__(what)
        self.unreachable = unreachable
        self.after = after


def origin(url: str) -> str:
    """Return scheme, host and port of an address; no host has the empty one of what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def may_follow(page: str, url: str) -> bool:
    """Say whether a link of an index's page may be asked: the index's own host, or a public one.

    A page must not make the machine that reads it ask its own network.
    """
    if origin(page) == origin(url):
        return True
    if not origin(url):
        return False
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" or "." not in host or host.endswith((".local", ".internal")):
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return True


def _moved(url: str, location: str) -> str:
    place = urljoin(url, location) if origin(location) else ""
    if not location or origin(place) != origin(url):
        shown = origin(place).partition("//")[2][:80] or "nowhere"
        raise RefusedError(f"the address leads to another host, {shown}")
    return place


def _after(headers: httpx.Headers) -> float:
    value = headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0.0  # noqa: PLR2004


def _reason(error: httpx.HTTPError) -> str:
    """In words that are the same on every machine: they are kept, and compared."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer within the time given"
    if isinstance(error, httpx.ConnectError):
        return "the host cannot be reached from where the indexes were read"
    return "the connection broke"

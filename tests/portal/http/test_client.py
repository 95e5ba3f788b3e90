"""The client against a server on loopback that answers as a test asks for it."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import TypeVar

import httpx
import pytest

from accelerator_portal.http import (
    FetchError,
    HttpClient,
    HttpResponse,
    RequestLimits,
    Sleep,
    Traffic,
    count_traffic,
)
from tests.portal.packages.loopback import Answer, Index, answering, endless, send, served

NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # to read them takes longer than a test
PATIENCE = 20.0  # seconds, for what happens at once on a machine that does nothing else
CLOSED = "http://127.0.0.1:9/"


@pytest.fixture
def server() -> Iterator[Index]:
    with served(Index()) as found:
        yield found


T = TypeVar("T")


def run(
    work: Callable[[HttpClient], Awaitable[T]],
    limits: RequestLimits | None = None,
    pauses: list[float] | None = None,
    sleep: Sleep | None = None,
) -> T:
    """Return what comes of work with a client; the pauses between attempts are only noted.

    However busy the machine is, a connection is waited for: what a test is about is the answer.
    """

    async def pause(seconds: float) -> None:
        (pauses if pauses is not None else []).append(seconds)

    limits = limits or RequestLimits()
    timeout = httpx.Timeout(limits.timeout, connect=PATIENCE)
    session = httpx.AsyncClient(max_redirects=2, verify=NO_AUTHORITIES, timeout=timeout)

    async def inside() -> T:
        async with session:
            return await work(HttpClient(session, limits, sleep or pause))

    return asyncio.run(inside())


def get(
    url: str,
    headers: Mapping[str, str] | None = None,
    limits: RequestLimits | None = None,
    pauses: list[float] | None = None,
    max_bytes: int = 1000,
) -> HttpResponse:
    return run(lambda client: client.get(url, headers, max_bytes=max_bytes), limits, pauses)


def failing(
    url: str, headers: Mapping[str, str] | None = None, limits: RequestLimits | None = None
) -> FetchError:
    with pytest.raises(FetchError) as raised:
        get(url, headers, limits)
    return raised.value


def place(server: Index, answer: Answer, path: str = "/x") -> str:
    """Return the address of an answer."""
    server.answers[path] = answer
    return server.url.removesuffix("/simple/") + path


def in_turn(*answers: Answer) -> Answer:
    """Give the answers one after the other, the last one for ever."""
    waiting = list(answers)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        (waiting.pop(0) if len(waiting) > 1 else waiting[0])(handler)

    return answer


GOOD = answering(200, b"good")


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_asked_for_three_times(server: Index, status: int) -> None:
    url = place(server, in_turn(answering(status), answering(status), GOOD))
    assert get(url).body == b"good"
    url = place(server, answering(status))
    server.asked.clear()
    error = failing(url)
    assert (str(error), error.status) == (f"the server answered {status}", status)
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [204, 206, 304, 400, 401, 403, 404, 410, 418, 501])
def test_what_does_not_pass_is_asked_for_once(server: Index, status: int) -> None:
    error = failing(place(server, answering(status)))
    assert (error.status, error.missing) == (status, status in {404, 410})
    assert len(server.asked) == 1


def test_pauses_grow_and_are_not_the_same_for_all(server: Index) -> None:
    url = place(server, answering(503))
    first: set[float] = set()
    for _ in range(5):
        pauses: list[float] = []
        with pytest.raises(FetchError):
            get(url, limits=RequestLimits(attempts=4), pauses=pauses)
        for pause, least in zip(pauses, (1, 2, 4), strict=True):
            assert least <= pause <= least + 1
        first.add(pauses[0])
    assert len(first) == 5


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [("7", 7, 7), ("86400", 30, 30), ("0", 1, 2), ("soon", 1, 2), ("-5", 1, 2), ("9" * 400, 1, 2)],
)
def test_the_time_that_a_server_asks_for_is_waited(
    server: Index, said: str, least: float, most: float
) -> None:
    pauses: list[float] = []
    url = place(server, in_turn(answering(503, retry_after=said), GOOD))
    assert get(url, pauses=pauses).body == b"good"
    (pause,) = pauses
    assert least <= pause <= most


def test_a_host_that_is_not_there_is_asked_for_one_address_alone() -> None:
    async def work(client: HttpClient) -> tuple[list[BaseException], int]:
        asked = (client.get(f"{CLOSED}{n}", max_bytes=9) for n in range(10))
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert client.is_unreachable(CLOSED)
        return [error for error in found if isinstance(error, FetchError)], client.traffic.requests

    errors, requests = run(work)
    assert {str(e) for e in errors} == {
        "the host cannot be reached from the machine that read the indexes"
    }
    assert (len(errors), requests) == (10, 3)


def hanging(_: BaseHTTPRequestHandler) -> None:
    time.sleep(3)


def breaking(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.close()


@pytest.mark.parametrize("answer", [hanging, breaking])
def test_an_address_that_does_not_answer_says_nothing_about_its_host(
    server: Index, answer: Answer
) -> None:
    """Another vendor's address may be there."""
    silent, good = place(server, answer, "/silent"), place(server, GOOD, "/good")
    answered = asyncio.Event()

    async def get_good(client: HttpClient) -> HttpResponse:
        response = await client.get(good, max_bytes=9)
        answered.set()
        return response

    async def work(client: HttpClient) -> Sequence[HttpResponse | BaseException]:
        first, third = (client.get(url, max_bytes=9) for url in (silent, silent + "?2"))
        return await asyncio.gather(first, get_good(client), third, return_exceptions=True)

    async def until_the_other_was_answered(_: float) -> None:
        async with asyncio.timeout(PATIENCE):
            await answered.wait()

    limits = RequestLimits(attempts=2, timeout=1)
    first, second, third = run(work, limits, sleep=until_the_other_was_answered)
    assert isinstance(second, HttpResponse), "it waits for no further attempt of another"
    assert isinstance(first, FetchError)
    assert first.transient
    assert isinstance(third, FetchError)


def test_a_host_none_of_whose_addresses_answers_is_given_up(server: Index) -> None:
    urls = [place(server, hanging, f"/silent-{number}") for number in range(10)]

    async def work(client: HttpClient) -> tuple[bool, int]:
        asked = (client.get(url, max_bytes=9) for url in urls)
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert {str(error) for error in found} == {"no response in time"}
        return client.is_unreachable(urls[0]), client.traffic.requests

    limits = RequestLimits(attempts=1, timeout=0.1, concurrent_per_host=1)
    assert run(work, limits) == (True, 3)


def test_a_body_has_its_limit(server: Index) -> None:
    assert get(place(server, GOOD), max_bytes=4).body == b"good"
    with pytest.raises(FetchError, match="longer than 3 bytes") as raised:
        get(place(server, GOOD), max_bytes=3)
    assert raised.value.kind == "long"
    assert failing(place(server, endless)).kind == "long"


def test_an_answer_that_drips_is_not_waited_for(server: Index) -> None:
    def drip(handler: BaseHTTPRequestHandler, drop: bytes) -> None:
        try:
            while True:
                handler.wfile.write(drop)
                handler.wfile.flush()
                time.sleep(0.01)
        except OSError:
            handler.close_connection = True

    def dripping_body(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000000")
        handler.end_headers()
        drip(handler, b"<")

    def dripping_headers(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        drip(handler, b"x: y\r\n")

    async def work(client: HttpClient) -> tuple[str, int]:
        with pytest.raises(FetchError, match="the response did not finish in time") as raised:
            await client.get(place(server, dripping_body), max_bytes=10**6)
        with pytest.raises(FetchError, match="the response did not finish in time") as no_headers:
            await client.status(place(server, dripping_headers))
        assert no_headers.value.cause == "ReadTimeout"
        return raised.value.kind, client.traffic.requests

    assert run(work, RequestLimits(attempts=2, total_timeout=0.5)) == ("slow", 3)


def test_a_body_is_unpacked_unless_it_is_wanted_as_it_is(server: Index) -> None:
    packed = gzip.compress(b"good")
    url = place(server, answering(200, packed, content_encoding="gzip"))
    assert get(url).body == b"good"
    assert get(url, {"accept-encoding": "identity"}).body == packed
    twice = answering(200, gzip.compress(packed), content_encoding="gzip, gzip")
    assert str(failing(place(server, twice))) == "the response is compressed more than once"
    once = answering(200, packed, content_encoding="identity, gzip")
    assert get(place(server, once)).body == b"good"


def test_parts_and_what_did_not_change_are_answers_to_who_asks_for_them(server: Index) -> None:
    part = place(server, answering(206, b"go", content_range="bytes 0-1/4"))
    assert get(part, {"range": "bytes=0-1"}).body == b"go"
    assert "doesn't support range" in str(failing(place(server, GOOD), {"range": "bytes=0-1"}))
    same = get(place(server, answering(304)), {"if-none-match": '"x"'})
    assert (same.status, same.body) == (304, b"")


def test_redirects_stay_on_the_host_and_end(server: Index) -> None:
    place(server, GOOD, "/good")
    assert get(place(server, answering(302, location="/good"))).body == b"good"
    assert "another host, x.org" in str(failing(place(server, answering(301, location="//x.org"))))
    assert failing(place(server, answering(307, location="/x"))).kind == "loop"
    none = RequestLimits(redirects=0)
    assert failing(place(server, answering(302, location="/good")), limits=none).status == 302


def test_a_status_is_had_without_the_body(server: Index) -> None:
    def status(url: str, limits: RequestLimits | None = None, method: str = "GET") -> int:
        return run(lambda client: client.status(url, method), limits)

    place(server, answering(503), "/busy")
    moved = place(server, answering(302, location="/busy"))
    assert status(moved) == 503
    assert status(moved, RequestLimits(redirects=0)) == 302
    assert status(place(server, endless, "/endless")) == 200
    assert server.asked == ["/x", "/busy", "/x", "/endless"]
    for url, cause in ((CLOSED, "ConnectError"), ("http://a:b/", "InvalidURL")):
        with pytest.raises(FetchError) as raised:
            status(url)
        assert raised.value.cause == cause
    with pytest.raises(FetchError) as raised:
        status(place(server, answering(302, location="/x")))
    assert raised.value.kind == "loop"


def test_so_many_are_asked_at_once_and_no_more(server: Index) -> None:
    """Of one host; what all hosts together are asked has a limit of its own."""
    now: list[int] = []
    most: list[int] = []
    three = threading.Barrier(3)

    def together(handler: BaseHTTPRequestHandler) -> None:
        now.append(1)
        most.append(len(now))
        three.wait(PATIENCE)
        now.pop()
        send(handler, 200)

    url, first = place(server, together), place(server, GOOD, "/first")

    async def work(client: HttpClient) -> None:
        await client.get(first, max_bytes=9)  # until it is answered, the others wait
        await asyncio.gather(*(client.get(url, max_bytes=9) for _ in range(12)))

    for limits in (RequestLimits(concurrent_per_host=3), RequestLimits(concurrent=3)):
        most.clear()
        run(work, limits)
        assert (len(most), max(most)) == (12, 3)


def test_a_step_counts_what_its_clients_ask(server: Index) -> None:
    url = place(server, in_turn(answering(429), GOOD))
    refused = place(server, answering(403), "/refused")
    with count_traffic() as traffic:
        body = get(url, limits=RequestLimits(attempts=2)).body
        with pytest.raises(FetchError):
            get(refused, limits=RequestLimits(attempts=2))
    assert traffic == Traffic(requests=3, bytes=len(body), retries=1, refusals=2)

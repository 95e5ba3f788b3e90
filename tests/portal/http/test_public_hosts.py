"""A host that changes its address between look-up and request is not followed there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpcore
import pytest

from accelerator_portal.http import (
    FetchError,
    InvalidResponseError,
    PublicHostsBackend,
    RequestLimits,
    find_private_address,
    open_client,
    public_transport,
)

PUBLIC, PRIVATE = "93.184.215.14", "127.0.0.1"
LIMITS = RequestLimits(public_hosts_only=True, attempts=1)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Recorded(httpcore.AsyncMockBackend):
    """Answers everything, and remembers where it was asked to connect."""

    def __init__(self) -> None:
        super().__init__([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        self.asked: list[str] = []

    async def connect_tcp(self, host: str, *args: Any, **more: Any) -> httpcore.AsyncNetworkStream:  # noqa: ANN401 - httpcore's
        """Remember the host."""
        self.asked.append(host)
        return await super().connect_tcp(host, *args, **more)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Let each look-up have the next of the answers."""
    left: Iterator[list[str]] = iter(answers)

    async def getaddrinfo(*_: object, **__: object) -> list[tuple[Any, ...]]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in next(left)
        ]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


def test_the_connection_goes_to_the_address_that_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolving(monkeypatch, [PUBLIC], [PRIVATE])
    inner = Recorded()
    asyncio.run(PublicHostsBackend(inner).connect_tcp("feed.example", 443))
    assert inner.asked == [PUBLIC]


class SilentAt(Recorded):
    """Does not answer at one address."""

    async def connect_tcp(self, host: str, *args: Any, **more: Any) -> httpcore.AsyncNetworkStream:  # noqa: ANN401 - httpcore's
        """Time out at PUBLIC."""
        stream = await super().connect_tcp(host, *args, **more)
        if host == PUBLIC:
            raise httpcore.ConnectTimeout
        return stream


def test_the_next_address_is_tried_after_one_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolving(monkeypatch, [PUBLIC, "93.184.215.15"])
    inner = SilentAt()
    asyncio.run(PublicHostsBackend(inner).connect_tcp("feed.example", 443))
    assert inner.asked == [PUBLIC, "93.184.215.15"]


@pytest.mark.parametrize("answer", [[PRIVATE], [PUBLIC, PRIVATE], ["::1"], ["169.254.169.254"]])
def test_a_host_with_an_address_of_the_own_network_is_not_connected_to(
    answer: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, answer)
    inner = Recorded()
    with pytest.raises(httpcore.ConnectError, match="private network"):
        asyncio.run(PublicHostsBackend(inner).connect_tcp("feed.example", 443))
    assert inner.asked == []


def test_a_host_that_changes_its_address_meanwhile_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The look-up before the request finds a public address, the one of the request does not."""
    resolving(monkeypatch, [PUBLIC], [PRIVATE])

    async def ask() -> None:
        async with open_client("test", LIMITS) as client:
            await client.get("https://feed.example/x", max_bytes=10)

    with pytest.raises(InvalidResponseError, match="the host is on a private network"):
        asyncio.run(ask())


def test_a_private_host_is_asked_only_if_the_operator_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A connection that is refused shows that the host was asked."""

    async def ask(host: str) -> None:
        resolving(monkeypatch, *[["127.0.0.1"]] * 3)
        limits = replace(LIMITS, private_hosts=frozenset({"inside.example"}))
        async with open_client("test", limits) as client:
            await client.get(f"https://{host}:9/x", max_bytes=10)

    with pytest.raises(InvalidResponseError, match="the host is on a private network"):
        asyncio.run(ask("other.example"))
    with pytest.raises(FetchError, match="cannot be reached") as asked:
        asyncio.run(ask("inside.example"))
    assert not isinstance(asked.value, InvalidResponseError)


def test_the_look_up_alone_would_have_let_it_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, [PUBLIC], [PRIVATE])
    assert asyncio.run(find_private_address("https://feed.example/x")) is None


def test_a_proxy_resolves_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "localhost")  # alone, it sets no proxy
    assert public_transport(LIMITS) is not None
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert public_transport(LIMITS) is None

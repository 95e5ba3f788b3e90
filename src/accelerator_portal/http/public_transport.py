"""Connections to public hosts alone, made to the very address that was looked at.

A name may stand for a public address when it is looked at and for one of the own network when it is
connected to. Here the name is resolved once for each connection. The certificate is still that of
the name. Where a proxy is set, the proxy resolves names, and decides.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from urllib.request import getproxies

import httpcore
import httpx

from accelerator_portal.catalog.public_host import is_public_address
from accelerator_portal.http.certificates import certificate_authorities


class PrivateHostError(httpcore.ConnectError):
    """The name of a host stands for an address of a private network."""


class PublicHostsBackend(httpcore.AsyncNetworkBackend):
    """Connects to a host if every address that its name has is a public one."""

    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers. Raises httpcore.ConnectError."""
        error = httpcore.ConnectError("the host name cannot be resolved")
        for address in await _public_addresses(host, port):
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except httpcore.ConnectError as refused:
                error = refused
        raise error


async def _public_addresses(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from None
    addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
    if not all(map(is_public_address, addresses)):
        raise PrivateHostError("the host is on a private network")
    return addresses


class _PublicTransport(httpx.AsyncHTTPTransport):
    """httpx's own, with another way to connect, for which httpx has no argument."""

    def __init__(self, connections: int) -> None:
        super().__init__(verify=certificate_authorities())
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=certificate_authorities(),
            max_connections=connections,
            network_backend=PublicHostsBackend(httpcore.AnyIOBackend()),
        )


def public_transport(connections: int) -> httpx.AsyncBaseTransport | None:
    """Return the transport, None where a proxy is asked instead."""
    return None if getproxies() else _PublicTransport(connections)

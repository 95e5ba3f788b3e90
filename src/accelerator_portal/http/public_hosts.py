"""Opens HTTP connections to public hosts only, at the IP address that was checked.

A name may resolve to a public address when it is checked, and to a private one when the connection
is made. This module therefore resolves the name only once for each connection. The certificate must
still match the name. If a proxy is set, the proxy resolves names and makes the connection.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from functools import cache
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpcore
import httpx

from accelerator_portal.http.limits import RequestLimits
from accelerator_reports.files.public_host import is_public_ip


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

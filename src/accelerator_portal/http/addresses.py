"""Which addresses belong together, and which may be asked."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urljoin, urlsplit

from accelerator_portal.catalog.public_host import is_public, is_public_address
from accelerator_portal.http.errors import InvalidResponseError


def origin(url: str) -> str:
    """Return scheme, host and port of an address; no host has the empty one of what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def may_follow(page: str, url: str) -> bool:
    """Say whether a link of a page may be asked: the page's own host, or a public one.

    A page must not make the machine that reads it ask its own network.
    """
    if origin(page) == origin(url):
        return True
    if not origin(url):
        return False
    parts = urlsplit(url)
    return parts.scheme == "https" and is_public(parts)


def redirected(url: str, location: str) -> str:
    """Return where a redirect leads, on the same host. Raises InvalidResponseError."""
    place = urljoin(url, location) if origin(location) else ""
    if not location or origin(place) != origin(url):
        shown = origin(place).partition("//")[2][:80] or "nowhere"
        raise InvalidResponseError(f"the address redirects to another host, {shown}")
    return place


async def private_address(url: str) -> str | None:
    """Return an address of the own network that the host of `url` stands for, if there is one.

    A public name may resolve to the loopback address. A name that cannot be resolved here may still
    be known to a proxy.
    """
    host = urlsplit(url).hostname or ""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    addresses = (str(place[0]) for *_, place in found)
    return next((address for address in addresses if not is_public_address(address)), None)

"""Which addresses belong together, and which may be asked."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


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
    host = parts.hostname or ""
    if parts.scheme != "https" or "." not in host or host.endswith((".local", ".internal")):
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return True

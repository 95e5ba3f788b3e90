"""The certificate authorities that all clients trust, read from their file once."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def certificate_authorities() -> ssl.SSLContext:
    """Return httpx's own choice; reading it takes 30 ms, as long as many a request."""
    return httpx.create_ssl_context()

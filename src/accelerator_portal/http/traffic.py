"""Counts HTTP requests and received bytes, for example of a step of the nightly update."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


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

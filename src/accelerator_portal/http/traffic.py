"""Counts the network traffic within a `with` block, such as a step of the nightly update."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Traffic:
    """Counts of requests, bytes, retries and refusals."""

    requests: int = 0
    bytes: int = 0
    """The bytes of response bodies after decompression."""
    retries: int = 0
    """Requests that repeat a failed request."""
    refusals: int = 0
    """Responses that refuse a request: not allowed, or too many requests."""

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
    """Yield counts of the network traffic of all clients until the end of the block.

    The traffic of a thread that is started in the block is counted only if the thread runs in a
    copy of the context. The traffic of started programs, such as uv and git, is not counted.
    """
    traffic = Traffic()
    token = _block_traffic.set(traffic)
    try:
        yield traffic
    finally:
        _block_traffic.reset(token)


def current_traffic() -> Traffic:
    """Return the traffic counts of the current `count_traffic` block.

    Outside of a block, return new counts that nobody reads.
    """
    return _block_traffic.get(Traffic())

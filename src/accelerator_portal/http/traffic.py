"""Counts network requests by client and step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Traffic:
    """Requests and what came of them."""

    requests: int = 0
    bytes: int = 0
    """Of bodies, after they were unpacked."""
    retries: int = 0
    """Requests that repeat one that failed."""
    refusals: int = 0
    """Responses that refuse a request: not allowed, or too many requests."""

    def add(self, more: Traffic) -> None:
        """Count more."""
        self.requests += more.requests
        self.bytes += more.bytes
        self.retries += more.retries
        self.refusals += more.refusals


REFUSING_STATUSES = frozenset({401, 403, 429})

_step: ContextVar[Traffic] = ContextVar("step_traffic")


@contextmanager
def counted_traffic() -> Iterator[Traffic]:
    """Count what all clients ask of the network until the end of the block.

    A thread that is started within counts only if it runs in a copy of the context. Programs that
    are started, such as uv and git, are not counted.
    """
    traffic = Traffic()
    token = _step.set(traffic)
    try:
        yield traffic
    finally:
        _step.reset(token)


def step_traffic() -> Traffic:
    """Return what the current block counts; outside of one, something that nobody reads."""
    return _step.get(Traffic())

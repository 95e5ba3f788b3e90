"""How much is asked at once, how long and how often."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of a client; times are in seconds, and tests have shorter ones."""

    concurrent: int = 8
    concurrent_per_host: int = 4
    attempts: int = 3
    redirects: int = 3
    timeout: float = 20.0
    """For a connection, and for each piece of a response."""
    total_timeout: float = 120.0
    """For a whole response."""
    first_pause: float = 1.0
    """Before the second attempt; twice as long before each further one, and up to so much more at
    random, so that many do not come back at the same moment."""
    longest_pause: float = 30.0
    """Where a server says how long to wait, at most so long."""
    public_hosts_only: bool = False
    """Whether a host that stands for an address of the own network is refused."""

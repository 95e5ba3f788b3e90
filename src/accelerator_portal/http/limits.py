"""States how many parallel requests, attempts, redirects and seconds an HTTP client may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of an HTTP client; times are in seconds."""

    concurrent: int = 8
    concurrent_per_host: int = 4
    attempts: int = 3
    redirects: int = 3
    timeout: float = 20.0
    """The time limit for a connection, and for each part of a response."""
    total_timeout: float = 120.0
    """The time limit for a whole response, including redirects."""
    first_pause: float = 1.0
    """The wait before the second attempt. The wait doubles before each later attempt. A random time
    of at most `first_pause` is added, so that clients do not repeat requests at the same moment."""
    longest_pause: float = 30.0
    """The longest wait if a server asks the client to wait. Longer waits are shortened to it."""
    public_hosts_only: bool = False
    """Whether a host with an address on a private network is refused."""
    private_hosts: frozenset[str] = frozenset()
    """Hosts that are never refused, by name."""

"""How long GitHub is asked again where it did not answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try; tests try shorter."""

    tries: int = 4
    """Requests in all, for one answer."""
    wait: float = 1.0
    """Seconds before the third try; twice as long before each further one."""
    most_wait: float = 120.0
    """Where GitHub says how long to wait: longer than so many seconds is an error at once."""
    limited: float = 60.0
    """Seconds to wait where GitHub says that too much was asked, but not until when."""

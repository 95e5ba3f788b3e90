"""How much processor time something takes: other work on the machine does not change it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started and waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def takes_less_than(seconds: float) -> Iterator[None]:
    """Fail where the block takes that much processor time."""
    start = processor_seconds()
    yield
    assert processor_seconds() - start < seconds

from __future__ import annotations

import time
from itertools import count

import pytest

from tests.processor_time import processor_seconds, takes_less_than


def test_work_counts_and_waiting_does_not() -> None:
    with takes_less_than(1):
        time.sleep(1.5)
    start = processor_seconds()
    with pytest.raises(AssertionError), takes_less_than(0.1):
        next(n for n in count() if processor_seconds() - start > 0.2)

"""Counting what is asked of the network within a block."""

from __future__ import annotations

from accelerator_portal.http import Traffic, count_traffic, current_traffic


def test_only_the_current_block_counts() -> None:
    current_traffic().add(Traffic(requests=1))
    with count_traffic() as outer:
        current_traffic().add(Traffic(requests=1, bytes=10))
        with count_traffic() as inner:
            current_traffic().add(Traffic(retries=1, refusals=2))
        current_traffic().add(Traffic(bytes=5))
    current_traffic().add(Traffic(requests=1))
    assert outer == Traffic(requests=1, bytes=15)
    assert inner == Traffic(retries=1, refusals=2)

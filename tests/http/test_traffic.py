"""Counting what is asked of the network within a block."""

from __future__ import annotations

from accelerator_portal.http.traffic import Traffic, counted_traffic, step_traffic


def test_only_the_current_block_counts() -> None:
    step_traffic().add(Traffic(requests=1))
    with counted_traffic() as outer:
        step_traffic().add(Traffic(requests=1, bytes=10))
        with counted_traffic() as inner:
            step_traffic().add(Traffic(retries=1, refusals=2))
        step_traffic().add(Traffic(bytes=5))
    step_traffic().add(Traffic(requests=1))
    assert outer == Traffic(requests=1, bytes=15)
    assert inner == Traffic(retries=1, refusals=2)

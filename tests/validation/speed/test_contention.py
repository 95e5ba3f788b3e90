"""A speed that other programs took part of is not the processor's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from accelerator_validation.suites.speed.timing_summary import (
    ProcessorTimes,
    disturbance,
    processor_times,
)

TICKS = os.sysconf("SC_CLK_TCK")


def test_work_and_stolen_time_are_counted_idle_time_is_not(tmp_path: Path) -> None:
    # proc(5): user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
    counts = (1, 2, 4, 800, 900, 8, 16, 32, 64, 128)
    line = " ".join(str(count * TICKS) for count in counts)
    file = tmp_path / "stat"
    file.write_text(f"cpu  {line}\ncpu0 {line}\ncpu1 {line}\nintr 5\nctxt 9\n", "ascii")
    found = processor_times(file)
    assert found is not None
    assert (found.all_s, found.processors) == (1 + 2 + 4 + 8 + 16 + 32, 2)


def test_where_nothing_counts_nothing_is_said(tmp_path: Path) -> None:
    assert processor_times(tmp_path / "stat") is None
    assert disturbance(None, None) is None


@pytest.mark.parametrize(
    ("others", "said"),
    [(0.0, None), (1.9, None), (7.0, "other programs used 35% of the processors")],
)
def test_others_are_what_this_process_did_not_use(others: float, said: str | None) -> None:
    before = ProcessorTimes(1000.0, 50.0, 7.0, 2)
    after = ProcessorTimes(1000.0 + 18.0 + others, 50.0 + 18.0, 7.0 + 10.0, 2)
    assert disturbance(before, after) == said


def test_a_moment_is_too_short_to_tell() -> None:
    before = ProcessorTimes(1000.0, 50.0, 7.0, 2)
    assert disturbance(before, ProcessorTimes(1000.02, 50.0, 7.01, 2)) is None


def test_this_process_does_not_disturb_itself() -> None:
    before = processor_times()
    sum(range(3_000_000))
    after = processor_times()
    if before is None or after is None:
        pytest.skip("this system does not count")
    used = after.own_s - before.own_s
    assert used > 0
    assert after.all_s - before.all_s >= used - 5 / TICKS

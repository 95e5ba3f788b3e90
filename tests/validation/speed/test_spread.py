"""A median is published with an interval that holds it, or not at all."""

from __future__ import annotations

import random
import statistics

import pytest

from accelerator_validation.suites.speed.timing_summary import MIN_REPEATS, summarize_timings


def test_the_interval_is_made_of_the_order_statistics_that_the_tables_name() -> None:
    # Conover, Practical Nonparametric Statistics: of 6, 9, 10 and 20 values these ranks.
    ranks = {6: (1, 6), 9: (2, 8), 10: (2, 9), 20: (6, 15)}
    for count, (low, high) in ranks.items():
        found = summarize_timings(range(1, count + 1))
        assert (found.low, found.high, found.repeats) == (low, high, count)


@pytest.mark.parametrize("count", [6, 15, 60])
def test_the_interval_holds_the_true_median_nineteen_times_of_twenty(count: int) -> None:
    draws = random.Random(7)  # noqa: S311 - skewed, as timings are: its median is e**0
    samples = [[draws.lognormvariate(0, 0.5) for _ in range(count)] for _ in range(2000)]
    held = sum(found.low <= 1 <= found.high for found in map(summarize_timings, samples))
    assert held / len(samples) >= 0.94


def test_the_order_of_the_timings_says_nothing() -> None:
    values = [1.0, 1.2, 0.9, 1.1, 1.05, 3.0, 1.0]
    assert summarize_timings(values) == summarize_timings(sorted(values))
    assert summarize_timings(values).median == statistics.median(values)


def test_timings_that_agree_are_narrow_and_published() -> None:
    found = summarize_timings([1.0 + 0.001 * n for n in range(MIN_REPEATS)])
    assert found.is_narrow
    assert found.noise_reason is None


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        ([1.0] * (MIN_REPEATS - 1), "only 5 of 6 runs fit into the time"),
        ([1.0, 1.4] * 20, "the runs differ by 33%"),
        ([0.8, 1.0, 1.0, 1.0, 1.0, 1.2], "the uncertainty of the median is 40%"),
    ],
)
def test_noise_is_said_in_words(seconds: list[float], why: str) -> None:
    found = summarize_timings(seconds)
    assert found.noise_reason == why
    assert not found.is_narrow


def test_one_outlier_does_not_keep_a_median_from_readers() -> None:
    assert summarize_timings([*[1.0 + n / 1000 for n in range(30)], 9.0]).noise_reason is None

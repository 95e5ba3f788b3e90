from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.report import positions_of, positions_text
from accelerator_validation.plan import RunError
from accelerator_validation.request import ShardRequest
from accelerator_validation.sharding import make_shard, plan_digest, split
from tests.validation.runs import matrix, plan

WEIGHTS = st.lists(st.integers(0, 10_000), max_size=60)
COUNTS = st.integers(1, 12)
IDENTITY = "0" * 64
NAMES = [f"test-{number}" for number in range(10)]


def ids(names: list[str]) -> list[str]:
    return [case.id for case in plan(names).cases]


def shards(names: list[str], count: int, times: dict[str, int]) -> list[list[str]]:
    parts = (
        make_shard(plan(names), ShardRequest(index, count, times), IDENTITY, "again")
        for index in range(1, count + 1)
    )
    return [[case.id for case in part.cases] for part in parts]


@given(WEIGHTS, COUNTS)
def test_everything_is_in_exactly_one_group(weights: list[int], count: int) -> None:
    groups = split(weights, count)
    assert len(groups) == count
    assert sorted(place for group in groups for place in group) == list(range(len(weights)))


@given(WEIGHTS, COUNTS)
def test_no_group_is_heavier_than_its_share_and_one_item(weights: list[int], count: int) -> None:
    sums = [sum(weights[place] for place in group) for group in split(weights, count)]
    assert max(sums) <= sum(weights) / count + max(weights, default=0)


@given(st.integers(0, 200), COUNTS)
def test_equal_weights_make_groups_of_equal_size(number: int, count: int) -> None:
    sizes = [len(group) for group in split([1] * number, count)]
    assert max(sizes) - min(sizes) <= 1


@given(
    st.lists(st.integers(1, 40), unique=True, min_size=4, max_size=30),
    st.dictionaries(st.integers(1, 40), st.integers(0, 10_000)),
    st.integers(1, 4),
)
def test_every_test_is_in_exactly_one_shard_whatever_the_times(
    numbers: list[int], times: dict[int, int], count: int
) -> None:
    names = [f"test-{number}" for number in numbers]
    recorded = {f"made-up/test-{number}": time for number, time in times.items()}
    found = shards(names, count, recorded)
    assert sorted(key for part in found for key in part) == sorted(ids(names))
    assert all(found)  # a shard without a test would have no report
    order = {key: place for place, key in enumerate(ids(names))}
    assert all(part == sorted(part, key=order.__getitem__) for part in found)


def test_the_order_in_which_times_are_recorded_changes_nothing() -> None:
    times = {key: 10 * number for number, key in enumerate(ids(NAMES))}
    shuffled = list(times.items())
    random.Random(1).shuffle(shuffled)  # noqa: S311 - no secret
    wanted = [ShardRequest(1, 3, times), ShardRequest(1, 3, dict(shuffled))]
    one, other = (make_shard(plan(NAMES), asked, IDENTITY, "again") for asked in wanted)
    assert one == other


def test_recorded_times_balance_and_a_test_without_one_gets_the_median() -> None:
    times = dict(zip(ids(NAMES)[:4], (900, 100, 100, 100), strict=True))
    # The other six count 100 each: 900 against nine times 100.
    assert shards(NAMES, 2, times) == [ids(NAMES)[:1], ids(NAMES)[1:]]


def test_times_of_tests_that_are_not_planned_change_nothing() -> None:
    other = {"made-up/elsewhere": 5_000_000}
    assert shards(NAMES, 3, other) == shards(NAMES, 3, {})
    part = make_shard(plan(NAMES), ShardRequest(1, 3, other), IDENTITY, "again")
    assert part.shard
    assert part.shard.times is None


def test_more_shards_than_tests_are_refused() -> None:
    with pytest.raises(RunError, match=r"10 tests cannot be split into 11 shards\. Use at mo"):
        make_shard(plan(NAMES), ShardRequest(1, 11), IDENTITY, "again")


def test_another_test_setting_or_option_makes_another_plan() -> None:
    matrices = {"made-up": matrix(NAMES)}
    usual = plan_digest(plan(NAMES), matrices, ["cpu"])
    assert usual == plan_digest(plan(NAMES), {"made-up": matrix(NAMES)}, ["cpu"])
    elsewhere = matrix(NAMES).model_copy(update={"given": {"checkout": "elsewhere"}})
    assert usual == plan_digest(plan(NAMES), {"made-up": elsewhere}, ["cpu"])
    commit = matrix(NAMES).model_copy(update={"given": {"commit": "abc"}})
    others = [
        plan_digest(plan(NAMES[1:]), matrices, ["cpu"]),
        plan_digest(plan(NAMES[::-1]), matrices, ["cpu"]),
        plan_digest(plan(NAMES), {"made-up": matrix(NAMES, timeout_s=31)}, ["cpu"]),
        plan_digest(plan(NAMES), {"made-up": commit}, ["cpu"]),
        plan_digest(plan(NAMES), matrices, ["npu"]),
    ]
    assert len({usual, *others}) == 6


@given(st.sets(st.integers(1, 500), min_size=1))
def test_positions_are_read_as_they_are_written(positions: set[int]) -> None:
    text = positions_text(sorted(positions))
    assert list(positions_of(text, 500)) == sorted(positions)


def test_positions_are_short_and_end_at_the_limit() -> None:
    assert positions_text([1, 2, 3, 7]) == "1-3 7"
    assert list(positions_of("9-99999999999999999999", 11)) == [9, 10, 11]

from __future__ import annotations

import datetime as dt
from typing import get_args

import pytest

from accelerator_portal.results.evidence_level import (
    Breakage,
    is_flaky,
    never_passed_count,
    open_breakages,
)
from accelerator_portal.results.history import History
from accelerator_reports.comparison import EnvironmentDifference
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from tests.portal.results.made_up import START, Outcomes, course, history_of, made_up, state_of

P: Outcome = "passed"
F: Outcome = "failed"
DEADLINE = dt.timedelta(hours=72)


def moment(days: float) -> dt.datetime:
    return START + dt.timedelta(days=days)


def broken(history: History, day: float = 100) -> tuple[Breakage, ...]:
    return open_breakages(history, moment(day), DEADLINE)


def test_a_breakage_says_since_when_and_what_was_good_before() -> None:
    (found,) = broken(course(P, P, F, "crashed"), day=3.5)
    assert found.key == "models/model"
    assert found.outcome == "crashed"
    assert found.last_good.started == moment(1)
    assert found.last_good.environment.torch == "2.1"
    assert found.first_bad.started == moment(2)
    assert found.age == dt.timedelta(days=1.5)
    assert not found.flaky
    assert found.gone is None
    assert found.differences == (EnvironmentDifference("torch", "2.1", "2.2"),)


@pytest.mark.parametrize(
    ("day", "overdue"), [(1, False), (3.99, False), (4, False), (4.01, True), (50, True)]
)
def test_a_breakage_is_overdue_after_the_deadline(day: float, overdue: bool) -> None:  # noqa: FBT001 - a case
    (found,) = broken(course(P, F), day)
    assert found.overdue is overdue


def test_before_its_first_failure_nothing_is_broken() -> None:
    assert broken(course(P, F), day=0.5) == ()


@pytest.mark.parametrize(
    "outcomes",
    [
        [P],
        [P, P],
        [P, F, P],
        [P, None],
    ],
)
def test_what_does_not_fail_is_not_broken(outcomes: list[Outcome | None]) -> None:
    history = course(*outcomes)
    assert broken(history) == ()
    assert never_passed_count(history, moment(100)) == 0


def test_a_test_that_never_passed_is_told_apart() -> None:
    history = course("skipped", F, "wrong-result", "infrastructure-error")
    assert broken(history) == ()
    assert never_passed_count(history, moment(5)) == 1
    assert never_passed_count(history, moment(0)) == 0


def test_a_breakage_that_is_no_longer_reported_stays_open_and_says_so() -> None:
    (found,) = broken(course(P, F, None, None))
    assert found.gone is not None
    assert found.gone.started == moment(2)


def test_the_id_lasts_as_long_as_the_breakage() -> None:
    (first,) = broken(course(P, F))
    (later,) = broken(course(P, F, "crashed", "skipped", F))
    (again,) = broken(course(P, F, P, F))
    assert first.id == later.id
    assert first.id != again.id
    assert again.flaky


def test_the_oldest_breakage_comes_first() -> None:
    days: list[dict[str, Outcome]] = [
        {"a": P, "b": P, "c": P},
        {"a": P, "b": P, "c": F},
        {"a": F, "b": F, "c": F},
    ]
    history = history_of(*(made_up(day, tests) for day, tests in enumerate(days)))
    assert [found.key for found in broken(history)] == ["models/c", "models/a", "models/b"]


def test_baselines_never_open_a_breakage() -> None:
    days: list[dict[str, Outcome]] = [{"a": P, "b": F}, {"a": F, "b": F}]
    history = history_of(*(made_up(d, tests, kind="baseline") for d, tests in enumerate(days)))
    assert broken(history) == ()
    assert never_passed_count(history, moment(100)) == 0


SILENT: frozenset[Outcome] = frozenset(get_args(Outcome)) - GOOD - BAD


@pytest.mark.parametrize("silent", sorted(SILENT))
@pytest.mark.parametrize(
    ("before", "after", "breakages", "never"),
    [
        ([P], [], 0, 0),
        ([P], [F], 1, 0),
        ([P, F], [], 1, 0),
        ([P, F], [P], 0, 0),
        ([F], [], 0, 1),
        ([F, P], [], 0, 0),
    ],
)
def test_what_says_nothing_of_the_product_neither_breaks_nor_mends(
    silent: Outcome, before: list[Outcome], after: list[Outcome], breakages: int, never: int
) -> None:
    for noise in ([silent], [silent] * 9):
        history = course(*before, *noise, *after)
        assert (len(broken(history)), never_passed_count(history, moment(100))) == (
            breakages,
            never,
        )


@pytest.mark.parametrize("bad", sorted(BAD))
def test_every_bad_outcome_is_a_breakage(bad: Outcome) -> None:
    assert [found.outcome for found in broken(course(P, bad))] == [bad]


@pytest.mark.parametrize(
    ("outcomes", "flaky"),
    [
        ([P, F, P], False),
        ([P, F, P, F], True),
        ([P, F, P, F, F, F, F, F], True),
        ([P, F, P, F, F, F, F, F, F], False),
        ([P, "skipped", F, "skipped", P, "skipped", F], True),
        ([P, "skipped", P, "infrastructure-error", P, "skipped", P], False),
    ],
)
def test_a_test_is_flaky_that_turns_three_times(outcomes: list[Outcome], flaky: bool) -> None:  # noqa: FBT001 - a case
    assert is_flaky(state_of(course(*outcomes))) is flaky


def test_one_turn_on_the_same_code_makes_a_test_flaky() -> None:
    same = {"environment": {"torch": "2.0"}}
    history = history_of(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same))
    assert is_flaky(state_of(history))
    days: list[Outcomes] = [{"model": P}] * 10
    later = (made_up(day, tests) for day, tests in enumerate(days, 2))
    history = history_of(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same), *later)
    assert not is_flaky(state_of(history)), "it is long ago"

from __future__ import annotations

import datetime as dt
from typing import get_args

import pytest

from accelerator_portal.reports.outcomes import BAD, GOOD, Outcome
from accelerator_portal.reports.report import Environment
from accelerator_portal.results.breakages import (
    Breakage,
    EnvironmentDifference,
    HistoryClass,
    classify_test,
    environment_differences,
    never_passed_count,
    open_breakages,
    verdict_change_count,
)
from accelerator_portal.results.history_state import State
from tests.results.made_up import START, Outcomes, course, folded, made_up, standing

P: Outcome = "passed"
F: Outcome = "failed"
DEADLINE = dt.timedelta(hours=72)


def moment(days: float) -> dt.datetime:
    return START + dt.timedelta(days=days)


def broken(state: State, day: float = 100) -> tuple[Breakage, ...]:
    return open_breakages(state, moment(day), DEADLINE)


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
        [P, "infrastructure-error"],
        [P, "test-broken", "skipped", "not-run", "executed"],
        [P, None],
    ],
)
def test_what_does_not_fail_is_not_broken(outcomes: list[Outcome | None]) -> None:
    state = course(*outcomes)
    assert broken(state) == ()
    assert never_passed_count(state, moment(100)) == 0


def test_a_test_that_never_passed_is_told_apart() -> None:
    state = course("skipped", F, "wrong-result", "infrastructure-error")
    assert broken(state) == ()
    assert never_passed_count(state, moment(5)) == 1
    assert never_passed_count(state, moment(0)) == 0


def test_noise_neither_opens_nor_closes_a_breakage() -> None:
    (found,) = broken(course(P, "infrastructure-error", F, "infrastructure-error", "skipped"))
    assert found.last_good.started == moment(0)
    assert found.first_bad.started == moment(2)
    assert found.outcome == "failed"


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
    state, _ = folded(*(made_up(day, tests) for day, tests in enumerate(days)))
    assert [found.key for found in broken(state)] == ["models/c", "models/a", "models/b"]


def test_baselines_never_open_a_breakage() -> None:
    days: list[dict[str, Outcome]] = [{"a": P, "b": F}, {"a": F, "b": F}]
    state, _ = folded(*(made_up(d, tests, kind="baseline") for d, tests in enumerate(days)))
    assert broken(state) == ()
    assert never_passed_count(state, moment(100)) == 0


def test_environments_differ_by_statement_and_package() -> None:
    before = Environment.model_validate(
        {
            "torch": "2.10.0",
            "plugin": {"name": "torch-example", "version": "1.0", "commit": "0000001"},
            "driver": "5",
            "hardware_count": 1,
            "packages": {"numpy": "2.0", "pillow": "11", "same": "1"},
        }
    )
    after = Environment.model_validate(
        {
            "torch": "2.10.0",
            "plugin": {"name": "torch-example", "version": "1.0", "commit": "0000002"},
            "sdk": {"name": "Example SDK"},
            "hardware_count": 2,
            "packages": {"same": "1", "attrs": "26", "numpy": "2.1"},
        }
    )
    assert environment_differences(before, after) == (
        EnvironmentDifference("plugin.commit", "0000001", "0000002"),
        EnvironmentDifference("sdk.name", None, "Example SDK"),
        EnvironmentDifference("driver", "5", None),
        EnvironmentDifference("hardware_count", "1", "2"),
        EnvironmentDifference("packages.attrs", None, "26"),
        EnvironmentDifference("packages.numpy", "2.0", "2.1"),
        EnvironmentDifference("packages.pillow", "11", None),
    )
    assert environment_differences(before, before) == ()


SILENT: frozenset[Outcome] = frozenset(get_args(Outcome)) - GOOD - BAD


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([P], "new"),
        ([F], "new"),
        ([P, P], "unchanged"),
        ([P, F], "regressed"),
        ([P, F, F], "still failing"),
        ([P, F, P], "fixed"),
        ([P, F, P, P], "unchanged"),
        ([F, F], "never passed"),
        ([F, P], "fixed"),
        ([F, F, "crashed"], "never passed"),
        ([P, F, "crashed"], "still failing"),
        ([P, None], "gone"),
        ([F, None], "gone"),
        ([P, None, None], "gone"),
        ([P, None, P], "unchanged"),
        ([P, None, F], "regressed"),
        ([P, F, None, F], "still failing"),
        ([P, F, P, F], "flaky"),
        ([P, F, P, F, F, F, F, F], "flaky"),
        ([P, F, P, F, F, F, F, F, F], "still failing"),
        ([P, F, P, F, P, P, P, P, P, P], "unchanged"),
        ([P, F, P, F, None], "gone"),
    ],
)
def test_one_word_says_how_a_test_stands(
    outcomes: list[Outcome | None], expected: HistoryClass
) -> None:
    assert classify_test(standing(course(*outcomes)), "runs") == expected


@pytest.mark.parametrize("silent", sorted(SILENT))
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([P, P], [], "unchanged"),
        ([P, P], [F], "regressed"),
        ([P, F], [], "still failing"),
        ([P, F], [F], "still failing"),
        ([P, F], [P], "fixed"),
        ([F, F], [], "never passed"),
        ([F, P], [], "unchanged"),
        ([P], [P], "unchanged"),
    ],
)
def test_what_says_nothing_of_the_product_neither_breaks_nor_mends(
    silent: Outcome, before: list[Outcome], after: list[Outcome], expected: HistoryClass
) -> None:
    for noise in ([silent], [silent] * 9):
        assert classify_test(standing(course(*before, *noise, *after)), "runs") == expected


@pytest.mark.parametrize("bad", sorted(BAD))
def test_every_bad_outcome_is_a_regression(bad: Outcome) -> None:
    assert classify_test(standing(course(P, bad)), "runs") == "regressed"


def test_a_test_that_was_never_judged_is_unchanged() -> None:
    assert classify_test(standing(course("skipped", "executed")), "runs") == "unchanged"


def test_noise_between_verdicts_is_no_flip() -> None:
    assert verdict_change_count(standing(course(P, F, P, F))) == 3
    assert verdict_change_count(standing(course(P, "skipped", P, "infrastructure-error", P))) == 0
    assert verdict_change_count(standing(course(P, "skipped", F, "skipped", P, "skipped", F))) == 3


def test_one_turn_on_the_same_code_makes_a_test_flaky() -> None:
    same = {"environment": {"torch": "2.0"}}
    state, _ = folded(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same))
    assert classify_test(standing(state), "runs") == "flaky"
    days: list[Outcomes] = [{"model": P}] * 10
    later = (made_up(day, tests) for day, tests in enumerate(days, 2))
    state, _ = folded(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same), *later)
    assert classify_test(standing(state), "runs") == "unchanged", "it is long ago"


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([P], "new"),
        ([P, F], "expectation changed"),
        ([F, P], "expectation changed"),
        ([P, F, P, F], "expectation changed"),
        ([P, F, F], "unchanged"),
        ([F, F], "unchanged"),
    ],
)
def test_a_baseline_neither_breaks_nor_mends(
    outcomes: list[Outcome], expected: HistoryClass
) -> None:
    reports = (made_up(day, {"model": o}, kind="baseline") for day, o in enumerate(outcomes))
    state, _ = folded(*reports)
    assert classify_test(standing(state), "baselines") == expected

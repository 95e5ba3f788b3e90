from __future__ import annotations

from typing import get_args

import pytest

from accelerator_portal.reports.outcomes import BAD, GOOD, Outcome
from accelerator_portal.results.breakages import Class, classes, classify, flips
from tests.results.made_up import Outcomes, course, folded, made_up, standing

P: Outcome = "passed"
F: Outcome = "failed"
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
def test_one_word_says_how_a_test_stands(outcomes: list[Outcome | None], expected: Class) -> None:
    assert classify(standing(course(*outcomes)), "runs") == expected


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
    silent: Outcome, before: list[Outcome], after: list[Outcome], expected: Class
) -> None:
    for noise in ([silent], [silent] * 9):
        assert classify(standing(course(*before, *noise, *after)), "runs") == expected


@pytest.mark.parametrize("bad", sorted(BAD))
def test_every_bad_outcome_is_a_regression(bad: Outcome) -> None:
    assert classify(standing(course(P, bad)), "runs") == "regressed"


def test_a_test_that_was_never_judged_is_unchanged() -> None:
    assert classify(standing(course("skipped", "executed")), "runs") == "unchanged"


def test_noise_between_verdicts_is_no_flip() -> None:
    assert flips(standing(course(P, F, P, F))) == 3
    assert flips(standing(course(P, "skipped", P, "infrastructure-error", P))) == 0
    assert flips(standing(course(P, "skipped", F, "skipped", P, "skipped", F))) == 3


def test_one_turn_on_the_same_code_makes_a_test_flaky() -> None:
    same = {"environment": {"torch": "2.0"}}
    state, _ = folded(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same))
    assert classify(standing(state), "runs") == "flaky"
    days: list[Outcomes] = [{"model": P}] * 10
    later = (made_up(day, tests) for day, tests in enumerate(days, 2))
    state, _ = folded(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same), *later)
    assert classify(standing(state), "runs") == "unchanged", "it is long ago"


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
def test_a_baseline_neither_breaks_nor_mends(outcomes: list[Outcome], expected: Class) -> None:
    reports = (made_up(day, {"model": o}, kind="baseline") for day, o in enumerate(outcomes))
    state, _ = folded(*reports)
    assert list(classes(state)) == [("models/model", expected)]


def test_every_test_of_a_state_has_a_word() -> None:
    state = course(P, F)
    assert list(classes(state)) == [("models/model", "regressed"), ("models/steady", "unchanged")]

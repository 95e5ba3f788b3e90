from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.reports.report import Environment
from accelerator_portal.results.breakages import (
    Breakage,
    EnvironmentDifference,
    differences,
    never_passed,
    open_breakages,
)
from accelerator_portal.results.standing import State
from tests.results.made_up import START, course, folded, made_up

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
    assert found.last_seen.started == moment(3)
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
    assert never_passed(state, moment(100)) == ()


def test_a_test_that_never_passed_is_told_apart() -> None:
    state = course("skipped", F, "wrong-result", "infrastructure-error")
    assert broken(state) == ()
    (found,) = never_passed(state, moment(5))
    assert (found.key, found.outcome) == ("models/model", "wrong-result")
    assert found.first_bad.started == moment(1)
    assert found.age == dt.timedelta(days=4)
    assert never_passed(state, moment(0)) == ()


def test_noise_neither_opens_nor_closes_a_breakage() -> None:
    (found,) = broken(course(P, "infrastructure-error", F, "infrastructure-error", "skipped"))
    assert found.last_good.started == moment(0)
    assert found.first_bad.started == moment(2)
    assert found.outcome == "failed"


def test_a_breakage_that_is_no_longer_reported_stays_open_and_says_so() -> None:
    (found,) = broken(course(P, F, None, None))
    assert found.gone is not None
    assert found.gone.started == moment(2)
    assert found.last_seen.started == moment(1)


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
    assert never_passed(state, moment(100)) == ()


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
    assert differences(before, after) == (
        EnvironmentDifference("plugin.commit", "0000001", "0000002"),
        EnvironmentDifference("sdk.name", None, "Example SDK"),
        EnvironmentDifference("driver", "5", None),
        EnvironmentDifference("hardware_count", "1", "2"),
        EnvironmentDifference("packages.attrs", None, "26"),
        EnvironmentDifference("packages.numpy", "2.0", "2.1"),
        EnvironmentDifference("packages.pillow", "11", None),
    )
    assert differences(before, before) == ()

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.history import OutcomeChange, changes_by_report, fold_report
from accelerator_portal.results.history_state import State, StoredTestState
from accelerator_portal.results.state_file import read_state, state_text, write_state
from accelerator_portal.results.stored_history import read_history, state_path
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.report import Report
from tests.portal.results.made_up import (
    HISTORIES,
    START,
    Outcomes,
    course,
    folded,
    made_up,
    standing,
)

P: Outcome = "passed"
F: Outcome = "failed"


def said(changes: Sequence[OutcomeChange]) -> list[tuple[str, str]]:
    return [(change.key.removeprefix("models/"), change.kind) for change in changes]


def refused(state: State, report: Report) -> str:
    with pytest.raises(ProblemsError) as found:
        fold_report(state, report, Path("2026-03-01.json"))
    return str(found.value)


def test_the_first_report_is_all_new() -> None:
    state, changes = folded(made_up(0, {"b": ("failed", "compile"), "a": P}))
    assert [change[2:] for change in changes] == [
        ("models/a", "new", "passed", None, None, None),
        ("models/b", "new", "failed", "compile", None, None),
    ]
    assert {change.started for change in changes} == {START}
    assert {change.report for change in changes} == set(state.reports)


def test_only_what_changes_is_a_change() -> None:
    _, changes = folded(
        made_up(0, {"a": P, "b": ("failed", "compile"), "c": P}),
        made_up(1, {"a": P, "b": ("failed", "run"), "c": "executed"}),
        made_up(2, {"a": P, "b": P, "c": F}),
        made_up(3, {"a": P, "b": P, "c": F}),
    )
    assert [change[2:] for change in changes[3:]] == [
        ("models/b", "changed", "failed", "run", "failed", "compile"),
        ("models/c", "changed", "executed", None, "passed", None),
        ("models/b", "fixed", "passed", None, "failed", "run"),
        ("models/c", "regressed", "failed", None, "executed", None),
    ]


@pytest.mark.parametrize(
    ("last", "kind"),
    [(F, "regressed"), (P, "changed")],
    ids=["a failure after infrastructure is a regression", "a pass after infrastructure is no fix"],
)
def test_infrastructure_hides_no_regression_and_makes_no_fix(last: Outcome, kind: str) -> None:
    days: list[Outcome] = [P, "infrastructure-error", "test-broken", last]
    _, changes = folded(*(made_up(day, {"a": outcome}) for day, outcome in enumerate(days)))
    assert [change.kind for change in changes] == ["new", "changed", "changed", kind]


def test_a_test_goes_and_returns() -> None:
    state, changes = folded(
        made_up(0, {"a": P, "b": P}),
        made_up(1, {"b": P}),
        made_up(2, {"b": P}),
        made_up(3, {"a": P, "b": P}),
    )
    assert [change[2:] for change in changes[2:]] == [
        ("models/a", "gone", None, None, "passed", None),
        ("models/a", "returned", "passed", None, "passed", None),
    ]
    back = standing(state, "a")
    assert back.gone is None
    assert back.first_seen.started == START
    assert back.since == back.last_seen == back.last_good
    assert back.good == 2


def test_a_test_that_returns_broken_has_regressed() -> None:
    _, changes = folded(
        made_up(0, {"a": P, "b": P}), made_up(1, {"b": P}), made_up(2, {"a": F, "b": P})
    )
    assert said(changes[2:]) == [("a", "gone"), ("a", "regressed")]


@pytest.mark.parametrize(
    ("later", "gone"),
    [
        (made_up(1, {"b": P}), ["a"]),
        (made_up(1, {"other?mode=training": P}), []),
        (made_up(1, {}), []),
        (made_up(1, {"b": P}, trigger={"kind": "pull-request"}), []),
        (made_up(1, {"b": P}, trigger={"kind": "manual"}), []),
        (made_up(1, {"b": P}, suites=[{"name": "models", "kind": "model", "planned": 2}]), []),
        (made_up(1, {"b": P}, suites=[{"name": "models", "kind": "model", "planned": 1}]), ["a"]),
    ],
)
def test_only_a_whole_report_of_the_same_settings_makes_a_test_gone(
    later: Report, gone: list[str]
) -> None:
    _, changes = folded(made_up(0, {"a": P, "b": P}), later)
    assert [name for name, kind in said(changes) if kind == "gone"] == gone


def test_a_test_of_a_vendors_own_suite_goes_as_well() -> None:
    suite = {"suites": [{"name": "acme/kernels", "kind": "operator"}]}
    tests = [{"suite": "acme/kernels", "name": name, "outcome": P} for name in ("a", "b")]
    _, changes = folded(
        made_up(0, {}, **suite, tests=tests), made_up(1, {}, **suite, tests=tests[1:])
    )
    assert [change.kind for change in changes] == ["new", "new", "gone"]


def test_a_change_of_a_baseline_is_a_changed_expectation() -> None:
    _, changes = folded(
        made_up(0, {"a": P, "b": F, "c": P}, kind="baseline", trigger={"kind": "manual"}),
        made_up(1, {"a": F, "b": P}, kind="baseline", trigger={"kind": "manual"}),
    )
    assert said(changes[3:]) == [
        ("a", "expectation changed"),
        ("b", "expectation changed"),
        ("c", "gone"),
    ]


def test_the_order_of_tests_in_a_report_says_nothing() -> None:
    one = made_up(0, {"a": P, "b?mode=training": F, "c": F})
    other = made_up(0, {"c": F, "b?mode=training": F, "a": P})
    state, changes = folded(one)
    assert folded(other) == (state, changes)
    assert fold_report(state, other) == (state, ())


def test_a_report_that_only_explains_more_is_the_same() -> None:
    report = made_up(0, {"a": F})
    state, _ = folded(report)
    explained = report.model_copy(
        update={
            "tests": (report.tests[0].model_copy(update={"reason": "no such operator"}),),
            "note": "corrected",
        }
    )
    assert fold_report(state, explained) == (state, ())


ONE = made_up(0, {"a": P})
RUNS, BASELINES = State("example", "runs"), State("example", "baselines")
REFUSED: dict[str, tuple[State, Report, str]] = {
    "an older report": (
        folded(made_up(3, {"a": P}))[0],
        made_up(1, {"a": P}),
        (
            "the report started 2026-03-02 02:00:00 UTC, before the latest report "
            "(2026-03-04 02:00:00 UTC); remove the report, or rebuild the history from all "
            "reports"
        ),
    ),
    "two verdicts of one moment": (
        folded(ONE)[0],
        made_up(0, {"a": F}),
        (
            'another report of 2026-03-01 02:00:00 UTC already has tests of "models"; remove one of '
            "the two or merge them; then rebuild the history from all reports"
        ),
    ),
    "another platform": (
        RUNS,
        made_up(0, {"a": P}, accelerator="another"),
        'the report is about "another", not "example"; add it to that platform\'s history',
    ),
    "a baseline among runs": (
        RUNS,
        made_up(0, {"a": P}, kind="baseline"),
        (
            "a report of kind baseline cannot be added to a history of runs; keep runs and baselines "
            "in two histories"
        ),
    ),
    "a run among baselines": (
        BASELINES,
        ONE,
        (
            "a report of kind self-reported cannot be added to a history of baselines; keep runs and "
            "baselines in two histories"
        ),
    ),
    "a report without a time": (
        RUNS,
        made_up(0, {"a": P}, started=None),
        "the report has no start time; add started",
    ),
    "a test twice": (
        RUNS,
        ONE.model_copy(update={"tests": ONE.tests * 2}),
        '"models/a" is listed twice in the report; remove one, or add what differs',
    ),
    "two tests thrice": (
        RUNS,
        ONE.model_copy(update={"tests": made_up(0, {"b": P, "a": P}).tests * 3}),
        '"models/a" is listed twice in the report (and 1 more test); remove one, or add what differs',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_place_in_a_history_is_refused(case: str) -> None:
    state, report, message = REFUSED[case]
    assert refused(state, report) == f"2026-03-01.json:1: {message}"


def test_two_reports_of_one_moment_may_share_out_the_work() -> None:
    one, other = made_up(0, {"a": P}), made_up(0, {"a?mode=training": F})
    forward, changes = folded(one, other)
    backward, other_changes = folded(other, one)
    assert state_text(forward) == state_text(backward)
    assert sorted(changes) == sorted(other_changes)


def test_a_refused_report_leaves_the_state_as_it_was() -> None:
    state, _ = folded(made_up(0, {"a": P}))
    before = state_text(state)
    refused(state, made_up(0, {"a": F, "a?mode=training": P}))
    fold_report(state, made_up(1, {"a": F}))
    assert state_text(state) == before


def test_only_the_last_thirty_verdicts_are_remembered() -> None:
    assert standing(course(P, F, *[P] * 20, "skipped", *[P] * 8, F)).recent == f"-{'+' * 28}-"


def test_a_turn_on_the_same_code_is_marked() -> None:
    def turned(code: dict[str, object], *, commit: str = "a" * 40) -> str:
        trigger = {"kind": "nightly", "repository": "acme/plugin", "commit": "a" * 40}
        same: dict[str, object] = {"environment": {"torch": "2.0"}, "trigger": trigger}
        last: dict[str, object] = {"environment": code, "trigger": trigger | {"commit": commit}}
        first = made_up(0, {"model": P}, **same)
        state, _ = folded(first, *(made_up(day, {"model": F}, **last) for day in (1, 2)))
        return standing(state).recent

    assert turned({"torch": "2.0"}) == "+=--"
    assert turned({"torch": "2.1"}) == "+--"
    assert turned({"torch": "2.0"}, commit="b" * 40) == "+--"


def test_a_turn_after_a_report_that_says_nothing_is_not_marked() -> None:
    """Of the verdict before the silent report the code is not kept."""
    same = {"environment": {"torch": "2.0"}}
    days: list[Outcomes] = [{"model": P}, {"model": "skipped"}, {"model": F}]
    state, _ = folded(*(made_up(day, tests, **same) for day, tests in enumerate(days)))
    assert standing(state).recent == "+-"


def reports_of(history: Sequence[Outcomes]) -> list[Report]:
    return [made_up(day, outcomes) for day, outcomes in enumerate(history)]


@settings(max_examples=40)  # each writes files for every day
@given(HISTORIES, st.randoms(use_true_random=False))
def test_the_state_kept_day_by_day_is_the_state_folded_from_all_at_once(
    tmp_path_factory: pytest.TempPathFactory, history: list[Outcomes], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("history")
    reports = reports_of(history)
    write_state(folder / "daily.json", State("example", "runs"))
    every: list[OutcomeChange] = []
    for report in reports:
        state, changes = fold_report(read_state(folder / "daily.json"), report)
        every += changes
        write_state(folder / "daily.json", state)

    shuffled = reports + chance.sample(reports, len(reports) // 2)
    chance.shuffle(shuffled)
    fold_reports(folder, [(Path("report.json"), report) for report in shuffled])

    once = state_path(folder, "example", "runs")
    assert (folder / "daily.json").read_bytes() == once.read_bytes()
    assert read_history(folder, "example", "runs").changes == tuple(every)


def plainly(name: str, history: Sequence[Outcomes]) -> tuple[object, ...]:
    """What a state must say of a test, found by looking at all days anew."""
    days = [(day, *outcomes[name]) for day, outcomes in enumerate(history) if name in outcomes]
    good = [day for day, outcome, _ in days if outcome in GOOD]
    bad = [day for day, outcome, _ in days if outcome in BAD and day > max(good, default=-1)]
    letters = ["+" if o in GOOD else "-" for _, o, _ in days if o in GOOD | BAD]
    counts = Counter("+" if o in GOOD else "-" if o in BAD else "" for _, o, _ in days)
    return (
        *days[-1][1:],
        days[0][0],
        days[-1][0],
        good[-1] if good else None,
        bad[0] if bad else None,
        next((o for day, o, _ in reversed(days) if bad and day == bad[-1]), None),
        (counts["+"], counts["-"], counts[""]),
        "".join(letters[-30:]),
    )


def shown(found: StoredTestState) -> tuple[object, ...]:
    def day(name: str) -> int | None:
        point = getattr(found, name)
        return (point.started - START).days if point else None

    return (
        found.outcome,
        found.stage,
        *map(day, ("first_seen", "last_seen", "last_good", "first_bad")),
        found.failure,
        (found.good, found.bad, found.silent),
        found.recent,
    )


@given(HISTORIES)
def test_a_state_says_what_looking_at_all_reports_says(history: list[Outcomes]) -> None:
    state, _ = folded(*reports_of(history))
    names = {name for outcomes in history for name in outcomes}
    assert {key: shown(found) for key, found in state.tests()} == {
        f"models/{name}": plainly(name, history) for name in names
    }


@given(HISTORIES)
def test_changes_alone_tell_what_each_report_said(history: list[Outcomes]) -> None:
    _, changes = folded(*reports_of(history))
    current: dict[str, object] = {}
    missing: set[str] = set()
    left = list(changes)
    for day, outcomes in enumerate(history):
        while left and (left[0].started - START).days == day:
            change = left.pop(0)
            name = change.key.removeprefix("models/")
            before, after = (change.outcome_before, change.stage_before), change[4:6]
            assert before == current.get(name, (None, None))
            if change.kind == "gone":
                assert name not in missing | outcomes.keys()
                missing.add(name)
            else:
                assert after != before or name in missing
                current[name] = after
                missing.discard(name)
        assert {name: current[name] for name in outcomes} == dict(outcomes)
        assert missing.isdisjoint(outcomes)
    assert not left


def test_the_first_report_of_each_suite_is_counted() -> None:
    every: Outcomes = {"a": "passed", "b": "passed"}
    other = made_up(1, {"c": "passed"})
    tests = tuple(test.model_copy(update={"suite": "units"}) for test in other.tests)
    other = other.model_copy(update={"tests": tests})
    later: Outcomes = {"a": "failed", "b": "passed", "new": "passed"}
    _, changes = folded(made_up(0, every), other, made_up(2, later))
    first, second, third = changes_by_report(changes)
    assert (first.first, first.changes) == ({"models": 2}, ())
    assert (second.first, second.changes) == ({"units": 1}, ())
    assert third.first == {}
    assert [(change.key, change.kind) for change in third.changes] == [
        ("models/a", "regressed"),
        ("models/new", "new"),
    ]

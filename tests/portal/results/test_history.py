"""What a history says is what looking at all reports anew says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_portal.results.history import OutcomeChange, ResultState, changes_by_report
from accelerator_portal.results.report_intake import add_reports
from accelerator_portal.results.result_table import ResultTable, history_with_reports, read_history
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.report import Report
from tests.portal.results.archived import archive
from tests.portal.results.made_up import (
    HISTORIES,
    START,
    Outcomes,
    course,
    history_of,
    made_up,
    state_of,
    stored,
    table_of,
)

P: Outcome = "passed"
F: Outcome = "failed"
MANUAL = {"kind": "manual"}


def kinds(changes: Sequence[OutcomeChange]) -> list[tuple[str, str]]:
    return [(change.key.removeprefix("models/"), change.kind) for change in changes]


def changes_of(*reports: Report) -> tuple[OutcomeChange, ...]:
    return history_of(*reports).changes


def test_the_first_report_is_all_new() -> None:
    history = history_of(made_up(0, {"b": ("failed", "compile"), "a": P}))
    changes = history.changes
    assert [astuple(change)[2:] for change in changes] == [
        ("models/a", "new", "passed", None, None, None),
        ("models/b", "new", "failed", "compile", None, None),
    ]
    assert {change.started for change in changes} == {START}
    assert {change.report for change in changes} == set(history.reports)


def test_only_what_changes_is_a_change() -> None:
    changes = changes_of(
        made_up(0, {"a": P, "b": ("failed", "compile"), "c": P}),
        made_up(1, {"a": P, "b": ("failed", "run"), "c": "executed"}),
        made_up(2, {"a": P, "b": P, "c": F}),
        made_up(3, {"a": P, "b": P, "c": F}),
    )
    assert [astuple(change)[2:] for change in changes[3:]] == [
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
    changes = changes_of(*(made_up(day, {"a": outcome}) for day, outcome in enumerate(days)))
    assert [change.kind for change in changes] == ["new", "changed", "changed", kind]


def test_a_test_goes_and_returns() -> None:
    history = history_of(
        made_up(0, {"a": P, "b": P}),
        made_up(1, {"b": P}),
        made_up(2, {"b": P}),
        made_up(3, {"a": P, "b": P}),
    )
    assert [astuple(change)[2:] for change in history.changes[2:]] == [
        ("models/a", "gone", None, None, "passed", None),
        ("models/a", "returned", "passed", None, "passed", None),
    ]
    back = state_of(history, "a")
    assert back.gone is None
    assert back.first_seen.started == START
    assert back.since == back.last_seen == back.last_good
    assert back.signs == "++"


def test_a_test_that_returns_broken_has_regressed() -> None:
    changes = changes_of(
        made_up(0, {"a": P, "b": P}), made_up(1, {"b": P}), made_up(2, {"a": F, "b": P})
    )
    assert kinds(changes[2:]) == [("a", "gone"), ("a", "regressed")]


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
    changes = changes_of(made_up(0, {"a": P, "b": P}), later)
    assert [name for name, kind in kinds(changes) if kind == "gone"] == gone


def test_a_test_of_a_vendors_own_suite_goes_as_well() -> None:
    suite = {"suites": [{"name": "acme/kernels", "kind": "operator"}]}
    tests = [{"suite": "acme/kernels", "name": name, "outcome": P} for name in ("a", "b")]
    changes = changes_of(
        made_up(0, {}, **suite, tests=tests), made_up(1, {}, **suite, tests=tests[1:])
    )
    assert [change.kind for change in changes] == ["new", "new", "gone"]


def test_a_change_of_a_baseline_is_a_changed_expectation() -> None:
    days: list[Outcomes] = [{"a": P, "b": F, "c": P, "d": P}, {"a": F, "b": P}, {"c": F, "d": P}]
    changes = changes_of(
        *(made_up(n, tests, kind="baseline", trigger=MANUAL) for n, tests in enumerate(days))
    )
    assert kinds(changes[4:]) == [
        ("a", "expectation changed"),
        ("b", "expectation changed"),
        ("c", "gone"),
        ("d", "gone"),
        ("a", "gone"),
        ("b", "gone"),
        ("c", "expectation changed"),
        ("d", "returned"),
    ]


def test_the_order_of_tests_in_a_report_says_nothing() -> None:
    one = made_up(0, {"a": P, "b?mode=training": F, "c": F})
    other = made_up(0, {"c": F, "b?mode=training": F, "a": P})
    assert history_of(other) == history_of(one) == history_of(one, other)


def test_a_report_that_only_explains_more_is_the_same() -> None:
    report = made_up(0, {"a": F})
    test = report.tests[0].model_copy(update={"reason": "no such operator"})
    explained = report.model_copy(update={"tests": (test,), "note": "corrected"})
    assert table_of(report).add(explained, Path()) is None


def test_a_report_without_tests_changes_nothing() -> None:
    assert history_of(made_up(0, {"a": P}), made_up(1, {})) == history_of(made_up(0, {"a": P}))


ONE = made_up(0, {"a": P})
REBUILD = "rebuild the history from all reports"
REFUSED: dict[str, tuple[Report | str, Report, str]] = {
    "an older report": (
        made_up(3, {"a": P}),
        made_up(1, {"a": P}),
        (
            "the report started 2026-03-02 02:00:00 UTC, before the latest report "
            f"(2026-03-04 02:00:00 UTC); remove the report, or {REBUILD}"
        ),
    ),
    "two verdicts of one moment": (
        ONE,
        made_up(0, {"a": F}),
        (
            'another report of 2026-03-01 02:00:00 UTC already has tests of "models"; '
            f"remove one of the two or merge them; then {REBUILD}"
        ),
    ),
    "another platform": (
        "runs",
        made_up(0, {"a": P}, accelerator="another"),
        'the report is about "another", not "example"; add it to that platform\'s history',
    ),
    "a baseline among runs": (
        "runs",
        made_up(0, {"a": P}, kind="baseline"),
        (
            "a report of kind baseline cannot be added to a history of runs; keep runs and baselines "
            "in two histories"
        ),
    ),
    "a run among baselines": (
        "baselines",
        ONE,
        (
            "a report of kind self-reported cannot be added to a history of baselines; keep runs and "
            "baselines in two histories"
        ),
    ),
    "a report without a time": (
        "runs",
        made_up(0, {"a": P}, started=None),
        "the report has no start time; add started",
    ),
    "a test twice": (
        "runs",
        ONE.model_copy(update={"tests": ONE.tests * 2}),
        '"models/a" is listed twice in the report; remove one, or add what differs',
    ),
    "two tests thrice": (
        "runs",
        ONE.model_copy(update={"tests": made_up(0, {"b": P, "a": P}).tests * 3}),
        '"models/a" is listed twice in the report (and 1 more test); remove one, or add what differs',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_place_in_a_history_is_refused_and_changes_nothing(case: str) -> None:
    before, report, message = REFUSED[case]
    if isinstance(before, str):
        table = ResultTable("example", "runs" if before == "runs" else "baselines")
    else:
        table = table_of(before)
    history = table.history()
    with pytest.raises(ProblemsError) as found:
        table.add(report, Path("2026-03-01.json"))
    assert str(found.value) == f"2026-03-01.json:1: {message}"
    assert table.history() == history


def test_two_reports_of_one_moment_may_share_out_the_work() -> None:
    one, other = made_up(0, {"a": P}), made_up(0, {"a?mode=training": F})
    assert history_of(one, other) == history_of(other, one)


def test_only_the_last_thirty_results_are_kept() -> None:
    assert state_of(course(P, F, *[P] * 20, "skipped", *[P] * 8, F)).signs == f"-{'+' * 28}-"


TORCH: dict[str, dict[str, object]] = {
    "environment": {"torch": "2.0", "packages": {"numpy": "2.0"}}
}
COMMIT = {"trigger": {"kind": "nightly", "repository": "acme/plugin", "commit": "a" * 40}}


@pytest.mark.parametrize(
    ("code", "signs"),
    [
        (TORCH | COMMIT, "+=--"),
        ({"environment": {"torch": "2.1"}} | COMMIT, "+--"),
        ({"environment": {"torch": "2.0", "packages": {"numpy": "2.1"}}} | COMMIT, "+--"),
        (TORCH | {"trigger": {"kind": "nightly", "commit": "b" * 40}}, "+--"),
    ],
)
def test_a_turn_on_the_same_code_is_marked(
    code: dict[str, object], signs: str, tmp_path: Path
) -> None:
    """The code is the whole environment, of which the archive keeps what has no column, too."""
    first = made_up(0, {"model": P}, **(TORCH | COMMIT))
    reports = [first, *(made_up(day, {"model": F}, **code) for day in (1, 2))]
    archive(tmp_path, *reports)
    assert state_of(read_history(tmp_path, "example", "runs")).signs == signs


@pytest.mark.parametrize(
    ("changed", "signs"), [({"environment": {"torch": "2.0"}}, "+-"), ({"environment": {}}, "+-")]
)
def test_a_turn_after_a_silent_report_or_on_unknown_code_is_not_marked(
    changed: dict[str, object], signs: str
) -> None:
    outcomes: list[Outcome] = [P, "skipped", F] if changed["environment"] else [P, F]
    days = (made_up(day, {"model": o}, **changed) for day, o in enumerate(outcomes))
    assert state_of(history_of(*days)).signs == signs


def test_a_turn_of_a_test_that_was_gone_is_marked_too() -> None:
    other: dict[str, dict[str, object]] = {"environment": {"torch": "2.1"}}
    days: list[tuple[Outcomes, dict[str, dict[str, object]]]] = [
        ({"model": P, "b": P}, TORCH),
        ({"b": P}, other),
        ({"model": F, "b": P}, TORCH),
    ]
    history = history_of(*(made_up(n, tests, **code) for n, (tests, code) in enumerate(days)))
    assert state_of(history).signs == "+=-"


def reports_of(days: Sequence[Outcomes]) -> list[Report]:
    return [made_up(day, outcomes) for day, outcomes in enumerate(days)]


@settings(max_examples=20)  # each writes files for every day
@given(HISTORIES, st.randoms(use_true_random=False))
def test_reports_archived_in_any_order_and_number_give_the_same_history(
    tmp_path_factory: pytest.TempPathFactory, days: list[Outcomes], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("history")
    reports = reports_of(days)
    for report in reports[: len(reports) // 2]:
        archive(folder, report)
    shuffled = reports + chance.sample(reports, len(reports) // 2)
    chance.shuffle(shuffled)
    add_reports(folder, [(Path("report.json"), report) for report in shuffled])
    again = [(Path("report.json"), report) for report in reports]
    assert all(history.new == 0 for history in add_reports(folder, again).histories)
    assert read_history(folder, "example", "runs") == history_of(*reports)


def test_newer_reports_come_on_top_and_older_ones_are_named(tmp_path: Path) -> None:
    first, second = made_up(1, {"a": P}), made_up(2, {"a": F})
    expected = made_up(2, {"a": P}, kind="baseline", trigger=MANUAL)
    older, undated = made_up(0, {"a": P}), made_up(0, {"a": P}, started=None)
    archive(tmp_path, first)
    before = read_history(tmp_path, "example", "runs")
    names = {"2": second, "1": first, "older": older, "undated": undated, "baseline": expected}
    reports = [stored(name, report) for name, report in names.items()]
    found = history_with_reports(tmp_path, "example", "runs", reports)
    assert [change.kind for change in found.changes] == ["new", "regressed"]
    (problem,) = found.left_out
    assert str(problem).startswith(
        "accelerators/example/results/older.json:1: the report started 2026-03-01 02:00:00 UTC, "
    )
    assert read_history(tmp_path, "example", "runs") == before, "nothing is written"


def plainly(name: str, history: Sequence[Outcomes]) -> tuple[object, ...]:
    """What a history must say of a test, found by looking at all days anew."""
    days = [(day, *outcomes[name]) for day, outcomes in enumerate(history) if name in outcomes]
    good = [day for day, outcome, _ in days if outcome in GOOD]
    bad = [day for day, outcome, _ in days if outcome in BAD and day > max(good, default=-1)]
    signs = ["+" if o in GOOD else "-" for _, o, _ in days if o in GOOD | BAD]
    return (
        days[0][0],
        days[-1][0],
        good[-1] if good else None,
        bad[0] if bad else None,
        next((o for day, o, _ in reversed(days) if bad and day == bad[-1]), None),
        "".join(signs[-30:]),
    )


def shown(found: ResultState) -> tuple[object, ...]:
    points = (found.first_seen, found.last_seen, found.last_good, found.first_bad)
    days = ((point.started - START).days if point else None for point in points)
    return *days, found.failure, found.signs


@given(HISTORIES)
def test_a_history_says_what_looking_at_all_reports_says(days: list[Outcomes]) -> None:
    history = history_of(*reports_of(days))
    names = {name for outcomes in days for name in outcomes}
    assert {key: shown(found) for key, found in history.tests.items()} == {
        f"models/{name}": plainly(name, days) for name in names
    }
    last = {"models": -1, "models?mode=training": -1}
    for day, outcomes in enumerate(days):
        for name in outcomes:
            last[f"models{name[name.find('?') :]}" if "?mode" in name else "models"] = day
    found = {group: (point.started - START).days for group, point in history.last_by_group.items()}
    assert found == {group: day for group, day in last.items() if day >= 0}


@given(HISTORIES)
def test_changes_alone_tell_what_each_report_said(days: list[Outcomes]) -> None:
    history = history_of(*reports_of(days))
    current: dict[str, object] = {}
    since: dict[str, int] = {}
    missing: dict[str, int] = {}
    left = list(history.changes)
    for day, outcomes in enumerate(days):
        while left and (left[0].started - START).days == day:
            change = left.pop(0)
            name = change.key.removeprefix("models/")
            before, after = (change.outcome_before, change.stage_before), astuple(change)[4:6]
            assert before == current.get(name, (None, None))
            if change.kind == "gone":
                assert name not in missing.keys() | outcomes.keys()
                missing[name] = day
            else:
                assert after != before or name in missing
                current[name], since[name] = after, day
                missing.pop(name, None)
        assert {name: current[name] for name in outcomes} == dict(outcomes)
        assert missing.keys().isdisjoint(outcomes)
    assert not left
    for key, state in history.tests.items():
        name = key.removeprefix("models/")
        assert (state.since.started - START).days == since[name]
        assert (state.gone and (state.gone.started - START).days) == missing.get(name)


def test_the_first_report_of_each_suite_is_counted() -> None:
    every: Outcomes = {"a": "passed", "b": "passed"}
    other = made_up(1, {"c": "passed"})
    tests = tuple(test.model_copy(update={"suite": "units"}) for test in other.tests)
    other = other.model_copy(update={"tests": tests})
    later: Outcomes = {"a": "failed", "b": "passed", "new": "passed"}
    changes = changes_of(made_up(0, every), other, made_up(2, later))
    first, second, third = changes_by_report(changes)
    assert (first.first, first.changes) == ({"models": 2}, ())
    assert (second.first, second.changes) == ({"units": 1}, ())
    assert third.first == {}
    assert [(change.key, change.kind) for change in third.changes] == [
        ("models/a", "regressed"),
        ("models/new", "new"),
    ]

"""Two reports side by side."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.comparison import (
    DIFFERENCE_TITLES,
    PAIR_NOTES,
    DifferenceKind,
    EnvironmentDifference,
    ReportPair,
    compare_reports,
    difference_kind,
    environment_differences,
    report_pair,
)
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import Environment
from tests.reports.examples import report

F32 = {"dtype": "float32", "mode": "inference"}
ANY = st.sampled_from([None, *OUTCOMES])


def one(name: str, outcome: str = "passed", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"name": name, "outcome": outcome, **more}


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("passed", "passed", None),
        ("passed", "failed", "new-failure"),
        ("passed", "crashed", "new-failure"),
        ("failed", "passed", "fix"),
        ("failed", "crashed", "changed"),
        ("passed", "skipped", "changed"),
        ("not-run", "failed", "changed"),
        ("infrastructure-error", "passed", "changed"),
        (None, "passed", "only-second"),
        ("skipped", None, "only-first"),
    ],
)
def test_two_outcomes_differ_in_one_way(
    first: Outcome | None, second: Outcome | None, kind: DifferenceKind | None
) -> None:
    assert difference_kind(first, second) == kind


@given(first=ANY, second=ANY)
def test_the_other_way_round_the_difference_is_the_mirrored_one(
    first: Outcome | None, second: Outcome | None
) -> None:
    if first is None and second is None:
        return
    mirrored = {
        "new-failure": "fix",
        "fix": "new-failure",
        "only-first": "only-second",
        "only-second": "only-first",
    }
    kind = difference_kind(first, second)
    assert difference_kind(second, first) == (mirrored.get(kind, kind) if kind else None)


def test_differences_stand_in_order_and_the_same_outcome_is_counted() -> None:
    first = report(one("b"), one("a"), one("c", "failed"), one("gone"))
    second = report(one("a", "failed"), one("b"), one("c"), one("come"))
    found = compare_reports(first, second)
    assert [(d.kind, d.test.name, d.first, d.second) for d in found.differences] == [
        ("new-failure", "a", "passed", "failed"),
        ("fix", "c", "failed", "passed"),
        ("only-second", "come", None, "passed"),
        ("only-first", "gone", "passed", None),
    ]
    assert found.unchanged == {"made-up": 1}
    assert found.counts == {
        ("made-up", kind): 1 for kind in ("new-failure", "fix", "only-first", "only-second")
    }
    assert [d.test.name for d in found.of_kind("fix")] == ["c"]


def test_a_suite_that_only_one_has_is_one_line_and_not_many_tests() -> None:
    first = report(one("a"), one("b", suite="other"), one("c", suite="other"))
    found = compare_reports(first, report(one("a")))
    assert found.differences == ()
    assert (found.only_first, found.only_second) == ({"other": 2}, {})


def test_settings_that_only_one_has_are_one_line_too() -> None:
    half = {**F32, "dtype": "float16"}
    first = report(one("a", parameters=F32), one("a", parameters=half))
    found = compare_reports(first, report(one("a", parameters=F32), one("b", parameters=F32)))
    assert found.only_first == {"made-up (dtype=float16, mode=inference)": 1}
    assert [d.test.name for d in found.differences] == ["b"]


def test_a_parameter_of_a_test_is_not_a_setting() -> None:
    first = report(one("a", parameters={"shapes": "open"}))
    found = compare_reports(first, report(one("a", parameters={"shapes": 2})))
    assert [d.kind for d in found.differences] == ["only-second", "only-first"]


def test_numbers_and_truth_values_are_as_their_texts() -> None:
    first = report(one("a", parameters={"size": 8.0, "open": True}))
    second = report(one("a", parameters={"size": "8", "open": "true"}))
    assert compare_reports(first, second).unchanged == {"made-up": 1}


def test_of_two_results_of_one_test_the_first_counts() -> None:
    twice = report(one("a"), one("a", "failed"))
    assert compare_reports(report(one("a")), twice).differences == ()


@pytest.mark.parametrize(
    ("first", "second", "pair"),
    [
        ({}, {}, "runs"),
        ({}, {"accelerator": "other"}, "platforms"),
        ({"kind": "baseline"}, {}, "from-baseline"),
        ({}, {"kind": "baseline", "accelerator": "other"}, "to-baseline"),
        ({"kind": "baseline"}, {"kind": "baseline"}, "baselines"),
    ],
)
def test_the_words_depend_on_what_the_reports_are(
    first: dict[str, Any], second: dict[str, Any], pair: ReportPair
) -> None:
    assert report_pair(report(**first), report(**second)) == pair
    assert ("baseline" in PAIR_NOTES[pair]) == ("baseline" in pair)


def test_every_difference_has_words_for_every_pair() -> None:
    assert set(DIFFERENCE_TITLES) == set(get_args(DifferenceKind))
    for words in DIFFERENCE_TITLES.values():
        assert set(words) == set(get_args(ReportPair))
        assert "New failures" not in {words[pair] for pair in words if pair != "runs"}


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

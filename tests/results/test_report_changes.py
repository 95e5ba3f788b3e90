"""What the first report of a suite brought is one piece of news, not one for each test."""

from __future__ import annotations

from accelerator_portal.results.report_comparison import by_report
from tests.results.made_up import Outcomes, folded, made_up

ALL: Outcomes = {"a": "passed", "b": "passed"}


def test_the_first_report_of_each_suite_is_counted() -> None:
    other = made_up(1, {"c": "passed"})
    tests = tuple(test.model_copy(update={"suite": "units"}) for test in other.tests)
    other = other.model_copy(update={"tests": tests})
    later: Outcomes = {"a": "failed", "b": "passed", "new": "passed"}
    _, changes = folded(made_up(0, ALL), other, made_up(2, later))
    first, second, third = by_report(changes)
    assert (first.first, first.changes) == ({"models": 2}, ())
    assert (second.first, second.changes) == ({"units": 1}, ())
    assert third.first == {}
    assert [(change.key, change.kind) for change in third.changes] == [
        ("models/a", "regressed"),
        ("models/new", "new"),
    ]

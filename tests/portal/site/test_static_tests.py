"""What stands on a static page when not all of a suite does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from accelerator_portal.results.history import HistoryPoint
from accelerator_portal.site.results.history_view import ChangedReport, ResultChange
from accelerator_portal.site.results.suite_tests import (
    MOST_RESULTS,
    ReportedTest,
    TestView,
    failing_count,
    static_tests,
)
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Environment, TestEntry, Trigger

START = dt.datetime(2026, 3, 1, tzinfo=dt.timezone.utc)


def view(name: str, outcome: Outcome, changed: int | None = None, results: int = 2) -> TestView:
    """A test that changed on a day, if it ever did."""
    test = TestEntry(suite="models", name=name, outcome=outcome)
    one = ReportedTest("run", "acme", "self-reported", "", "", "", test)
    changes: tuple[tuple[ChangedReport, ResultChange], ...] = ()
    if changed is not None:
        at = START + dt.timedelta(days=changed)
        trigger = Trigger(kind="nightly")
        point = HistoryPoint(f"day-{changed}", at, "self-reported", trigger, Environment())
        step = ResultChange("models", name, "changed", None, outcome, "", 1)
        changes = ((ChangedReport("acme", "runs", point, (step,), {}), step),)
    return TestView(name, name, (one,) * results, (), None, changes)


def names(tests: Sequence[TestView]) -> list[str]:
    return [test.name for test in tests]


def test_only_tests_that_failed_in_a_run_stand_there() -> None:
    tests = [view("a", "failed"), view("b", "passed"), view("c", "skipped"), view("d", "crashed")]
    assert names(static_tests(tests)) == ["a", "d"]
    assert failing_count(tests) == 2
    expected = replace(tests[0].results[0], kind="baseline")
    assert static_tests([replace(tests[0], results=(expected,))]) == []
    both = replace(tests[0], results=(expected, *tests[0].results))
    assert both.failures == tests[0].results


def test_the_newest_failures_are_kept_in_the_order_of_names() -> None:
    many = [view(f"t{n:03}", "failed", changed=n % 7) for n in range(MOST_RESULTS)]
    tests = [view("a", "passed"), *many, view("y", "crashed", changed=9), view("z", "passed")]
    kept = static_tests(tests)
    assert sum(len(test.failures) for test in kept) == MOST_RESULTS
    assert names(kept)[-1] == "y"
    assert names(kept) == sorted(names(kept))
    assert failing_count(tests) == MOST_RESULTS + 1
    newest = {test.name for test in many if test.changes[0][0].point.id == "day-6"}
    assert newest <= set(names(kept))


def test_a_test_with_more_results_than_a_page_still_stands_there() -> None:
    tests = [view("a", "failed", results=MOST_RESULTS + 1), view("b", "failed")]
    assert names(static_tests(tests)) == ["a"]

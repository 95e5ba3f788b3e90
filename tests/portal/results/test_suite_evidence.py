"""Each suite has evidence of its own: another report of the same day takes nothing away."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.results.stored_reports import StoredReport, _report_id, newest_evidence
from accelerator_reports.known_issues import outdated_issues
from accelerator_reports.outcomes import Outcome
from tests.portal.results.made_up import START, known_failure, made_up, stored


def of_suite(name: str, day: int, suite: str, outcome: Outcome, **changes: object) -> StoredReport:
    report = made_up(day, {"a": outcome}, **changes)
    tests = tuple(test.model_copy(update={"suite": suite}) for test in report.tests)
    return stored(name, report.model_copy(update={"tests": tests}))


def test_two_reports_of_one_day_are_both_evidence_of_their_suites() -> None:
    unit = of_suite("unit", 1, "operators", "failed")
    later = START + dt.timedelta(days=1, hours=6)
    models = of_suite("models", 1, "executorch-models", "passed", started=later)
    found = newest_evidence([models, unit])
    assert [(e.suite, e.stored.id) for e in found] == [
        ("executorch-models", "models"),
        ("operators", "unit"),
    ]
    issue = known_failure(test="operators/a", expires="2027-01-01")
    tests = [test for evidence in found for test in evidence.tests]
    assert list(outdated_issues([issue], tests, START.date())) == [], "it matches the older report"


def test_the_newest_report_of_a_suite_counts() -> None:
    old, new = of_suite("b", 1, "operators", "passed"), of_suite("a", 2, "operators", "failed")
    (found,) = newest_evidence([new, old])
    assert (found.stored.id, found.tests[0].outcome) == ("a", "failed")
    assert found.day == (START + dt.timedelta(days=2)).date()


def test_a_run_counts_more_than_a_newer_baseline() -> None:
    run = of_suite("run", 1, "operators", "passed")
    expected = of_suite("expected", 5, "operators", "passed", kind="baseline")
    (found,) = newest_evidence([expected, run])
    assert found.is_run
    (alone,) = newest_evidence([expected])
    assert not alone.is_run


def test_reports_of_one_moment_always_give_the_same_answer() -> None:
    one, other = of_suite("a", 1, "operators", "passed"), of_suite("b", 1, "operators", "failed")
    assert newest_evidence([one, other]) == newest_evidence([other, one])
    assert newest_evidence([one, other])[0].stored.id == "b"


def test_a_report_without_a_date_is_older_than_any_other() -> None:
    undated = of_suite("z", 1, "operators", "passed", started=None)
    dated = of_suite("a", 1, "operators", "failed")
    assert newest_evidence([undated, dated])[0].stored.id == "a"
    assert newest_evidence([undated])[0].day is None
    assert (undated.day, dated.day) == (None, dt.date(2026, 3, 2))


def test_no_two_reports_have_one_id() -> None:
    assert _report_id("acme", "nightly") == "acme-nightly"
    pairs = [("acme", "x-nightly"), ("acme-x", "nightly"), ("acme", "x"), ("acme-x", "x")]
    assert len({_report_id(*pair) for pair in pairs}) == len(pairs)

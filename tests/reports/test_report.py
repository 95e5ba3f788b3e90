from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from accelerator_reports.report import EARLIEST_TIME, SCHEMA_VERSION, Metric, Report
from tests.reports.examples import TEST, report

LONGEST_ID, LONGEST_SHORT, LONGEST_TEXT = 101, 200, 4000


@pytest.mark.parametrize(
    ("field", "longest"),
    [
        ("suite", LONGEST_ID),
        ("name", LONGEST_SHORT),
        ("raw_status", LONGEST_SHORT),
        ("reason", LONGEST_TEXT),
        ("log_tail", LONGEST_TEXT),
        ("command", LONGEST_TEXT),
    ],
)
def test_a_text_of_a_test_is_not_empty_and_not_too_long(field: str, longest: int) -> None:
    for length in (1, 2, longest):
        (test,) = report({field: "x" * length}).tests
        assert getattr(test, field) == "x" * length
    for length in (0, longest + 1):
        with pytest.raises(ValidationError, match=rf"tests\.0\.{field}\n"):
            report({field: "x" * length})


def test_a_parameter_may_be_empty_and_has_a_longest_text() -> None:
    for length in (0, 400):
        (test,) = report({"parameters": {"shapes": "x" * length}}).tests
        assert test.parameters == {"shapes": "x" * length}
    with pytest.raises(ValidationError, match="at most 400 characters"):
        report({"parameters": {"shapes": "x" * 401}})


@pytest.mark.parametrize(
    ("commit", "good"),
    [("a" * 6, False), ("a" * 7, True), ("a" * 40, True), ("a" * 41, False), ("A" * 7, False)],
)
def test_a_commit_is_a_hash(commit: str, good: bool) -> None:  # noqa: FBT001 - a table
    trigger = {"kind": "manual", "commit": commit}
    if good:
        assert report(trigger=trigger).trigger.commit == commit
        return
    with pytest.raises(ValidationError, match=r"trigger\.commit"):
        report(trigger=trigger)


@pytest.mark.parametrize("field", ["started", "finished"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        *[
            (number, "expected a time with its time zone")
            for number in (0, -1, 1.5, "0", "1767323045")
        ],
        ("0001-01-01T00:00:00Z", "0001-01-01 is before 2016"),
        ("1900-01-01T00:00:00Z", "1900-01-01 is before 2016"),
        ("2015-12-31T23:59:59Z", "2015-12-31 is before 2016"),
    ],
)
def test_no_run_is_older_than_pytorch(field: str, value: object, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        report(**{field: value})
    assert report(started="2016-01-01T00:00:00Z").started == EARLIEST_TIME


@pytest.mark.parametrize("field", ["parameters", "metrics", "evidence"])
def test_a_test_has_so_many_of_each_and_no_more(field: str) -> None:
    limit = {"parameters": 40, "metrics": 200, "evidence": 40}[field]
    assert len(getattr(report({field: _many(field, limit)}).tests[0], field)) == limit
    with pytest.raises(ValidationError, match=rf"tests\.0\.{field}\n"):
        report({field: _many(field, limit + 1)})


def _many(field: str, number: int) -> Any:  # noqa: ANN401 - any JSON
    if field == "evidence":
        return [{"label": "log", "url": f"https://example.org/{n}"} for n in range(number)]
    value = {"value": 1, "unit": "1"} if field == "metrics" else 1
    return {f"x{n}": value for n in range(number)}


def test_the_version_that_is_written_is_the_one_that_is_read() -> None:
    assert report().schema_version == SCHEMA_VERSION
    with pytest.raises(ValidationError, match="schema_version"):
        report(schema_version=SCHEMA_VERSION + 1)


def test_a_report_needs_a_suite_and_may_lack_tests() -> None:
    assert report(tests=[]).tests == ()
    with pytest.raises(ValidationError, match="suites"):
        Report.model_validate({**report().model_dump(), "suites": [], "tests": [TEST]})


@pytest.mark.parametrize("interval", [(1.6, 1.7), (1.2, 1.4), (1.7, 1.2)])
def test_a_value_outside_its_interval_is_a_fault(interval: tuple[float, float]) -> None:
    with pytest.raises(ValidationError, match="the value is outside its interval"):
        Metric(value=1.5, unit="ms", interval=interval, repeats=9)

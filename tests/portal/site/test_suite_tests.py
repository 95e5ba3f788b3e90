from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from accelerator_portal.site.results.suite_tests import ReportedTest
from accelerator_reports.report import TestEntry
from tests.reports.examples import TEST


def result(mode: str = "", since: str | None = None, **test: Any) -> ReportedTest:  # noqa: ANN401 - any field
    entry = TestEntry.model_validate({**TEST, **test})
    return ReportedTest("run", "example", "made-here", mode, "eager, float32", "x/", entry, since)


@pytest.mark.parametrize(
    ("mode", "settings"), [("", "eager, float32"), ("training", "training, eager, float32")]
)
def test_settings_name_the_mode_where_there_is_one(mode: str, settings: str) -> None:
    assert result(mode).settings == settings


def test_notes_are_what_is_known_of_the_outcome() -> None:
    assert result().notes == ()
    assert result(outcome="failed", reason="no kernel").notes == ("no kernel",)
    found = result(since="at least 2026-01-02", outcome="failed", stage="run", reason="x")
    assert found.notes == ("stage: run", "x")


def test_a_metric_has_its_unit_unless_it_is_a_bare_number() -> None:
    metrics = {
        "max_abs_difference": {"value": 0.5, "unit": "1"},
        "latency": {"value": 2.0, "unit": "ms"},
    }
    assert result(metrics=metrics).metrics == ("max abs difference 0.5", "latency 2 ms")
    assert result(metrics=metrics).measured == {"max abs difference": "0.5", "latency": "2 ms"}


STATED: dict[str, Any] = {"inputs": "x float32[2]", "tolerance": {"rtol": 0.01, "atol": 0.5}}


@pytest.mark.parametrize(
    ("mode", "of_model", "words"),
    [
        ("forward", False, "0.01 of the reference + 0.5"),
        ("inference", True, "0.01 of the reference + 0.5 of its largest number"),
        ("training", True, "0.01 of a gradient's norm"),
    ],
)
def test_the_allowed_difference_says_of_what(mode: str, words: str, *, of_model: bool) -> None:
    assert replace(result(mode, **STATED), of_model=of_model).allowed == words
    assert result(mode).allowed is None


def test_what_a_report_lacks_is_said_and_nothing_else() -> None:
    assert result().lacks == (
        "the inputs, the allowed difference, the address of the run, a command for this test"
    )
    whole = replace(result(**STATED), run_url="https://ci.example/1", command="c")
    assert whole.lacks is None
    assert replace(whole, whole_suite=True).lacks == "a command for this test"
    assert replace(result(), kind="baseline").lacks is None

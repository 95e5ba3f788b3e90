from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.formats.imported_tests import (
    DYNAMO,
    EXECUTORCH,
    StatusMeaning,
    dynamo_meaning,
    executorch_meaning,
)
from accelerator_reports.outcomes import GOOD, Outcome, Stage
from accelerator_reports.report import TestEntry

ALL = {**DYNAMO, **EXECUTORCH}


@pytest.mark.parametrize(
    ("status", "outcome", "stage"),
    [
        ("pass", "passed", "compare"),
        ("pass_due_to_skip", "skipped", None),
        ("fail_accuracy", "wrong-result", "compare"),
        ("fail_batch_invariance_at_4", "wrong-result", "compare"),
        ("fail_to_run", "failed", "run"),
        ("eager_fail_to_run", "failed", "eager"),
        ("eager_1st_run_fail", "failed", "eager"),
        ("eager_2nd_run_fail", "failed", "eager"),
        ("eager_two_runs_differ", "executed", "eager"),
        ("model_fail_to_load", "test-broken", "load"),
        ("eager_1st_run_OOM", "out-of-memory", "eager"),
        ("eager_2nd_run_OOM", "out-of-memory", "eager"),
        ("OOM", "out-of-memory", "run"),
        ("timeout", "timed-out", None),
        ("infra_error", "infrastructure-error", None),
        ("not_implemented", "skipped", None),
    ],
)
def test_a_status_of_the_dynamo_benchmarks(
    status: str, outcome: Outcome, stage: Stage | None
) -> None:
    verdict = dynamo_meaning(status)
    assert (verdict.outcome, verdict.stage, verdict.raw_status) == (outcome, stage, status)


def test_only_a_compared_result_is_good() -> None:
    good = [
        status
        for status, verdict in ALL.items()
        if verdict.outcome in GOOD or verdict.stage == "compare"
    ]
    assert good == [
        "pass",
        "fail_accuracy",
        "fail_batch_invariance",
        "SUCCESS",
        "OUTPUT_MISMATCH_FAIL",
    ]


@pytest.mark.parametrize(
    ("status", "verdict"), [verdict for verdict in ALL.items() if verdict[1].outcome == "skipped"]
)
def test_what_is_skipped_has_a_reason(status: str, verdict: StatusMeaning) -> None:
    assert verdict.reason, status


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("made up: it did not work", "failed"),
        ("EX out of memory. Tried to allocate 1.00 MiB", "out-of-memory"),
        ("Unexpected success", "failed"),
        ("PASS", "failed"),
    ],
)
def test_a_text_is_an_error_and_never_a_pass(text: str, outcome: Outcome) -> None:
    assert dynamo_meaning(text) == StatusMeaning(outcome, None, text, None)


def test_an_error_does_not_change_what_was_skipped_or_compared() -> None:
    text = "EX out of memory. Tried to allocate 1.00 MiB"
    assert executorch_meaning("SKIPPED", text).outcome == "skipped"
    assert executorch_meaning("OUTPUT_MISMATCH_FAIL", text).outcome == "wrong-result"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    reason = dynamo_meaning("begin " + "x" * 9000 + " end").reason
    assert reason is not None
    assert len(reason) <= 4000
    assert (reason[:6], reason[-4:]) == ("begin ", " end")


@given(st.text(max_size=300))
def test_whatever_the_status_the_fields_make_a_test(status: str) -> None:
    test = TestEntry.model_validate(
        {"suite": "example", "name": "m", **dynamo_meaning(status).fields()}
    )
    assert test.outcome in get_args(Outcome)
    assert test.raw_status == (status if status in DYNAMO else None)

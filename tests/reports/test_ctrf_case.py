from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.reports.formats.ctrf import status_of
from accelerator_portal.reports.outcomes import OUTCOMES
from tests.reports.ctrf_files import STATUSES, case_fields


@pytest.mark.parametrize(
    ("test", "outcome", "raw"),
    [
        ({"status": "passed"}, "passed", None),
        ({"status": "passed", "rawStatus": "flaky"}, "passed", "flaky"),
        ({"status": "failed", "message": "ValueError"}, "failed", None),
        ({"status": "failed", "trace": "MemoryError"}, "out-of-memory", "failed"),
        ({"status": "failed", "rawStatus": "timedOut"}, "timed-out", "timedOut"),
        ({"status": "failed", "rawStatus": "error"}, "infrastructure-error", "error"),
        ({"status": "failed", "rawStatus": "wrong-result"}, "wrong-result", None),
        ({"status": "passed", "rawStatus": "wrong-result"}, "passed", "wrong-result"),
        ({"status": "skipped"}, "skipped", None),
        ({"status": "pending"}, "not-run", "pending"),
        ({"status": "other", "rawStatus": "xfailed"}, "skipped", "xfailed"),
        ({"status": "other", "rawStatus": "xpassed"}, "passed", "xpassed"),
        (
            {"status": "other", "message": "No space left on device"},
            "infrastructure-error",
            "other",
        ),
        ({"status": "other"}, "executed", "other"),
    ],
)
def test_a_status_says_what_happened(
    tmp_path: Path, test: dict[str, Any], outcome: str, raw: str | None
) -> None:
    found = case_fields(tmp_path, **test)
    assert (found["outcome"], found.get("raw_status")) == (outcome, raw)


def test_what_was_left_out_has_a_reason(tmp_path: Path) -> None:
    nothing = "The file states no reason."
    assert case_fields(tmp_path, status="skipped")["reason"] == nothing
    assert case_fields(tmp_path, status="pending")["reason"] == nothing
    assert case_fields(tmp_path, status="skipped", message="slow")["reason"] == "slow"
    assert "reason" not in case_fields(tmp_path, status="passed")


def test_a_flaky_test_was_tried_again(tmp_path: Path) -> None:
    assert case_fields(tmp_path, status="passed", flaky=True)["metrics"] == {
        "retries": {"value": 1, "unit": "1"}
    }


def test_every_outcome_has_a_status() -> None:
    assert {status_of(outcome) for outcome in OUTCOMES} == set(STATUSES)

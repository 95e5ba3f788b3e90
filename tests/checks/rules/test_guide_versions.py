from __future__ import annotations

import pytest

from tests.folders import COMPATIBILITY, GUIDE, ProblemsAfter

NEEDS = (
    COMPATIBILITY,
    '{torch: "1.10.0", variant: ex2, source',
    '{torch: "1.10.0", variant: ex2, needs: {CANN: "9.1.0", Driver: ">=525"}, source',
)


@pytest.mark.parametrize(
    "text",
    [
        "Install CANN >= 8.0 first.",
        "Install CANN ≥ 8.0.",
        "Install CANN 8.0 or newer.",
        "cann version 8.0+",
        "at least: CANN at least 9.0.9",
        "The Driver >= 400",
    ],
)
def test_a_bound_below_every_row_is_named(text: str, problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(NEEDS, (GUIDE, "This is", f"{text} This is"))
    assert problem.startswith(f"{GUIDE}:11: ")
    assert "is older than compatibility.yaml requires; use " in problem


@pytest.mark.parametrize(
    "text",
    [
        "Install CANN >= 9.1.0 first.",
        "It failed with CANN 8.0.",
        "SCANN >= 8.0",
        "CANN >= two",
        "Driver 525 or newer",
    ],
)
def test_what_rows_need_and_what_only_tells_is_fine(
    text: str, problems_after: ProblemsAfter
) -> None:
    assert problems_after(NEEDS, (GUIDE, "This is", f"{text} This is")) == []

from __future__ import annotations

import datetime as dt

import pytest

from tests.day import TODAY
from tests.folders import ACCELERATOR, FAQ, GUIDE, RELEASES, ProblemsAfter

TOMORROW = TODAY + dt.timedelta(days=1)


@pytest.mark.parametrize("path", [ACCELERATOR, GUIDE, FAQ, RELEASES])
@pytest.mark.parametrize("day", [TOMORROW, dt.date.max])
def test_a_date_after_today_is_refused(
    path: str, day: dt.date, problems_after: ProblemsAfter
) -> None:
    line = 6 if path in {GUIDE, FAQ} else 5
    what = f"the date {day} is in the future (today is {TODAY} in UTC)"
    found = problems_after((path, "read: 2026-01-02", f"read: {day}"))
    assert found == [f"{path}:{line}: {what}; use the date on which you read the source"]


def test_today_is_not_the_future(problems_after: ProblemsAfter) -> None:
    assert problems_after((GUIDE, "read: 2026-01-02", f"read: {TODAY}")) == []

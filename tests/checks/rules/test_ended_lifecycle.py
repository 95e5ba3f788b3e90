from __future__ import annotations

import datetime as dt

from tests.day import TODAY
from tests.folders import COMPATIBILITY, ProblemsAfter

ROW = '{torch: "1.10.0", variant: ex2, source'


def with_end(day: dt.date) -> tuple[str, str, str]:
    cycle = f'{{torch: "1.10.0", variant: ex2, lifecycle: {{status: kept, until: {day}}}, source'
    return COMPATIBILITY, ROW, cycle


def test_what_has_ended_is_named(problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(with_end(dt.date(2026, 1, 2)))
    assert problem == (
        f'{COMPATIBILITY}:7: the newest entry\'s lifecycle "kept" ended on 2026-01-02; '
        "update the lifecycle, or add a newer entry"
    )


def test_the_last_day_is_part_of_it(problems_after: ProblemsAfter) -> None:
    assert problems_after(with_end(TODAY)) == []
    assert len(problems_after(with_end(TODAY - dt.timedelta(days=1)))) == 1


def test_older_rows_may_have_ended(problems_after: ProblemsAfter) -> None:
    ended = "lifecycle: {status: kept, until: 2020-01-01}"
    older = f'  - {{torch: "1.9.1", variant: ex2, {ended}, source: made-up}}\n'
    last = '  - {torch: "1.9.1", variant: ex1'
    assert problems_after((COMPATIBILITY, last, older + last)) == []

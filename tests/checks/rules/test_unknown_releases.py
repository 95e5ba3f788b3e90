from __future__ import annotations

import pytest

from tests.folders import COMPATIBILITY, ProblemsAfter

NEWEST = '  - {torch: "1.10.0", variant: ex2, source: made-up}\n'
LAST = '  - {torch: "1.9.1", variant: ex1, lifecycle: {status: ended}, source: made-up}\n'


def row(version: str) -> str:
    return f'  - {{torch: "{version}", variant: ex2, source: made-up}}\n'


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        (
            row("1.11.0") + NEWEST,
            7,
            '"1.11.0", so this entry has no install command; correct the entry; the newest listed release is 1.10.0',
        ),
        (
            NEWEST + row("1.9.2"),
            8,
            '"1.9.2", so this entry has no install command; did you mean "1.9.1"?',
        ),
    ],
)
def test_a_row_about_a_release_that_is_not_listed_is_named(
    rows: str, line: int, words: str, problems_after: ProblemsAfter
) -> None:
    (found,) = problems_after((COMPATIBILITY, NEWEST, rows))
    assert found.startswith(f"{COMPATIBILITY}:{line}: data/releases.yaml has no release {words}")


def test_rows_older_than_the_list_are_not_looked_at(problems_after: ProblemsAfter) -> None:
    older = '  - {torch: "1.8.0", variant: ex1, source: made-up}\n'
    assert problems_after((COMPATIBILITY, LAST, LAST + older)) == []

from __future__ import annotations

import pytest

from tests.folders import COMPATIBILITY, Edit, ProblemsAfter

ROW = '  - {torch: "1.10.0", variant: ex2, source: made-up}\n'
REMEDY = "merge the entries, or add a note that says which source states which value"


def rows(*more: str) -> Edit:
    return (
        COMPATIBILITY,
        ROW,
        "".join(f'  - {{torch: "1.10.0", {row}, source: made-up}}\n' for row in more),
    )


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (rows("plugin: '2'", "plugin: '3'"), []),
        (rows("variant: ex1", "variant: ex2"), []),
        (rows("plugin: '2'", "plugin: '2'"), "there are two entries for torch 1.10.0, plugin 2"),
        (
            rows("plugin: '2', needs: {SDK: '8'}", "plugin: '2', needs: {SDK: '9'}"),
            ("the entries for torch 1.10.0, plugin 2 contradict each other: needs SDK 8 and 9"),
        ),
        (
            rows("python: ['3.12'], lifecycle: {status: ended}",
                 "python: ['3.13'], lifecycle: {status: kept, until: 2026-05-01}"),
            ("the entries for torch 1.10.0 contradict each other: Python 3.12 and 3.13; "
             "status ended until None and kept until 2026-05-01"),
        ),
        (rows("needs: {SDK: '8'}", "needs: {SDK: '9'}, note: Two documents disagree."), []),
    ],
)  # fmt: skip
def test_rows_that_disagree_say_so_in_a_note(
    edit: Edit, expected: str, problems_after: ProblemsAfter
) -> None:
    found = problems_after(edit)
    assert found == ([f"{COMPATIBILITY}:8: {expected}; {REMEDY}"] if expected else [])

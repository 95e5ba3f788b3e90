"""The record of a grid: what a mark says, which rows and columns are shown, and the legend."""

from __future__ import annotations

import pytest

from accelerator_portal.site.grid import Cell, Grid, GridMark, Head, State, tally
from accelerator_reports.outcomes import Outcome


@pytest.mark.parametrize(
    ("counts", "state", "share", "passed", "checked"),
    [
        ({"passed": 3}, "pass", 1, 3, 3),
        ({"passed": 3, "skipped": 9, "test-broken": 1}, "pass", 1, 3, 3),
        ({"passed": 3, "executed": 9}, "pass", 1, 3, 3),
        ({"passed": 3, "wrong-result": 1}, "part", 0.75, 3, 4),
        ({"failed": 2, "crashed": 1}, "fail", 0, 0, 3),
        ({"failed": 2, "executed": 2}, "part", 0.5, 0, 2),
        ({"executed": 2}, "ran", 1, 0, 0),
        ({"executed": 2, "skipped": 1}, "ran", 1, 0, 0),
        ({"skipped": 2, "not-run": 1}, "skip", 0, 0, 0),
        ({}, "skip", 0, 0, 0),
    ],
)
def test_a_mark_never_says_more_than_was_checked(
    counts: dict[Outcome, int], state: State, share: float, passed: int, checked: int
) -> None:
    found = tally(counts, "run", "train")
    assert found.mark == GridMark(state, "run", share, "train")
    assert (found.passed, found.checked) == (passed, checked)
    assert found.mark.classes == f"mark run {state} train"


def grid(cells: dict[tuple[str, str], Cell], **more: object) -> Grid:
    rows = [Head("a", "A", group="x"), Head("b", "B", group="y"), Head("c", "C", group="y")]
    columns = [Head("one", "One", group="u"), Head("two", "Two", group="u"), Head("three", "3")]
    return Grid("test", "Corner", rows, columns, cells, **more)  # type: ignore[arg-type]


def test_rows_and_columns_without_a_cell_are_listed_apart() -> None:
    made = grid({("a", "one"): Cell(text="1"), ("c", "three"): Cell(text="2")})
    assert [head.id for head in made.rows] == ["a", "c"]
    assert [head.id for head in made.columns] == ["one", "three"]
    assert [head.id for head in made.empty] == ["b", "two"]
    assert [(title, [h.id for h in heads]) for title, heads in made.row_groups] == [
        ("x", ["a"]), ("y", ["c"])
    ]  # fmt: skip
    assert made.column_groups == (("u", 1), ("", 1))


def test_one_group_of_columns_has_no_title() -> None:
    assert grid({("a", "one"): Cell(), ("b", "two"): Cell()}).column_groups == ()


def test_the_legend_has_what_the_grid_has_and_its_own_words() -> None:
    cells = {
        ("a", "one"): Cell((GridMark("fail", "stated"), GridMark("pass", "run"))),
        ("b", "one"): Cell((GridMark("gap", "stated", 3),)),
    }
    made = grid(cells, words={"pass": "runs", "stated": "says the vendor"})
    assert [(mark.state, words) for mark, words in made.legend] == [
        ("pass", "runs"), ("fail", "does not work"), ("gap", "one release behind")
    ]  # fmt: skip
    assert made.bases == (("run", "run"), ("stated", "says the vendor"))

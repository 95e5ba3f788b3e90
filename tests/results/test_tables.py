from __future__ import annotations

from typing import Any

from accelerator_portal.reports.store import StoredReport
from accelerator_portal.results.tables import Column, counts, group_of, long_table, matrices
from tests.reports.examples import report

F32 = {"dtype": "float32", "mode": "inference", "compiler": "inductor"}
F16 = {**F32, "dtype": "float16"}


def stored(name: str, *tests: dict[str, Any], **changes: Any) -> StoredReport:  # noqa: ANN401
    return StoredReport(name, f"{name}.json", report(*tests, **changes), None)


ONE = stored(
    "one", {"name": "b", "parameters": F32}, {"name": "A", "parameters": F16, "outcome": "failed"}
)
TWO = stored(
    "two",
    {"name": "b", "parameters": F32, "outcome": "executed"},
    accelerator="other",
    kind="baseline",
)


def test_a_matrix_has_only_like_with_like_in_a_group() -> None:
    (matrix,) = matrices(long_table([ONE, TWO]), ["example", "other"])
    assert (matrix.suite, matrix.mode) == ("made-up", "inference")
    assert matrix.columns == (
        Column("one", "example", "self-reported", "inductor, float32", "float32"),
        Column("two", "other", "baseline", "inductor, float32", "float32"),
        Column("one", "example", "self-reported", "inductor, float16", "float16"),
    )
    assert matrix.names == ("A", "b")
    assert matrix.cells == ((-1, -1, 1), (0, 0, -1))


def test_a_column_without_a_type_says_none() -> None:
    (matrix,) = matrices(long_table([stored("four", {})]), ["example"])
    assert [column.dtype for column in matrix.columns] == [""]


def test_columns_follow_the_order_of_accelerators() -> None:
    (matrix,) = matrices(long_table([ONE, TWO]), ["other", "example"])
    assert [column.report for column in matrix.columns] == ["two", "one", "one"]


def test_each_mode_and_suite_is_a_matrix_of_its_own() -> None:
    training = stored("three", {"name": "b", "parameters": {**F32, "mode": "training"}})
    table = long_table([ONE, training])
    assert [(m.suite, m.mode) for m in matrices(table, ["example"])] == [
        ("made-up", "inference"),
        ("made-up", "training"),
    ]


def test_what_is_not_stated_is_said_so() -> None:
    names = [group_of(test) for test in report(
        {},
        {"name": "2", "parameters": {"compiler": "eager"}},
        {"name": "3", "parameters": {"dtype": "float32", "dynamic": True, "freezing": False}},
        {"name": "4", "parameters": {"dtype": "float32", "case": "x", "shapes": "small"}},
    ).tests]  # fmt: skip
    assert names == [
        "type not stated",
        "eager, type not stated",
        "float32, dynamic",
        "float32, shapes small, case x",
    ]


def test_outcomes_are_counted_by_report_and_suite() -> None:
    assert counts(long_table([ONE, TWO])) == {
        ("one", "made-up"): {"failed": 1, "passed": 1},
        ("two", "made-up"): {"executed": 1},
    }

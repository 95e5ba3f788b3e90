from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.results.changes_file import append_changes, changes_table, read_changes
from accelerator_portal.results.history import Change
from tests.results.made_up import START, folded, made_up

REPORTS = [
    made_up(0, {"b": "passed", "a": ("failed", "compile")}),
    made_up(1, {"b": ("wrong-result", "compare"), "a": ("failed", "compile")}),
    made_up(2, {"a": ("failed", "compile")}),
]

_, CHANGES = folded(*REPORTS)


def test_changes_are_a_table_in_the_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "history/changes.parquet"
    append_changes(path, reversed(CHANGES))
    table = read_changes(path)
    assert list(table.columns) == list(Change._fields)
    assert str(table["started"].dtype) == "datetime64[us, UTC]"
    assert table["started"].iloc[0] == START
    shown = table.drop(columns=["started", "report"]).astype("object")
    assert shown.where(table.notna(), None).to_numpy().tolist() == [
        ["models/a", "new", "failed", "compile", None, None],
        ["models/b", "new", "passed", None, None, None],
        ["models/b", "regressed", "wrong-result", "compare", "passed", None],
        ["models/b", "gone", None, None, "wrong-result", "compare"],
    ]
    assert [left.name for left in path.parent.iterdir()] == ["changes.parquet"]


def test_adding_one_by_one_gives_the_same_bytes(tmp_path: Path) -> None:
    append_changes(tmp_path / "once.parquet", CHANGES)
    for change in CHANGES[:2], CHANGES[2:3], CHANGES[3:]:
        append_changes(tmp_path / "often.parquet", change)
    assert (tmp_path / "once.parquet").read_bytes() == (tmp_path / "often.parquet").read_bytes()


def test_a_report_that_is_folded_again_after_an_interruption_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "changes.parquet"
    append_changes(path, CHANGES)
    before = path.read_bytes()
    append_changes(path, CHANGES[2:])
    assert path.read_bytes() == before


def test_no_changes_are_a_table_too(tmp_path: Path) -> None:
    append_changes(tmp_path / "changes.parquet", [])
    assert read_changes(tmp_path / "changes.parquet").empty
    append_changes(tmp_path / "changes.parquet", CHANGES)
    assert read_changes(tmp_path / "changes.parquet").equals(changes_table(CHANGES))


@pytest.mark.parametrize("kept", [0, 4, 200, -1])
def test_a_damaged_file_is_refused_and_left(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "changes.parquet"
    append_changes(path, CHANGES)
    damaged = path.read_bytes()[:kept]
    path.write_bytes(damaged)
    for attempt in (lambda: read_changes(path), lambda: append_changes(path, CHANGES)):
        with pytest.raises(ProblemsError) as found:
            attempt()
        assert str(found.value) == (
            "changes.parquet:1: this is no table of changes; rebuild the history from all reports"
        )
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    "table", [pd.DataFrame({"a": [1]}), changes_table(CHANGES).astype({"started": "str"})]
)
def test_another_table_is_refused(tmp_path: Path, table: pd.DataFrame) -> None:
    path = tmp_path / "changes.parquet"
    table.to_parquet(path)
    with pytest.raises(ProblemsError) as found:
        read_changes(path)
    assert str(found.value) == (
        "changes.parquet:1: this is no table of changes; rebuild the history from all reports"
    )

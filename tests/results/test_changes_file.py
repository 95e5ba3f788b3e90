from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.results.adopting import append_changes, changes_table, read_changes
from accelerator_portal.results.history import OutcomeChange
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
    found = read_changes(path)
    assert found == tuple(CHANGES)
    assert (found[0].started, found[0].started.tzinfo) == (START, dt.UTC)
    assert [change[2:] for change in found] == [
        ("models/a", "new", "failed", "compile", None, None),
        ("models/b", "new", "passed", None, None, None),
        ("models/b", "regressed", "wrong-result", "compare", "passed", None),
        ("models/b", "gone", None, None, "wrong-result", "compare"),
    ]
    schema = pq.read_schema(path)
    assert schema.names == list(OutcomeChange._fields)
    assert [str(kind) for kind in schema.types] == ["timestamp[us, tz=UTC]", *["large_string"] * 7]
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
    assert read_changes(tmp_path / "changes.parquet") == ()
    append_changes(tmp_path / "changes.parquet", CHANGES)
    assert read_changes(tmp_path / "changes.parquet") == tuple(CHANGES)


def test_a_file_that_pandas_wrote_is_the_same_table(tmp_path: Path) -> None:
    """What is kept was written by pandas, which adds what it knows of the columns."""
    once, then = tmp_path / "once.parquet", tmp_path / "then.parquet"
    append_changes(once, CHANGES)
    changes_table(CHANGES[:2]).to_pandas().to_parquet(then, index=False, compression="zstd")
    append_changes(then, CHANGES[2:])
    assert then.read_bytes() == once.read_bytes()


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
            "changes.parquet:1: not a valid table of changes; rebuild the history from all reports"
        )
    assert path.read_bytes() == damaged


def of_text(table: pa.Table) -> pa.Table:
    return table.set_column(0, "started", table["started"].cast(pa.large_string()))


@pytest.mark.parametrize("table", [pa.table({"a": [1]}), of_text(changes_table(CHANGES))])
def test_another_table_is_refused(tmp_path: Path, table: pa.Table) -> None:
    path = tmp_path / "changes.parquet"
    pq.write_table(table, path)
    with pytest.raises(ProblemsError) as found:
        read_changes(path)
    assert str(found.value) == (
        "changes.parquet:1: not a valid table of changes; rebuild the history from all reports"
    )

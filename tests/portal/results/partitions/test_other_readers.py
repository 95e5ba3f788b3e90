"""The archive is read without this project: by DuckDB, from the folders alone."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from accelerator_portal.results.history_state import Basis
from accelerator_portal.results.partitions.columns import COLUMNS
from accelerator_portal.results.partitions.manifest import BASES, HISTORY, TABLES, read_manifest
from accelerator_portal.results.stored_history import read_history
from tests.folders import REPOSITORY
from tests.portal.results.partitions.archived import DAYS, archive, report_of, rows

TYPES = {"text": "VARCHAR", "moment": "TIMESTAMP WITH TIME ZONE", "number": "DOUBLE"}


def pattern(root: Path, basis: str, table: str) -> str:
    files = root / HISTORY / basis / table / "**" / "*.parquet"
    return f"read_parquet('{files}', hive_partitioning = true)"


def test_duckdb_reads_every_row_with_names_of_folders_as_columns(tmp_path: Path) -> None:
    suites = ("models", "op-db")
    archive(tmp_path, *(report_of(day, outcomes, suites) for day, outcomes in enumerate(DAYS)))
    table = pattern(tmp_path, "runs", "results")
    found = duckdb.execute(
        f"SELECT suite, month, key, outcome, seconds, torch FROM {table} "  # noqa: S608 - a path
        "ORDER BY key, started"
    ).fetchall()
    names = ("suite", "key", "outcome", "seconds", "torch")
    ours = [tuple(row[name] for name in names) for row in rows(tmp_path, "results")]
    assert [(suite, *rest) for suite, _, *rest in found] == ours
    assert {month for _, month, *_ in found} == {"2026-03"}


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("table", TABLES)
def test_the_repository_has_the_columns_that_are_documented(basis: str, table: str) -> None:
    source = pattern(REPOSITORY, basis, table)
    found = duckdb.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - a path
    documented = {c.name: TYPES[c.type] for t in TABLES if t == table for c in COLUMNS[t]}
    folders = dict.fromkeys(("accelerator", "suite", "month"), "VARCHAR")
    assert {name: kind for name, kind, *_ in found} == {**documented, **folders}


@pytest.mark.parametrize(
    ("accelerator", "basis", "changes", "results"),
    [
        ("xpu", "baselines", 2_602, 59_750),
        ("cpu", "runs", 2_149, 3_559),
        ("ascend", "runs", 103, 103),
    ],
)
def test_what_the_repository_keeps_is_what_duckdb_counts(
    accelerator: str, basis: Basis, changes: int, results: int
) -> None:
    assert len(read_history(REPOSITORY, accelerator, basis).changes) >= changes
    manifest = read_manifest(REPOSITORY, accelerator)
    for table, least in (("changes", changes), ("results", results)):
        source = pattern(REPOSITORY, basis, table)
        (found,) = duckdb.execute(
            f"SELECT count(*) FROM {source} WHERE accelerator = ?",  # noqa: S608 - a path
            [accelerator],
        ).fetchall()
        listed = sum(f.rows for f in manifest.files if f.partition[:2] == (basis, table))
        assert found == (listed,)
        assert listed >= least

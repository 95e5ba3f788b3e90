from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.checking import check_accelerator
from accelerator_portal.results.partitions.compaction import compact_accelerator
from accelerator_portal.results.partitions.manifest import read_manifest
from tests.portal.results.made_up import HISTORIES, Outcomes, made_up
from tests.portal.results.partitions.archived import (
    DAYS,
    all_rows,
    archive,
    content,
    named,
    report_of,
)

REPORTS = [report_of(day * 20, outcomes) for day, outcomes in enumerate([*DAYS, *DAYS])]


@settings(max_examples=15)  # each writes files for every day
@given(HISTORIES)
def test_merged_files_have_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, history: list[Outcomes]
) -> None:
    root = tmp_path_factory.mktemp("merged")
    reports = [made_up(day * 9, outcomes) for day, outcomes in enumerate(history)]
    fold_reports(root, named(*reports))
    before = all_rows(root)
    parts, merged = compact_accelerator(root, "example", "2026-05")
    assert all_rows(root) == before
    assert parts >= merged
    assert not list(check_accelerator(root, "example"))


def test_past_months_are_one_file_each_and_the_last_one_stays(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)  # days 0, 20, 40, 60, 80, 100 from March 1
    before = all_rows(tmp_path)
    done = compact_accelerator(tmp_path, "example", "2026-06")
    assert done == (8, 4)  # two nights in March and in April; two tables
    assert all_rows(tmp_path) == before
    files = read_manifest(tmp_path, "example").files_of("runs", "results")
    names = [(f.partition.month, f.path.rpartition("/")[2].partition("-")[0]) for f in files]
    assert names == [
        ("2026-03", "month"),
        ("2026-04", "month"),
        ("2026-05", "20260520T020000Z"),
        ("2026-06", "20260609T020000Z"),
    ]
    again = content(tmp_path)
    assert compact_accelerator(tmp_path, "example", "2026-06") == (0, 0)
    assert content(tmp_path) == again

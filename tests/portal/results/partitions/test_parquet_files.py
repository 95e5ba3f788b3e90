"""What is archived is what the reports say, however often the command is interrupted."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.history import fold_report
from accelerator_portal.results.history_state import State
from accelerator_portal.results.partitions.manifest import Manifest, read_manifest, write_manifest
from accelerator_portal.results.stored_history import read_history
from tests.portal.results.made_up import START, made_up
from tests.portal.results.partitions.archived import DAYS, archive, content, named, report_of, rows

REPORTS = [report_of(day, outcomes, ("models", "kernels")) for day, outcomes in enumerate(DAYS)]


def test_every_result_is_a_row_with_where_it_was_measured(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    found = rows(tmp_path, "results")
    assert len(found) == 3 * 2 * 3
    first = found[0]
    assert {name: first[name] for name in ("key", "suite", "name", "outcome", "seconds")} == {
        "key": "kernels/a",
        "suite": "kernels",
        "name": "a",
        "outcome": "passed",
        "seconds": 0.5,
    }
    assert (first["started"], first["torch"], first["kind"]) == (START, "2.0", "self-reported")
    training = next(row for row in found if row["name"] == "c")
    assert (training["parameters"], training["mode"]) == ("mode=training", "training")


def test_a_night_adds_files_of_its_own_and_touches_no_other(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS[:2])
    before = content(tmp_path)
    archive(tmp_path, REPORTS[2])
    after = content(tmp_path)
    changed = {path for path in before if after[path] != before[path]}
    assert changed == {"example/manifest.json", "example/runs.json"}
    added = {path.rpartition("/")[0] for path in after.keys() - before.keys()}
    assert added == {
        f"runs/{table}/accelerator=example/suite={suite}/month=2026-03"
        for table in ("results", "changes")
        for suite in ("models", "kernels")
    }


def test_an_interruption_at_any_write_is_repeated_without_loss_or_double(tmp_path: Path) -> None:
    archive(tmp_path / "whole", *REPORTS)
    whole, writes = content(tmp_path / "whole"), 0
    told: list[int | None] = []
    while True:
        root = tmp_path / str(writes)
        archive(root, REPORTS[0])
        with mock.patch.object(Path, "write_bytes", autospec=True, side_effect=_full_after(writes)):
            try:
                fold_reports(root, named(*REPORTS))
                break
            except OSError as error:
                told.append(error.errno)
        assert read_history(root, "example", "runs").changes  # what is listed is whole
        archive(root, *REPORTS)
        assert content(root) == whole
        writes += 1
    assert told == [errno.ENOSPC] * writes
    assert writes == 2 * (2 + 2 + 2)  # two nights: results, changes, manifest and state


def _full_after(writes: int) -> Callable[[Path, bytes], int]:
    """Stand for a disk that is full after some files: the next one is cut off."""
    left, really_write = [writes], Path.write_bytes

    def write(path: Path, data: bytes) -> int:
        if left[0] == 0:
            really_write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        left[0] -= 1
        return really_write(path, data)

    return write


def test_a_report_that_the_manifest_lacks_is_archived_again(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    before = rows(tmp_path, "results")
    write_manifest(tmp_path, Manifest(accelerator="example"))
    folding = archive(tmp_path, *REPORTS)
    assert folding.histories[0].new == 0
    assert rows(tmp_path, "results") == before


def test_folding_anew_forgets_one_basis_and_keeps_the_other(tmp_path: Path) -> None:
    expected = made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"})
    archive(tmp_path, *REPORTS, expected)
    fold_reports(tmp_path, named(REPORTS[2]), anew=True)
    manifest = read_manifest(tmp_path, "example")
    assert [report.basis for report in manifest.reports.values()] == ["baselines", "runs"]
    assert len(rows(tmp_path, "results")) == 6
    _, changes = fold_report(State("example", "runs"), REPORTS[2])
    assert read_history(tmp_path, "example", "runs").changes == changes


@pytest.mark.parametrize("suite", ["op-db", "acme/kernels", "a=b"])
def test_a_suite_may_have_any_name_in_a_folder(suite: str) -> None:
    from accelerator_portal.results.partitions.manifest import Partition, partition_of

    place = Partition("runs", "results", "cpu", suite, "2026-11")
    assert place.folder.count("/") == 4
    assert partition_of(f"{place.folder}/x.parquet") == place

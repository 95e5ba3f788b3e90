from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_automation.archive_store import Archive, gzip_decompress, open_archive
from accelerator_automation.night_steps import archive_package_data, archive_runs
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.report import Report
from accelerator_reports.report_file import report_text
from tests.portal.results.made_up import made_up

FRIDAY = dt.date(2026, 11, 20)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(str(tmp_path / "archive"))


def stored(root: Path, report: Report) -> StoredReport:
    """A report of a folder, as the catalogue finds it."""
    path = "accelerators/example/results/nightly.json"
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(report_text(report), "utf-8")
    return StoredReport("example-nightly", path, report, None)


def test_runs_are_kept_by_their_moment_and_once(archive: Archive, tmp_path: Path) -> None:
    run, undated = made_up(0, {"a": "passed"}), made_up(0, {"a": "passed"}, started=None)
    assert archive_runs(archive, [stored(tmp_path, run)], tmp_path) == 1
    assert archive_runs(archive, [stored(tmp_path, run)], tmp_path) == 0
    assert archive_runs(archive, [stored(tmp_path, undated)], tmp_path) == 1
    first, second = archive.names("runs/example/nightly")
    assert first.startswith("0-")
    assert second == "20260301T020000Z.json.gz"
    kept = archive.read(f"runs/example/nightly/{second}") or b""
    assert gzip_decompress(kept, 10_000).decode() == report_text(run)


def test_all_that_are_new_are_kept_at_once(archive: Archive, tmp_path: Path) -> None:
    run = stored(tmp_path, made_up(0, {"a": "passed"}))
    other = replace(run, report=made_up(1, {"a": "passed"}))
    assert archive_runs(archive, [run, other], tmp_path) == 2
    assert len(archive.names("runs/example/nightly")) == 2


def test_what_is_expected_is_no_run(archive: Archive, tmp_path: Path) -> None:
    baseline = made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"})
    assert archive_runs(archive, [stored(tmp_path, baseline)], tmp_path) == 0


def test_the_oldest_run_is_dropped(archive: Archive, tmp_path: Path) -> None:
    for day in range(3):
        archive_runs(archive, [stored(tmp_path, made_up(day, {"a": "passed"}))], tmp_path, most=2)
    assert archive.names("runs/example/nightly") == [
        "20260302T020000Z.json.gz",
        "20260303T020000Z.json.gz",
    ]


def test_facts_are_kept_on_the_days_on_which_they_are_new(archive: Archive, tmp_path: Path) -> None:
    folder = tmp_path / "data/packages"
    folder.mkdir(parents=True)
    (folder / "torch.json").write_text("1", "utf-8")
    (folder / "numpy.json").write_text("1", "utf-8")
    assert archive_package_data(archive, tmp_path, FRIDAY) == 2
    assert archive_package_data(archive, tmp_path, FRIDAY + dt.timedelta(days=1)) == 0
    (folder / "torch.json").write_text("2", "utf-8")
    assert archive_package_data(archive, tmp_path, FRIDAY + dt.timedelta(days=2)) == 1
    assert archive.names("packages/torch") == ["2026-11-20.json.gz", "2026-11-22.json.gz"]
    assert archive.names("packages/numpy") == ["2026-11-20.json.gz"]

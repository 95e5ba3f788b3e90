from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_portal.automation import keeping
from accelerator_portal.automation.archive_store import Archive, open_archive, unpacked
from accelerator_portal.automation.keeping import keep_facts, keep_run

FRIDAY = dt.date(2026, 11, 20)
NIGHT = dt.datetime(2026, 11, 20, 3, 17, tzinfo=dt.timezone(dt.timedelta(hours=2)))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(str(tmp_path / "archive"))


def test_runs_are_kept_by_their_moment_and_once(archive: Archive) -> None:
    keep_run(archive, "acme", "nightly", NIGHT, b"1")
    keep_run(archive, "acme", "nightly", NIGHT, b"1")
    keep_run(archive, "acme", "nightly", None, b"2")
    assert archive.names("runs/acme/nightly") == [
        "0-d4735e3a265e.json.gz",
        "20261120T011700Z.json.gz",
    ]
    assert unpacked(archive.read("runs/acme/nightly/20261120T011700Z.json.gz") or b"", 9) == b"1"


def test_the_oldest_run_is_dropped(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_RUNS", 2)
    for day in range(3):
        keep_run(archive, "acme", "nightly", NIGHT + dt.timedelta(days=day), b"1")
    assert archive.names("runs/acme/nightly") == [
        "20261121T011700Z.json.gz",
        "20261122T011700Z.json.gz",
    ]


def test_facts_are_kept_on_the_days_on_which_they_are_new(archive: Archive, tmp_path: Path) -> None:
    folder = tmp_path / "data/packages"
    folder.mkdir(parents=True)
    (folder / "torch.json").write_text("1", "utf-8")
    (folder / "numpy.json").write_text("1", "utf-8")
    assert keep_facts(archive, tmp_path, FRIDAY) == 2
    assert keep_facts(archive, tmp_path, FRIDAY + dt.timedelta(days=1)) == 0
    (folder / "torch.json").write_text("2", "utf-8")
    assert keep_facts(archive, tmp_path, FRIDAY + dt.timedelta(days=2)) == 1
    assert archive.names("packages/torch") == ["2026-11-20.json.gz", "2026-11-22.json.gz"]
    assert archive.names("packages/numpy") == ["2026-11-20.json.gz"]

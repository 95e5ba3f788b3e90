from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from accelerator_automation.archive_store import (
    Archive,
    ArchiveError,
    archive_good_folders,
    damaged_folders,
    gzip_compress,
    last_good_dates,
    open_archive,
    write_last_good,
)
from accelerator_portal.checks.quarantine import last_good_versions

FRIDAY, SATURDAY = dt.date(2026, 11, 20), dt.date(2026, 11, 21)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(str(tmp_path / "archive"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one folder; its files are made up."""
    folder = tmp_path / "repository/accelerators/acme"
    (folder / "results").mkdir(parents=True)
    (folder / "guide.md").write_text("## Prepare ✓\n", "utf-8")
    (folder / "results/a.json").write_text("{}", "utf-8")
    (folder / ".swp").write_text("an editor's", "utf-8")
    return tmp_path / "repository"


def bytes_of(archive: Archive) -> bytes | None:
    return archive.read("last-good/acme.json.gz")


def test_a_good_folder_is_kept_once(archive: Archive, root: Path) -> None:
    assert archive_good_folders(archive, root, ["acme"], [], FRIDAY) == ("acme",)
    before = bytes_of(archive)
    assert archive_good_folders(archive, root, ["acme"], [], SATURDAY) == ()
    assert bytes_of(archive) == before


def test_a_broken_folder_is_replaced_by_its_last_version_since_the_first_night(
    archive: Archive, root: Path, tmp_path: Path
) -> None:
    broken = ["acme", "unknown"]
    archive_good_folders(archive, root, ["acme"], [], FRIDAY)
    (root / "accelerators/acme/guide.md").write_text("broken", "utf-8")
    assert last_good_dates(archive, broken, FRIDAY) == {"acme": FRIDAY}  # no night has seen it yet
    assert archive_good_folders(archive, root, [], broken, SATURDAY) == ()
    archive_good_folders(archive, root, [], broken, dt.date(2026, 12, 1))
    found = last_good_dates(archive, broken, dt.date(2026, 12, 1))
    assert found == {"acme": SATURDAY}

    place = tmp_path / "place"
    write_last_good(archive, found, place)
    files = {f.relative_to(place).as_posix(): f.read_text("utf-8") for f in place.rglob("*.*")}
    assert files == {
        "accelerators/acme/guide.md": "## Prepare ✓\n",
        "accelerators/acme/results/a.json": "{}",
        "since.json": json.dumps({"acme": "2026-11-21"}),
    }
    assert last_good_versions(place) == {"acme": SATURDAY}


def test_a_mended_folder_counts_anew(archive: Archive, root: Path) -> None:
    archive_good_folders(archive, root, ["acme"], [], FRIDAY)
    archive_good_folders(archive, root, [], ["acme"], FRIDAY)
    assert (
        archive_good_folders(archive, root, ["acme"], [], SATURDAY) == ()
    )  # mended by taking it back
    archive_good_folders(archive, root, [], ["acme"], SATURDAY)
    assert last_good_dates(archive, ["acme"], SATURDAY) == {"acme": SATURDAY}


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def test_each_flipped_bit_is_found_and_written_again_while_the_folder_is_whole(
    archive: Archive, root: Path
) -> None:
    archive_good_folders(archive, root, ["acme"], [], FRIDAY)
    good = bytes_of(archive)
    assert good is not None
    found = 0
    for bit in range(0, 8 * len(good), 5):
        archive.write("last-good/acme.json.gz", flipped(good, bit))
        lost = damaged_folders(archive, ["acme"])
        found += bool(lost)
        assert last_good_dates(archive, ["acme"], FRIDAY) == ({} if lost else {"acme": FRIDAY})
        assert archive_good_folders(archive, root, [], ["acme"], FRIDAY) == ()
        archive.write("last-good/acme.json.gz", flipped(good, bit))
        archive_good_folders(archive, root, ["acme"], [], FRIDAY)
        assert damaged_folders(archive, ["acme"]) == ()
    # What is not found is in the fields of gzip's header that say nothing of the content.
    assert found >= 8 * (len(good) - 10) // 5


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "a\\..\\b", "", "a\0b"]
)
def test_an_archive_that_leads_out_of_the_folder_is_refused(
    archive: Archive, path: str, tmp_path: Path
) -> None:
    text = json.dumps({"files": {path: "harm"}})
    archive.write("last-good/acme.json.gz", gzip_compress(text.encode()))
    with pytest.raises(ArchiveError, match="has an unexpected format"):
        write_last_good(archive, {"acme": FRIDAY}, tmp_path / "place")

"""What is written is there whole, or what was there before is."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.catalog.atomic_write import (
    write_bytes_atomically,
    write_folder_atomically,
    write_text_atomically,
)


def test_a_file_is_written_with_its_folders_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a/b/file.txt"
    write_bytes_atomically(path, b"\x00first")
    assert path.read_bytes() == b"\x00first"
    write_text_atomically(path, "zweitens: ü\n")
    assert path.read_bytes() == "zweitens: ü\n".encode()
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "file/inside").mkdir(parents=True)  # a folder stands where the file would
    with pytest.raises(OSError, match="file"):
        write_text_atomically(tmp_path / "file", "text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_folder_replaces_the_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "copied.bin").write_bytes(b"\xff")
    folder = tmp_path / "out"
    write_folder_atomically(folder, {"old.txt": "old"})
    write_folder_atomically(folder, {"in/new.txt": "ü", "copied.bin": tmp_path / "copied.bin"})
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {"in/new.txt", "copied.bin"}
    assert (folder / "in/new.txt").read_text("utf-8") == "ü"
    assert (folder / "copied.bin").read_bytes() == b"\xff"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copied.bin", "out"]


def test_a_folder_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    files: dict[str, str | Path] = {"a.txt": "a", "b.txt": tmp_path / "nowhere file"}
    with pytest.raises(OSError, match="file"):
        write_folder_atomically(tmp_path / "out", files)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]

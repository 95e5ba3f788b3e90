"""What is written is there whole, or what was there before is."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_reports.files.text_file import (
    LEFTOVER_AGE,
    remove_leftovers,
    write_bytes_atomically,
    write_folder_atomically,
    write_text_atomically,
)
from tests.folders import EXAMPLE, REPOSITORY, write_tree

KILLED_BEFORE_THE_RENAME = """
import os, signal, sys
from pathlib import Path
from accelerator_reports.files.text_file import write_bytes_atomically
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_bytes_atomically(Path(sys.argv[1]), b"{}")
"""


def killed_while_writing(path: Path) -> Path:
    """Kill a process between the write and the rename; return the temporary file that it left."""
    before = {*path.parent.iterdir()}
    command = [sys.executable, "-c", KILLED_BEFORE_THE_RENAME, str(path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (left,) = {*path.parent.iterdir()} - before
    return left


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


def test_what_is_no_regular_file_stays_what_it_is(tmp_path: Path) -> None:
    """As root, a rename would replace /dev/null for all programs of the machine."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text_atomically(pipe, "text")
    assert (os.read(reader, 10), pipe.is_fifo()) == (b"text", True)
    os.close(reader)
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        write_text_atomically(folder, "text")
    assert {*tmp_path.iterdir()} == {pipe, folder}


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """As /dev/stdout, which is a link to the file that standard output is redirected to."""
    link, target, gone = tmp_path / "stdout", tmp_path / "redirected", tmp_path / "gone"
    target.touch()
    link.symlink_to(target)
    gone.symlink_to("made")
    for path in (link, gone):
        write_text_atomically(path, "text")
        assert path.is_symlink()
    assert target.read_text("utf-8") == "text"
    assert {*tmp_path.iterdir()} == {link, target, gone, tmp_path / "made"}


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="this system has no /dev/fd")
def test_a_redirected_stream_is_written_through(tmp_path: Path) -> None:
    with (tmp_path / "redirected").open("w") as stream:
        write_text_atomically(Path(f"/dev/fd/{stream.fileno()}"), "text")
    assert (tmp_path / "redirected").read_text("utf-8") == "text"


def test_a_folder_that_cannot_be_renamed_leaves_the_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, rename = tmp_path / "out", Path.rename
    write_folder_atomically(folder, {"old.txt": "old"})

    def fail(path: Path, target: Path) -> Path:
        hidden.append(target.name)
        if (path / "new.txt").exists():
            raise PermissionError(13, "made up")
        return rename(path, target)

    hidden: list[str] = []
    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(PermissionError):
        write_folder_atomically(folder, {"new.txt": "new"})
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [
        "out",
        "out/old.txt",
    ]
    # A process that is killed between the two renames leaves what `remove_leftovers` finds.
    assert hidden[0].startswith(".out.")
    assert hidden[0].endswith(".new")


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


def test_a_kill_before_the_rename_leaves_a_file_that_neither_the_portal_nor_git_reads(
    tmp_path: Path,
) -> None:
    write_tree(tmp_path, EXAMPLE)
    results = tmp_path / "accelerators/example/results"
    results.mkdir()
    first = killed_while_writing(results / "cpu.json")
    second = killed_while_writing(results / "cpu.json")
    assert first != second
    catalog, problems = load_catalog(tmp_path)
    assert catalog is not None
    assert [platform.id for platform in catalog.platforms] == ["example"]
    assert problems == []
    for path in (first, second):
        inside = path.relative_to(tmp_path).as_posix()
        asked = subprocess.run(["git", "check-ignore", "-q", inside], cwd=REPOSITORY, check=False)
        assert asked.returncode == 0


def test_leftovers_are_removed_when_nobody_can_still_be_writing_them(tmp_path: Path) -> None:
    kept = tmp_path / "report.json"
    kept.write_text("{}", "utf-8")
    old, young = (killed_while_writing(kept) for _ in range(2))
    folder = tmp_path / "in/.example.abc.new"
    (folder / "inside").mkdir(parents=True)
    now = dt.datetime.now(dt.UTC)
    past = (now - LEFTOVER_AGE).timestamp() - 60
    for path in (kept, old, folder):
        os.utime(path, (past, past))
    remove_leftovers(tmp_path, now)
    assert {*tmp_path.iterdir()} == {kept, young, tmp_path / "in"}
    assert not folder.exists()
    remove_leftovers(tmp_path / "nowhere", now)


def test_the_next_write_removes_what_killed_processes_left_of_this_path(tmp_path: Path) -> None:
    file, folder = tmp_path / "[a].json", tmp_path / "site"
    old, young, other = (killed_while_writing(path) for path in (file, file, tmp_path / "b.json"))
    old_folder = tmp_path / ".site.abc.old.new/inside"
    old_folder.mkdir(parents=True)
    past = (dt.datetime.now(dt.UTC) - LEFTOVER_AGE).timestamp() - 60
    for path in (old, other, old_folder.parent):
        os.utime(path, (past, past))
    write_text_atomically(file, "{}")
    write_folder_atomically(folder, {"a.txt": "a"})
    assert {*tmp_path.iterdir()} == {file, folder, young, other}

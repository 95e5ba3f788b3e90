from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import MAX_BYTES, read_text


def outcome(root: Path) -> str:
    """What reading `folder/a` gives: the text, or the problem as it is printed."""
    return str(read_text(root, "folder/a", "folder"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\n", "a\n"),
        (b"\xef\xbb\xbfa\r\nb\rc", "a\nb\nc"),
        ("\tä — 中\n".encode(), "\tä — 中\n"),
        (b"x" * MAX_BYTES, "x" * MAX_BYTES),
    ],
)
def test_text_is_read_with_plain_line_ends(data: bytes, text: str, root: Path) -> None:
    (root / "folder" / "a").write_bytes(data)
    assert outcome(root) == text


EMPTY = (
    '1: the file is empty; add content; the page "The file format" of the site describes the format'
)
CONFLICT = "is a marker of a merge conflict; keep one of the two versions, and delete the markers"
BINARY, NO_UTF8 = (
    "is binary, not text; replace it with UTF-8 text",
    "is not UTF-8; save the file as UTF-8",
)
HIDDEN = "is not allowed in text; delete it; to mention it, write its number"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", EMPTY),
        (b"\xef\xbb\xbf \r\n", EMPTY),
        (b"\nb\x00c", f"2: the file {BINARY}"),
        (b"a\nb\x00c", f"2: the file {BINARY}"),
        (b"a\n\nb\xff", f"3: byte 0xff {NO_UTF8}"),
        (b"\xef\xbb\xbfa\n\nb\xff", f"3: byte 0xff {NO_UTF8}"),
        (b"a\n\xed\xa0\x80", f"2: byte 0xed {NO_UTF8}"),
        (b"\n\xff", f"2: byte 0xff {NO_UTF8}"),
        (b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n", f'2: "<<<<<<< HEAD" {CONFLICT}'),
        (b"a\n=======\nc\n>>>>>>> x\n", f'4: ">>>>>>> x" {CONFLICT}'),
        (b"\r\na\x0c", f"2: the character U+000C {HIDDEN}"),
        ("a\n\nb\u2028".encode(), f"3: the character U+2028 {HIDDEN}"),
        (b"x" * (MAX_BYTES + 1), "1: the file has 262,145 bytes, more than 262,144; shorten it"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, problem: str, root: Path) -> None:
    (root / "folder" / "a").write_bytes(data)
    assert outcome(root) == f"folder/a:{problem}"


def test_a_link_inside_its_folder_is_followed(root: Path) -> None:
    (root / "folder" / "b").write_text("b", encoding="utf-8")
    (root / "folder" / "a").symlink_to("b")
    assert outcome(root) == "b"


def test_a_link_to_a_folder_whose_name_begins_alike_is_refused(root: Path) -> None:
    (root / "folder2").mkdir()
    (root / "folder2" / "a").write_text("theirs", encoding="utf-8")
    (root / "folder" / "a").symlink_to("../folder2/a")
    assert outcome(root).startswith("folder/a:1: the symbolic link points outside its folder")


def test_a_file_that_may_not_be_read_is_named_without_this_machines_paths(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(file))

    (root / "folder" / "a").write_text("a", encoding="utf-8")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert outcome(root) == (
        "folder/a:1: the file cannot be read (Permission denied); make it a readable regular file"
    )


def test_a_problem_has_a_length_that_one_can_read() -> None:
    problem = Problem("a.yaml", 1, f'unknown key "{"k" * 200_000}"', "remove it")
    assert str(problem).endswith("kkk…; remove it")
    assert len(str(problem)) < 600


def test_a_problem_is_one_line_whatever_the_file_holds() -> None:
    problem = Problem("a\udcff.yaml", 3, "unknown \x1b[2J\n::warning::\u202e key", "ä \u2028")
    assert str(problem) == (r"a\udcff.yaml:3: unknown \x1b[2J\n::warning::\u202e key; ä \u2028")


@pytest.mark.parametrize(
    "number",
    [0x1B, 0xAD, 0x34F, 0x115F, 0x17B4, 0x180B, 0x200B, 0x2028, 0x202E, 0x2066, 0x2800, 0x3164,
     0xFE0F, 0xFFA0, 0xFFF9, 0x1D173, 0xE0041, 0x1680, 0xE000, 0xF8FF, 0xFDD0, 0xFFFC, 0xFFFE,
     0xF0000, 0x10FFFF],
)  # fmt: skip
def test_what_nobody_sees_or_everybody_sees_in_another_way_is_refused(
    number: int, root: Path
) -> None:
    (root / "folder" / "a").write_text(f"x\na{chr(number)}b\n", "utf-8")
    assert outcome(root) == f"folder/a:2: the character U+{number:04X} {HIDDEN}"


@pytest.mark.parametrize("stack", ["e" + "\u0301" * 5, "o" + "\u0317\u0334" * 40])
def test_marks_that_cover_other_lines_are_refused(stack: str, root: Path) -> None:
    (root / "folder" / "a").write_text(f"x\n{stack}\n", "utf-8")
    assert outcome(root).startswith(
        f"folder/a:2: the character U+{ord(stack[1]):04X} is not allowed"
    )


def test_marks_that_languages_need_are_text(root: Path) -> None:
    text = "Vie\u0323\u0302t, \u05e9\u05bc\u05c1\u05b8, e\u0301\u0323\u0302\u0308\n"
    (root / "folder" / "a").write_text(text, "utf-8")
    assert outcome(root) == text

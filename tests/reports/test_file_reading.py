from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports import file_reading as module
from accelerator_reports.file_reading import (
    READ_AS_TEST,
    lines_of,
    paused_garbage_collection,
    with_entry_counts,
)
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH

FILE = Path("somewhere/example.csv")


@given(st.text(alphabet="ab\r\n\u2028", max_size=40))
def test_lines_are_the_text_and_end_where_editors_end_them(text: str) -> None:
    lines = list(lines_of(FILE, text))
    assert "".join(lines) == text
    assert all(line.find("\n") in {-1, len(line) - 1} for line in lines)


def test_a_very_long_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 5)
    with pytest.raises(ProblemsError) as error:
        list(lines_of(FILE, "1234\n12345\n"))
    assert str(error.value) == (
        "example.csv:2: the line has 6 characters, more than 5; "
        "create the file again with one result per line"
    )


def test_a_note_ends_with_the_counts_of_the_last_import() -> None:
    assert with_entry_counts("A note.", {}) == "A note."
    assert with_entry_counts(None, {READ_AS_TEST: 1}) == "Entries read: 1. Taken: 1."
    first = with_entry_counts("A note.", {"empty cells": 2, "for old macOS": 3, READ_AS_TEST: 1995})
    counts = "Entries read: 2,000. Taken: 1,995. Left out: 3 for old macOS, 2 empty cells."
    assert first == f"A note. {counts}"
    assert with_entry_counts(first, {"x": 1}) == "A note. Entries read: 1. Taken: 0. Left out: 1 x."


def test_counts_are_kept_when_a_note_is_too_long() -> None:
    counts = "Entries read: 1. Taken: 1."
    note = with_entry_counts("x" * MAX_TEXT_LENGTH, {READ_AS_TEST: 1}) or ""
    assert note.endswith(f"x {counts}")
    assert len(note) <= MAX_TEXT_LENGTH


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_garbage_collector_is_as_before_after_a_pause(was_enabled: bool) -> None:  # noqa: FBT001
    (gc.enable if was_enabled else gc.disable)()
    try:
        with paused_garbage_collection():
            assert not gc.isenabled()
        assert gc.isenabled() is was_enabled
    finally:
        gc.enable()

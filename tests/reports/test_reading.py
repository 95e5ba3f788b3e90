from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports import reading as module
from accelerator_portal.reports.reading import TAKEN, lines_of, with_entry_counts

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
    assert with_entry_counts(None, {TAKEN: 1}) == "Entries read: 1. Taken: 1."
    first = with_entry_counts("A note.", {"empty cells": 2, "for old macOS": 3, TAKEN: 1995})
    counts = "Entries read: 2,000. Taken: 1,995. Left out: 3 for old macOS, 2 empty cells."
    assert first == f"A note. {counts}"
    assert with_entry_counts(first, {"x": 1}) == "A note. Entries read: 1. Taken: 0. Left out: 1 x."

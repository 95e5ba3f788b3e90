from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.site.pages.suites import csv_text

FIRST = ("=", "+", "-", "@", "\uff1d")
FORMULAS = (
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("https://evil.example","x")',
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\n=1",
    " =1",
    "  @SUM(1)",
    "\uff1d1",  # of full width
    "\uff20SUM(1)",
    "-x",
)


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_text(cell: str) -> None:
    ((_, read),) = csv.reader(io.StringIO(csv_text([["a", cell]]), newline=""))
    assert read == f"'{cell}"


@pytest.mark.parametrize("cell", ["\r=1", "x\r=1", "\r\n=1"])
def test_a_cell_begins_no_row_of_its_own(cell: str) -> None:
    text = csv_text([["a", cell]])
    assert "\r" not in text
    assert len(list(csv.reader(io.StringIO(text, newline="")))) == 1


@pytest.mark.parametrize("cell", ["", "passed", "torch.add", "a=b", "x-y", "1", "'=1", "a\nb"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    ((_, read),) = csv.reader(io.StringIO(csv_text([["a", cell]]), newline=""))
    assert read == cell


@pytest.mark.parametrize("cell", ["x;=1", 'x; "=1', "x|@SUM(1)", "x;\uff1d1", ";-1"])
def test_no_formula_stands_behind_a_semicolon(cell: str) -> None:
    """A spreadsheet in Europe parts cells there."""
    ((read,),) = csv.reader(io.StringIO(csv_text([[cell]]), newline=""))
    assert all(not part.strip(' "').startswith(FIRST) for part in re.split(r"[;|]", read)[1:])
    assert read.replace("'", "") == cell


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x07", "\x9b", "\x7f"])
def test_a_terminal_that_shows_the_file_obeys_nothing(sign: str) -> None:
    assert csv_text([[f"a{sign}]0;x"]]) == "a\ufffd]0;x\n"


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1)))
def test_no_cell_begins_like_a_formula(rows: list[list[str]]) -> None:
    read = list(csv.reader(io.StringIO(csv_text(rows), newline="")))
    for cell in (cell for row in read for cell in row):
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))

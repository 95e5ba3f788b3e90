"""Tables as CSV for people, who open it in a spreadsheet.

A spreadsheet computes a cell that begins like a formula, `=HYPERLINK(…)` or `@SUM(…)`, whether it
is quoted in the file or not. Such a cell gets an apostrophe, which a spreadsheet takes for "this is
text"; the JSON beside each table has every name letter by letter.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

# https://owasp.org/www-community/attacks/CSV_Injection, and the signs of full width, which
# spreadsheets in East Asia take for the plain ones.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these very signs

# Where a semicolon parts cells, the rest of a text is a cell of its own.
_FURTHER = re.compile(r"([;|]\s{0,9}[\"']?)([=+@＝＋－＠-])")  # noqa: RUF001 - as above

# A terminal that shows the file would obey them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV in which no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_as_text(cell) for cell in row] for row in rows)
    return text.getvalue()


def _as_text(cell: str) -> str:
    cell = " ".join(cell.split("\r"))  # not quoted by Python, and a new row to spreadsheets
    cell = _CONTROL.sub("\ufffd", cell)
    cell = _FURTHER.sub(r"\1'\2", cell)
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell

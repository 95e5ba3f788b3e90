"""Tables as CSV for people, who open it in a spreadsheet.

A spreadsheet computes a cell that begins like a formula, `=HYPERLINK(…)` or `@SUM(…)`, whether it
is quoted in the file or not. Such a cell gets an apostrophe, which a spreadsheet takes for "this is
text"; the JSON beside each table has every name letter by letter.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

# https://owasp.org/www-community/attacks/CSV_Injection, and the signs of full width, which
# spreadsheets in East Asia take for the plain ones.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these very signs


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV in which no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_as_text(cell) for cell in row] for row in rows)
    return text.getvalue()


def _as_text(cell: str) -> str:
    cell = " ".join(cell.split("\r"))  # not quoted by Python, and a new row to spreadsheets
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell

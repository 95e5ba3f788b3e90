"""Ready tables, kept away from Markdown and the search.

Both parse HTML in slow steps, and the tables are most of a platform's page. They hold nothing that
either of them needs: no headings, no anchors, and words that the search is told to leave out.
"""

from __future__ import annotations

import re

# A table as the templates write it: one row a line, and the end of the box on its own.
_TABLE = re.compile(
    r'^<div class="table-box"[^>\n]* data-search-exclude>\n.*?^</div>$', re.DOTALL | re.MULTILINE
)
_PLACE = '<div data-set-aside="{}"></div>'


def set_aside(markdown: str) -> tuple[str, list[str]]:
    """Return the page with a mark in the place of each table, and the tables."""
    tables: list[str] = []

    def mark(match: re.Match[str]) -> str:
        tables.append(match.group())
        return _PLACE.format(len(tables))

    return _TABLE.sub(mark, markdown), tables


def put_back(html: str, tables: list[str]) -> str:
    """Return the finished page with its tables in their places."""
    for number, table in enumerate(tables, 1):
        html = html.replace(_PLACE.format(number), table, 1)
    return html

"""Raw HTML of a page, kept away from Markdown and the search.

Both parse HTML in slow steps, and the tables and the selector's choices are most of a platform's
page. They hold nothing that either of them needs: no headings, no anchors, and only words that the
search is told to leave out. Templates mark them with the comments below; what a vendor writes
cannot hold one, because it is escaped.
"""

from __future__ import annotations

import re

_RAW_HTML = re.compile(r"<!--raw html-->\n?(.*?)<!--end of raw html-->\n?", re.DOTALL)
_PLACE = '<div data-raw-html="{}"></div>\n'


def take_out_raw_html(markdown: str) -> tuple[str, list[str]]:
    """Return the page with a short element in place of each part of raw HTML, and the parts."""
    parts: list[str] = []

    def place(match: re.Match[str]) -> str:
        parts.append(match[1])
        return _PLACE.format(len(parts))

    return _RAW_HTML.sub(place, markdown), parts


def put_back_raw_html(html: str, parts: list[str]) -> str:
    """Return the finished page with its parts in their places.

    Raises LookupError where a place is gone: the page would lack its table without a word.
    """
    for number, part in enumerate(parts, 1):
        before, place, after = html.partition(_PLACE.format(number))
        if not place:
            raise LookupError(f"raw HTML part {number} lost its place; give its comments own lines")
        html = before + part + after
    return html

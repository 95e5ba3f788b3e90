"""Ready parts of a page, kept away from Markdown and the search.

Both parse HTML in slow steps, and the tables and the selector's choices are most of a platform's
page. They hold nothing that either of them needs: no headings, no anchors, and only words that the
search is told to leave out. Templates mark them with the comments below; what a vendor writes
cannot hold one, because it is escaped.
"""

from __future__ import annotations

import re

_READY = re.compile(r"<!--set aside-->\n?(.*?)<!--until here-->\n?", re.DOTALL)
_PLACE = '<div data-set-aside="{}"></div>\n'


def set_aside(markdown: str) -> tuple[str, list[str]]:
    """Return the page with a short element in place of each ready part, and the parts."""
    parts: list[str] = []

    def place(match: re.Match[str]) -> str:
        parts.append(match[1])
        return _PLACE.format(len(parts))

    return _READY.sub(place, markdown), parts


def put_back(html: str, parts: list[str]) -> str:
    """Return the finished page with its parts in their places.

    Raises LookupError where a place is gone: the page would lack its table without a word.
    """
    for number, part in enumerate(parts, 1):
        before, place, after = html.partition(_PLACE.format(number))
        if not place:
            raise LookupError(f"ready part {number} lost its place; give its comments own lines")
        html = before + part + after
    return html

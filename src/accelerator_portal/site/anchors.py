"""Ids of headings on one page: each once, whatever the headings say."""

from __future__ import annotations

import re


def slug(text: str) -> str:
    """Return the words of a heading as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


class Anchors:
    """Gives ids out; counts on for each, as a file may repeat a heading many thousand times."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def take(self, anchor: str) -> str:
        """Return `anchor`, or with the first number that makes it new."""
        number = self._last.get(anchor, 0)
        found = anchor
        while number == 0 or found in self._taken:
            number += 1
            found = anchor if number == 1 else f"{anchor}-{number}"
        self._last[anchor] = number
        self._taken.add(found)
        return found

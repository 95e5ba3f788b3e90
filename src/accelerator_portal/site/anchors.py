"""Makes the ids of a page's headings unique, so that links to them work."""

from __future__ import annotations

from accelerator_portal.catalog.schema import slug

__all__ = ["Anchors", "slug"]


class Anchors:
    """Makes the ids of one page unique: `usage`, `usage-2`, `usage-3`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def take(self, anchor: str) -> str:
        """Return an unused id: `anchor`, or `anchor-2` and so on if the page already uses it."""
        number = self._last.get(anchor, 0)
        candidate = anchor
        while number == 0 or candidate in self._taken:
            number += 1
            candidate = anchor if number == 1 else f"{anchor}-{number}"
        self._last[anchor] = number
        self._taken.add(candidate)
        return candidate

"""Takes HTML out of a page before Markdown and the search process it, and puts it back.

Markdown and the search parse HTML slowly, and most of a platform's page is HTML that its template
wrote. Templates mark it with a comment on a line of its own before and after it:

- `raw html` is hidden from Markdown and the search: tables and the selector's choices. They contain
  no headings, no anchors, and only words that the search must not find.
- `finished html` is hidden from Markdown alone: the search reads its headings and words.

A vendor's text cannot contain a mark, because it is escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class HtmlMark:
    """A mark in pages: the comments `<!--…-->` and `<!--end of …-->`, where `…` is `words`."""

    words: str

    @cached_property
    def _part(self) -> re.Pattern[str]:
        return re.compile(rf"<!--{self.words}-->\n?(.*?)<!--end of {self.words}-->\n?", re.DOTALL)

    def _place(self, number: int) -> str:
        return f'<div data-{self.words.replace(" ", "-")}="{number}"></div>'

    def take_out(self, markdown: str) -> tuple[str, list[str]]:
        """Return the page with placeholders for the marked parts, and the parts."""
        parts: list[str] = []

        def place(match: re.Match[str]) -> str:
            parts.append(match[1].strip("\n") + "\n")
            return f"{self._place(len(parts))}\n"

        return self._part.sub(place, markdown), parts

    def put_back(self, html: str, parts: list[str]) -> str:
        """Return the page with the parts back in place of their placeholders.

        Raises LookupError if a placeholder is missing. Otherwise, the page would silently lack
        that part.
        """
        done: list[str] = []
        for number, part in enumerate(parts, 1):
            before, place, html = html.partition(self._place(number))
            if not place:
                lost = f"{self.words} part {number} lost its place"
                raise LookupError(f"{lost}; give its comments own lines")
            html = html.removeprefix("\n")  # the part ends with a line break
            done += before, part
        return "".join((*done, html))


RAW_HTML = HtmlMark("raw html")
FINISHED_HTML = HtmlMark("finished html")

_ANCHOR = re.compile(r'\sid="([^"]+)"')


def anchors(html: str) -> set[str]:
    """Return the values of all `id` attributes in HTML.

    MkDocs does not find these ids in parts that are hidden from Markdown, but links may lead there.
    """
    return set(_ANCHOR.findall(html))

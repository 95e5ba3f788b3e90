"""Replaces HTML parts of a page by placeholders before Markdown and the search read the page.

The HTML is restored afterwards. This saves time: Markdown and the search parse HTML slowly, and
most of a platform's page is HTML from its template. Templates mark such HTML with a comment on the
line before and on the line after:

- `raw html` is hidden from Markdown and the search. It contains tables and the selector's choices:
  no headings, no anchors, and only words that the search must not find.
- `finished html` is hidden from Markdown only. The search reads its headings and words.

Vendors' texts are escaped, so they cannot contain these comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class HtmlMark:
    """A pair of comments that marks HTML in pages: `<!--raw html-->`, `<!--end of raw html-->`.

    `words` is the text of the first comment, such as `raw html`.
    """

    words: str

    @cached_property
    def _marked_part(self) -> re.Pattern[str]:
        return re.compile(rf"<!--{self.words}-->\n?(.*?)<!--end of {self.words}-->\n?", re.DOTALL)

    def _placeholder(self, number: int) -> str:
        return f'<div data-{self.words.replace(" ", "-")}="{number}"></div>'

    def take_out(self, markdown: str) -> tuple[str, list[str]]:
        """Return the page with placeholders instead of the marked HTML, and the HTML parts."""
        parts: list[str] = []

        def replace_part(match: re.Match[str]) -> str:
            parts.append(match[1].strip("\n") + "\n")
            return f"{self._placeholder(len(parts))}\n"

        return self._marked_part.sub(replace_part, markdown), parts

    def put_back(self, html: str, parts: list[str]) -> str:
        """Return the page with its HTML `parts` instead of the placeholders.

        Raises LookupError if a placeholder is missing, because the page would lack that part.
        """
        restored: list[str] = []
        for number, part in enumerate(parts, 1):
            before, placeholder, html = html.partition(self._placeholder(number))
            if not placeholder:
                reason = f"{self.words} part {number} lost its place"
                raise LookupError(f"{reason}; give its comments own lines")
            html = html.removeprefix("\n")  # the part ends with a line break
            restored += before, part
        return "".join((*restored, html))


RAW_HTML = HtmlMark("raw html")
FINISHED_HTML = HtmlMark("finished html")

_ID_ATTRIBUTE = re.compile(r'\sid="([^"]+)"')


def html_ids(html: str) -> set[str]:
    """Return the values of all `id` attributes in HTML.

    Links can lead to these ids, but MkDocs does not find them in hidden HTML.
    """
    return set(_ID_ATTRIBUTE.findall(html))

"""Hides HTML parts of a page from Markdown, and adds a Content-Security-Policy to each page.

The HTML is restored afterwards. This saves time: Markdown and the search parse HTML slowly, and
most of a platform's page is HTML from its template. Templates mark such HTML with a comment on the
line before and on the line after:

- `raw html` is hidden from Markdown and the search. It contains tables and the selector's choices:
  no headings, no anchors, and only words that the search must not find.
- `finished html` is hidden from Markdown only. The search reads its headings and words.

Vendors' texts are escaped, so they cannot contain these comments.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from selectolax.lexbor import LexborHTMLParser


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

# Texts in which spaces have a meaning, and the spaces at the beginning and end of lines elsewhere.
_VERBATIM_TAGS = "script|style|pre|textarea"
_VERBATIM = re.compile(rf"(<(?:{_VERBATIM_TAGS})\b.*?</(?:{_VERBATIM_TAGS})>)", re.DOTALL)
_LINE_SPACES = re.compile(r"\s*\n\s*")


def without_blank_lines(html: str) -> str:
    """Return a page without the indentation and blank lines of the theme around the content.

    They are a third of what the theme adds to each page.
    """
    begin, end = _content_offsets(html)
    return "".join(
        part
        if part.startswith(("<article", "<script", "<style", "<pre", "<textarea"))
        else _LINE_SPACES.sub("\n", part)
        for part in (*_VERBATIM.split(html[:begin]), html[begin:end], *_VERBATIM.split(html[end:]))
    )


_ID_ATTRIBUTE = re.compile(r'\sid="([^"]+)"')


def html_ids(html: str) -> set[str]:
    """Return the values of all `id` attributes in HTML.

    Links can lead to these ids, but MkDocs does not find them in hidden HTML.
    """
    return set(_ID_ATTRIBUTE.findall(html))


# Adds a Content-Security-Policy to each HTML page, so that scripts in vendors' text cannot run.
#
# The policy is in the page, because any web server can serve the site, so the portal cannot set
# HTTP headers. The MkDocs theme has a few inline scripts, and the policy allows them by their
# hashes. Vendors write only the page's content. Therefore only scripts outside the content get a
# hash, and a page with a script in its content is refused.


class SecurityPolicyError(ValueError):
    """Raised if a page cannot get a policy; the message says why and what to do."""


# No 'unsafe-inline' for scripts. Styles need it: Material's scripts set them, and a style can
# carry nothing away, since nothing may be loaded from elsewhere.
_POLICY: Final = (
    "default-src 'self'; "
    "script-src {script}; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; "
    "connect-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "object-src 'none'"
)

# The theme's pages begin like this. The encoding stays before the policy: browsers look for it in
# the first 1024 bytes only.
_ATTRIBUTES: Final = r"""(?:\s(?:[^>"']|"[^"]*"|'[^']*')*+)?+"""
_HEAD: Final = re.compile(
    rf"\s*(?:<!doctype\s[^>]*>\s*)?(?:<html{_ATTRIBUTES}>\s*)?<head{_ATTRIBUTES}>"
    r"""(?:\s*<meta\s+charset=["']?[\w-]+["']?\s*/?>)?""",
    re.IGNORECASE,
)
# https://mimesniff.spec.whatwg.org/#javascript-mime-type, and the other types a browser acts upon.
_EXECUTABLE: Final = re.compile(
    r"(?: module | importmap | speculationrules"
    r" | (?:text|application) / (?:x-)? (?:java|ecma)script"
    r" | text / (?: jscript | livescript | javascript1\.[0-5] ) )?",
    re.IGNORECASE | re.VERBOSE,
)
# After this text, a browser does not end the script at the next `</script>`.
_DOUBLE_ESCAPE: Final = re.compile(r"<!--.*<script[\s/>]", re.IGNORECASE | re.DOTALL)


def add_security_policy(html: str) -> str:
    """Return a page with its Content-Security-Policy, as early in the head as possible.

    Raises SecurityPolicyError if the page has no head, its content contains an inline script, or a
    script contains `<!--` and later `<script`.
    """
    head = _HEAD.match(html)
    if not head:
        raise SecurityPolicyError("the page has no <head>, so there is no place for its policy")
    begin, end = _content_offsets(html)
    in_page = Counter(_inline_scripts(html))
    in_theme = Counter(_inline_scripts(html[:begin] + html[end:]))
    for script in in_page - in_theme:
        beginning = " ".join(script.split())[:60]
        raise SecurityPolicyError(
            f"line {_script_line_number(html, script, begin)}: the page's content holds an inline "
            f"script ({beginning!r}). Content cannot bring scripts: put it into a file under "
            "site_src/scripts/ and list that in mkdocs.yml"
        )
    policy = _POLICY.format(script=" ".join(["'self'", *map(_script_hash, in_theme)]))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return html[: head.end()] + meta + html[head.end() :]


def _content_offsets(html: str) -> tuple[int, int]:
    """Return the offsets in `html` at which the content starts and ends; (0, 0) without content.

    The content starts at the first `<article` and ends at the last `</article>`. The last
    `</article>` belongs to the theme, so a vendor's text cannot end the content early.
    """
    begin, end = html.find("<article"), html.rfind("</article>")
    return (begin, end) if 0 <= begin < end else (0, 0)


def _inline_scripts(html: str) -> Iterator[str]:
    """Yield the text of each inline script that a browser would run.

    Raises SecurityPolicyError for a script that contains `<!--` and later `<script`.
    """
    for script in LexborHTMLParser(html).css("script"):
        text, attributes = script.text(), script.attributes
        if _DOUBLE_ESCAPE.search(text):
            raise SecurityPolicyError(
                f"line {_script_line_number(html, text, 0)}: a script has '<!--' and then "
                "'<script', so browsers end the script later than the text shows; "
                r"write '<' as '\u003c' there"
            )
        kind = (attributes.get("type") or "").strip()
        if text and "src" not in attributes and _EXECUTABLE.fullmatch(kind):
            yield text


def _script_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _script_line_number(html: str, script: str, begin: int) -> int:
    """Return the line number of the first tag with this script at or after the offset `begin`.

    Without such a tag, the result is the line number of `begin`.
    """
    tag = re.compile(rf"<script[^<]*>{re.escape(script)}", re.IGNORECASE).search(html, begin)
    return html.count("\n", 0, tag.start() if tag else begin) + 1

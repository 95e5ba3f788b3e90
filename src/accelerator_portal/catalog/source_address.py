"""Where a source opens: at the decisive words, as far as its site has addresses for them.

A file on GitHub, GitLab, Gitee or GitCode opens at lines. Any other page opens at a quotation: the
browser looks for it and marks it. Source: wicg.github.io/scroll-to-text-fragment.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

LINES = r"[1-9][0-9]{0,6}(?:-[1-9][0-9]{0,6})?"

_FILE = re.compile(r"https://(?:github|gitlab|gitee|gitcode)\.com/[^?#]+/blob/[^?#]+")
_REFERENCE = re.compile(
    r"https://(?:(?:github|gitlab|gitee|gitcode)\.com/[^/]+/[^/]+/(?:-/)?(?:blob|tree|raw|commits)"
    r"|huggingface\.co/(?:datasets/)?[^/]+/[^/]+/(?:blob|tree|raw)"
    r"|raw\.githubusercontent\.com/[^/]+/[^/]+)/(?P<ref>[^/?#]+)"
)
# A commit, or the tag of a release. A branch of a release, such as `v0.25.1-dev`, moves.
_FIXED = re.compile(r"[0-9a-f]{7,40}|(?:[a-z]+-)?v?\d+(?:\.\d+)+(?:[._-]?(?:rc|post|a|b)\.?\d+)?")
_GITHUB = "https://github.com/"
# GitHub shows these as pages; lines have addresses in the plain text only.
_RENDERED = (".md", ".rst", ".markdown", ".ipynb")


def opens_at(url: str, lines: str | None = None, words: str | None = None) -> str:
    """Return the address that opens a document at its decisive lines or words."""
    if lines:
        first, _, last = lines.partition("-")
        plain = url.startswith(_GITHUB) and urlsplit(url).path.lower().endswith(_RENDERED)
        end = (f"-L{last}" if url.startswith(_GITHUB) else f"-{last}") if last else ""
        return f"{url}{'?plain=1' if plain else ''}#L{first}{end}"
    if words and not is_file(url):
        # A hyphen has a meaning of its own in a text fragment; `quote` leaves it as it is.
        encoded = quote(words, safe="").replace("-", "%2D")
        return f"{url}{'' if '#' in url else '#'}:~:text={encoded}"
    return url


def is_file(url: str) -> bool:
    """Return whether an address is a file in a repository on a code host."""
    return bool(_FILE.fullmatch(url))


def is_moving(url: str) -> bool:
    """Return whether an address is of a branch, whose content changes, and of no commit or tag."""
    found = _REFERENCE.match(url)
    return found is not None and not _FIXED.fullmatch(found["ref"])

"""Shortens texts to the length that a report allows."""

from __future__ import annotations

MAX_TEXT_LENGTH = 4000
"""The maximum number of characters of a message or a log in a report."""


def without_lone_surrogates(text: str) -> str:
    r"""Return a text with escape sequences for lone surrogates, such as `\udcff`.

    Python writes bytes that are not UTF-8 as such characters. A report cannot contain them.
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def shortened_text(text: str, limit: int = MAX_TEXT_LENGTH) -> str | None:
    """Return a text of at most `limit` characters, without lone surrogates; None if it is empty.

    If the text is longer, its middle is replaced by a line with `…`.
    """
    text = without_lone_surrogates(text).strip()
    if len(text) <= limit:
        return text or None
    half = (limit - 3) // 2
    return f"{text[:half]}\n…\n{text[-half:]}"

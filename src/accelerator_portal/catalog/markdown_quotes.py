"""Quotes untrusted text in Markdown so that it has no effect on GitHub, such as a mention.

There is one rule: all text from data is in code, in a span or in a fence. In code, GitHub creates
no mentions, references, links, pictures or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from accelerator_reports.files.text_file import HIDDEN_CHARACTER, escape_sequence

_BACKTICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3
MOST_IN_SPAN = 301  # the longest text in a difference, including the ellipsis of a cut


def code_span(text: str, most: int = MOST_IN_SPAN) -> str:
    """Return text as a Markdown code span on one line.

    The text is cut after `most` characters. Invisible characters become escape sequences. For
    an empty text, the result is `*empty*`.
    """
    line = escape_hidden_characters(" ".join(text.split()))
    if len(line) > most:
        line = f"{line[: most - 1]}…"
    if not line:
        return "*empty*"
    ticks = "`" * (_longest_backtick_run(line) + 1)
    # CommonMark takes away one blank at each end, if both have one.
    blank = " " if "`" in (line[0], line[-1]) else ""
    return f"{ticks}{blank}{line}{blank}{ticks}"


def fenced_code(lines: Iterable[str], language: str = "") -> list[str]:
    """Return the lines of a fenced code block, including the fences. `lines` is its content.

    Backticks in the lines cannot end the block. Invisible characters become escape sequences.
    """
    escaped_lines = [escape_hidden_characters(line) for line in lines]
    ticks = "`" * max(
        [_SHORTEST_FENCE, *(_longest_backtick_run(line) + 1 for line in escaped_lines)]
    )
    return [f"{ticks}{language}", *escaped_lines, ticks]


def escape_hidden_characters(text: str) -> str:
    """Return text with invisible characters and line breaks as escape sequences."""
    escaped = HIDDEN_CHARACTER.sub(lambda found: escape_sequence(found[0]), text)
    return "".join(c if c == " " or c.isprintable() else escape_sequence(c) for c in escaped)


def _longest_backtick_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)

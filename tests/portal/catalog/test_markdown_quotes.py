from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from accelerator_portal.catalog.markdown_file import (
    MOST_IN_SPAN,
    code_span,
    escape_hidden_characters,
    fenced_code,
)
from tests.portal.site.drawn_differences import texts

PARSER = MarkdownIt("commonmark", {"html": True})


@given(texts)
def test_a_span_is_one_piece_of_code_wherever_it_stands(text: str) -> None:
    for frame in ("- {}", "**a** {}: b", "### {}", "Gone: {} → {}"):
        (inline,) = (
            t for t in PARSER.parse(frame.format(code_span(text), code_span(text))) if t.children
        )
        words = " ".join(escape_hidden_characters(" ".join(text.split())).split())
        for token in inline.children or ():
            if token.type == "code_inline" and len(words) <= 300:
                assert " ".join(token.content.split()) == words
            assert token.type in {
                "text",
                "code_inline",
                "strong_open",
                "strong_close",
                "em_open",
                "em_close",
            }


def test_a_long_text_is_cut() -> None:
    assert code_span("x" * MOST_IN_SPAN) == f"`{'x' * MOST_IN_SPAN}`"
    assert code_span("x" * (MOST_IN_SPAN + 1)) == f"`{'x' * (MOST_IN_SPAN - 1)}…`"


@given(st.lists(texts))
def test_a_fence_holds_its_lines_and_ends(lines: list[str]) -> None:
    tokens = PARSER.parse("\n".join(["before", "", *fenced_code(lines, "diff"), "", "after"]))
    assert [token.type for token in tokens] == [
        *("paragraph_open", "inline", "paragraph_close"),
        "fence",
        *("paragraph_open", "inline", "paragraph_close"),
    ]
    assert tokens[3].content.split("\n")[:-1] == [escape_hidden_characters(line) for line in lines]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("a\nb", "a\\u000ab"),
        ("\x1b[1m", "\\u001b[1m"),
        ("\U000e0001", "\\U000e0001"),
        ("ä → 中", "ä → 中"),
    ],
)
def test_what_is_not_seen_is_written_as_its_number(text: str, shown: str) -> None:
    assert escape_hidden_characters(text) == shown

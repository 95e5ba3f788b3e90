from __future__ import annotations

import pytest

from accelerator_automation.github.comments import MOST_CHARACTERS, faults
from accelerator_automation.site_change_comment import MARKER

LINK = "https://github.com/example/portal/actions/runs/1"


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, `@code #1 <b>` and *more*.",
        "### `title`\n\n- `a` → `b`\n- **c**",
        "```diff\n- @a\n+ <img src=x>\n```",
        f"By [this run]({LINK}).",
    ],
)
def test_what_only_can_be_read_passes(text: str) -> None:
    assert faults(f"{MARKER}\n\n{text}\n", MARKER, [LINK]) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Hello @somebody", '"@" is not in a code span'),
        ("Hello \\@somebody", "is not in a code span"),
        ("Hello &#64;somebody", "is not in a code span"),
        ("fixes #1", '"#" is not in a code span'),
        ("fixes GH-1", '"GH-1" is not in a code span'),
        ("see https://evil.example", '"://" is not in a code span'),
        ("see www.evil.example", '"www." is not in a code span'),
        ("[run](https://evil.example)", "it links elsewhere"),
        ("<https://evil.example>", "it links elsewhere"),
        ("[run][1]\n\n[1]: https://evil.example", "it links elsewhere"),
        ("![x](https://evil.example/x.png)", "it has a image"),
        ("<b>x</b>", "it has a html_inline"),
        ("<!-- x -->", "it has a html_block"),
        ("<details>\n\nx\n\n</details>", "it has a html_block"),
        ("| a |\n| - |\n| b |", "it has a table"),
        ("> quote", "it has a blockquote"),
        ("    indented", "it has a code_block"),
        ("$x$", '"$" is not in a code span'),
        ("``` not closed `", None),
        ("a\u202eb", "it has the character U+202E"),
        ("x" * MOST_CHARACTERS, "it has more than 65,000 characters"),
    ],
)
def test_what_could_act_does_not(text: str, fault: str | None) -> None:
    found = faults(f"{MARKER}\n\n{text}\n", MARKER, [LINK])
    assert any(fault in one for one in found) if fault else found == []


def test_it_begins_with_the_marker_and_has_it_once() -> None:
    assert faults("words\n", MARKER) == ["it does not start with the marker"]
    assert faults(f"{MARKER}\n\n{MARKER}\n", MARKER) == ["it has a html_block"]

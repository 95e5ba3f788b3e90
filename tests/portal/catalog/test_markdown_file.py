from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from accelerator_portal.catalog.markdown_file import MarkdownFile, parse_markdown

# Example data; the body begins in line 8.
FRONT = """\
---
sources:
  a:
    url: https://example.org/
    title: Example data
    read: 2026-01-02
---
"""


FAULTS: list[list[str]] = yaml.safe_load(
    Path(__file__).with_name("faults.yaml").read_text("utf-8")
)["markdown"]


def parsed(body: str) -> MarkdownFile:
    file, problems = parse_markdown("a.md", FRONT + body)
    assert problems == []
    assert file is not None
    return file


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse_markdown("a.md", text)[1]]


def test_sections_know_their_titles_texts_and_lines() -> None:
    file = parsed("\n## One\n\nfirst\n\n### below\n\nstill\n\nTwo\n---\nsecond\n\n\n## Three ##\n")
    assert [(s.title, s.line, s.text, s.text_line) for s in file.sections] == [
        ("One", 9, "first\n\n### below\n\nstill", 11),
        ("Two", 17, "second", 19),
        ("Three", 22, "", 24),
    ]
    assert list(file.sources) == ["a"]


def test_a_section_declares_error_messages() -> None:
    file = parsed(
        "## One\n\n``` error\nfirst: *\n\n second\n```\n\ntext\n\n## Two\n\n```sh\nls\n```\n"
    )
    one, two = file.sections
    assert [(m.line, m.text) for m in one.messages] == [(11, "first: *"), (13, "second")]
    assert (one.text, one.text_line) == ("text", 16)
    assert two.messages == ()
    assert [block.text for block in file.code] == ["ls\n"]


@pytest.mark.parametrize(
    "text", ["text\n\n```error\nx\n```", "### Three\n\n```error\nx\n```", "> ```error\n> x\n> ```"]
)
def test_error_messages_stand_below_the_heading(text: str) -> None:
    line = 8 + 2 + text.split("```", maxsplit=1)[0].count("\n")
    assert problems(f"{FRONT}## One\n\n{text}\n") == [
        f"a.md:{line}: a block `error` is inside an answer; move it directly below the heading"
    ]


@pytest.mark.parametrize(
    "text", ["```\n## not a heading\n```", "> ## quoted", "- ## in a list", "    ## code\n\nx"]
)
def test_only_headings_of_the_text_itself_begin_a_section(text: str) -> None:
    (section,) = parsed(f"## One\n\n{text}\n").sections
    assert section.text == text


def test_without_a_heading_there_are_no_sections() -> None:
    assert parsed("").sections == ()


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case[0])
def test_what_is_wrong_is_named_with_its_line(case: list[str]) -> None:
    text, *expected = case
    assert problems(text.replace("FRONT\n", FRONT)) == [f"a.md:{problem}" for problem in expected]


def test_a_paragraph_has_a_longest_length() -> None:
    paragraph = "word " * 1599 + "words"
    assert problems(f"{FRONT}## One\n\n{paragraph}\n") == []
    (problem,) = problems(f"{FRONT}## One\n\n{paragraph}s\n")
    assert problem.startswith("a.md:10: a paragraph has 8,001 characters, more than 8,000; ")


@pytest.mark.parametrize(
    "text", ["`<div>`", "```html\n<div>\n```", "&lt;div>", "a < b", "| a |\n|-|"]
)
def test_what_only_looks_like_html_is_text(text: str) -> None:
    (section,) = parsed(f"## One\n\n{text}\n").sections
    assert section.text == text

from __future__ import annotations

import re

from hypothesis import given, settings
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.difference import (
    _MOST_MARKDOWN_LINES,
    MOST_MARKDOWN_CHARACTERS,
    Difference,
    DifferenceSection,
    Item,
    ItemChange,
    PartDifference,
    markdown,
)
from accelerator_reports.file_reading import parse_json
from tests.portal.site.drawn_differences import differences

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
EXPECTED = {"html", "head", "body", "p", "ul", "li", "h3", "strong", "em", "code", "pre"}


def item(section: DifferenceSection = "facts", **values: object) -> Item:
    return Item.model_validate({"section": section, "change": "changed", "name": "x", **values})


def part(*items: Item, change: ItemChange = "changed", left_out: int = 0) -> PartDifference:
    return PartDifference(id="acme", name="Acme", change=change, items=items, left_out=left_out)


@given(differences)
@settings(max_examples=200)
def test_whatever_the_texts_are_nothing_stands_outside_code_that_could_act(
    difference: Difference,
) -> None:
    text = markdown(difference)
    assert len(text) <= MOST_MARKDOWN_CHARACTERS
    tree = LexborHTMLParser(PARSER.render(text))
    assert {node.tag for node in tree.css("*")} <= EXPECTED
    assert all(not node.attributes or node.tag == "code" for node in tree.css("*"))
    tree.strip_tags(["code", "pre"], recursive=False)
    for node in tree.css("code, pre"):
        node.decompose()
    shown = tree.body.text() if tree.body else ""
    assert not any(sign in shown for sign in ("@", "#", "<", "://", "www.", "[", "`", "$", "&"))
    assert not any(line.lstrip().startswith(("@", "<", "![")) for line in _outside(text))


def _outside(text: str) -> list[str]:
    """The lines that stand in no fence."""
    tokens = [token.map for token in PARSER.parse(text) if token.type == "fence"]
    fenced = {n for place in tokens if place for n in range(*place)}
    return [line for n, line in enumerate(text.splitlines()) if n not in fenced]


@given(differences)
@settings(max_examples=50)
def test_as_json_it_can_be_read_again(difference: Difference) -> None:
    text = difference.model_dump_json(exclude_none=True)
    assert Difference.model_validate(parse_json(text)) == difference


def test_the_first_line_is_one_sentence() -> None:
    pages = PartDifference(id="", name="", change="changed", items=(item("pages"),), left_out=1)
    parts = (part(change="added"), part(item(), item("commands"), left_out=3))
    assert markdown(Difference(parts=parts, pages=pages)).splitlines()[0] == (
        "Readers will see 1 new platform, 5 changes of 1 platform and 2 changed pages."
    )


def test_lines_of_a_command_that_stay_are_shown_once() -> None:
    command = item("commands", before="a\nb", after="a\nc")
    assert "```diff\n  a\n- b\n+ c\n```" in markdown(Difference(parts=(part(command),)))


def test_pages_alone_can_be_different() -> None:
    pages = part(item("pages", name="/run-anywhere/"))
    assert markdown(Difference(pages=pages)) == (
        "Readers will see 1 changed page.\n\n### Pages\n\n- `/run-anywhere/`\n"
    )


def test_data_that_was_not_compared_is_said() -> None:
    text = markdown(Difference(not_compared="data/x.yaml:1: @x"))
    assert text == (
        "The data of the two states was not compared.\n\n`data/x.yaml:1: @x`\n\n"
        "Pages were not compared.\n"
    )


def test_a_long_list_says_how_many_more_there_are() -> None:
    facts = [item(name=f"{n}") for n in range(_MOST_MARKDOWN_LINES + 2)]
    lines = markdown(Difference(parts=(part(*facts, left_out=5),))).splitlines()
    assert {"- … and 2 more", "… and 5 more changes."} <= {*lines}


def test_what_does_not_fit_is_left_out_in_whole_blocks_and_counted() -> None:
    commands = [item("commands", name="n" * 300, after="a\n" * 39 + "b" * 250)] * 15
    text = markdown(Difference(parts=tuple([part(*commands)] * 20)))
    assert 50_000 < len(text) <= MOST_MARKDOWN_CHARACTERS
    left_out = re.fullmatch(r"\*([\d,]+) more lines left out. .*", text.splitlines()[-1])
    assert left_out
    shown = [line for line in text.splitlines()[2:-2] if line]
    assert PARSER.parse(text)[-2].content == left_out[0]
    assert len(shown) + int(left_out[1].replace(",", "")) > 15 * 20 * 43

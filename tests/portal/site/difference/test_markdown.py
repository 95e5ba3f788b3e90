from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given, settings
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.difference import Difference, compare, markdown, read_state
from accelerator_portal.site.difference.markdown import (
    MOST_LINES,
    MOST_MARKDOWN_CHARACTERS,
    join_blocks,
)
from accelerator_portal.site.difference.shapes import (
    CommandChange,
    Item,
    PagesDifference,
    PlatformDifference,
)
from accelerator_reports.file_reading import parse_json
from tests.folders import ACCELERATOR, EXAMPLE, FAQ, INSTALL, edited
from tests.portal.site.difference.drawn import differences
from tests.portal.site.difference.two_sites import report, site_of

GOLDEN = Path(__file__).parent / "golden.md"
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
EXPECTED = {"html", "head", "body", "p", "ul", "li", "h3", "strong", "em", "code", "pre"}


def platform(**lists: object) -> PlatformDifference:
    return PlatformDifference.model_validate(
        {"id": "acme", "name": "Acme", "change": "changed", **lists}
    )


def test_two_states_of_an_invented_platform(tmp_path: Path) -> None:
    old = {**EXAMPLE, **report(0, {"a": "passed", "b": "failed"})}
    new = edited(
        (INSTALL, 'packages: ["torch=={torch}"]', 'packages: ["torch=={torch}", numpy]'),
        (INSTALL, 'version: ">=5"', 'version: ">=6"'),
        (ACCELERATOR, "vendor: Example Vendor", "vendor: '@everybody'"),
        (FAQ, "## Does it exist?", "## Does @it exist, #1?"),
        files={**old, **report(0, {"a": "crashed", "b": "passed"})},
    )
    states = (read_state(site_of(tmp_path / n, f)) for n, f in (("old", old), ("new", new)))
    text = markdown(compare(*states))
    if os.environ.get("PORTAL_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


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
    difference = Difference(
        platforms=(
            platform(change="added"),
            platform(facts=[Item(change="gone", name="x")] * 2, left_out={"facts": 3}),
            platform(commands=[CommandChange(change="gone", commands=7, choices=9, where=())]),
        ),
        pages=PagesDifference(added=("a/",), changed=("b/", "c/")),
    )
    assert markdown(difference).splitlines()[0] == (
        "Readers will see 1 new platform, 7 changed install commands, 5 changed facts, 1 new page "
        "and 2 changed pages."
    )


def test_lines_of_a_command_that_stay_are_shown_once() -> None:
    command = CommandChange(
        change="changed", choices=1, where=("x",), before=("a", "b"), after=("a", "c")
    )
    text = markdown(Difference(platforms=(platform(commands=[command]),)))
    assert "```diff\n  a\n- b\n+ c\n```" in text


def test_pages_alone_can_be_different() -> None:
    difference = Difference(pages=PagesDifference(changed=("run-anywhere/",)))
    assert markdown(difference) == (
        "Readers will see 1 changed page.\n\n### Pages\n\n- Changed: `/run-anywhere/`\n"
    )


def test_a_long_list_says_how_many_more_there_are() -> None:
    facts = [Item(change="added", name=f"{n}") for n in range(MOST_LINES + 2)]
    text = markdown(Difference(platforms=(platform(facts=facts, left_out={"facts": 5}),)))
    assert "- … and 7 more" in text.splitlines()


def test_what_does_not_fit_is_left_out_in_whole_blocks_and_counted() -> None:
    fence = ["Changed", "", "```diff", "- a", "+ b", "```"]
    whole = join_blocks([["Summary."], *[fence] * 100], 10**6)
    short = join_blocks([["Summary."], *[fence] * 100], 1000)
    assert len(whole) > 1000 >= len(short)
    *kept, last = short.rstrip().split("\n\n")
    kept_fences = "\n\n".join(kept).count("```diff")
    more = (100 - kept_fences) * len(fence)
    assert last == f"*{more} more lines are left out here. The JSON difference has them.*"
    assert [t.type for t in PARSER.parse(short)].count("fence") == kept_fences
    assert PARSER.parse(short)[-2].content == last


def test_a_huge_difference_stays_within_the_limit() -> None:
    items = [Item(change="changed", name="n" * 300, before="b" * 300, after="a" * 300)] * 500
    platforms = tuple(platform(facts=items, versions=items, texts=items) for _ in range(10))
    text = markdown(Difference(platforms=platforms))
    assert len(text) <= MOST_MARKDOWN_CHARACTERS
    assert "more lines are left out here" in text

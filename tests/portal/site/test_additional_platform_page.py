"""Pages for pytorch.org: short enough, with all facts cited, and shown there as they are meant."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import GUIDE_HEADINGS
from accelerator_portal.site.additional_platform_page import (
    plain_text,
    platform_page,
    rendering_problems,
)

SITE = "https://portal.example.org/"
SECTIONS = [*GUIDE_HEADINGS, "Sources"]


def with_text(platform: Platform, title: str, text: str) -> Platform:
    """The platform with another text below one heading of its guide."""
    sections = (replace(s, text=text) if s.title == title else s for s in platform.guide.sections)
    return replace(platform, guide=replace(platform.guide, sections=tuple(sections)))


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]


def test_each_guide_fits_and_is_shown_as_written(catalog: Catalog) -> None:
    for platform in catalog.platforms:
        page = platform_page(platform, SITE)
        assert page.length <= 200, platform.id
        assert [*headings(page.text), *page.left_out] == SECTIONS, platform.id
        assert "[@" not in page.text
        assert "](/" not in page.text
        assert "*Versions* on this page" not in page.text, "pytorch.org has no such section"
        assert not [*rendering_problems(platform, SITE)], platform.id


@pytest.mark.parametrize(
    ("title", "lines", "left_out"),
    [
        ("Start", 1, ()),
        ("Deploy", 145, ("Sources",)),
        ("Deploy", 180, ("Deploy", "Sources")),
        ("Start", 300, ("Prepare", "Start", "Deploy", "Help", "Sources")),
    ],
)
def test_a_long_guide_loses_whole_sections(
    catalog: Catalog, title: str, lines: int, left_out: tuple[str, ...]
) -> None:
    platform = catalog.by_id["biren"]
    page = platform_page(with_text(platform, title, "\n".join(["line"] * lines)), SITE)
    assert page.length <= 200
    assert page.left_out == left_out
    address = f"{SITE}compute-platforms/{platform.id}/"
    last = page.text.splitlines()[-1]
    assert last.startswith(f"The [complete guide]({address}) also has: ")
    assert all(name in last for name in left_out)


def test_a_citation_is_a_link_with_the_number_of_its_source(catalog: Catalog) -> None:
    platform = catalog.by_id["ascend"]
    cited = "One [@readme]. Two [@images] [@pypi], see [cards](/hardware/#x). [@readme]"
    text = platform_page(with_text(platform, "Prepare", cited), SITE).text
    readme = platform.guide.sources["readme"].address
    assert f"One [[1]]({readme}). Two [[2]](" in text
    assert f"[3], see [cards]({SITE}hardware/#x). [[1]]({readme})" in text


def test_the_list_of_sources_has_the_same_numbers(catalog: Catalog) -> None:
    text = platform_page(catalog.by_id["biren"], SITE).text
    tree = LexborHTMLParser(MarkdownIt("commonmark").render(text))
    items = tree.css("ol:last-of-type li")
    links = {node.text(): node.attributes["href"] for node in tree.css("a")}
    own = [node.css_first("a") for node in items]
    for number, link in enumerate(own, 1):
        if link:
            assert links[f"[{number}]"] == link.attributes["href"]
    assert len(own) == len(catalog.by_id["biren"].guide.sources)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Buy:\n- this\n- that", 'near "Buy: this that"'),
        ("- run\n\n  ```bash\n  ls\n  ```", 'near "run ls"'),
        (
            'Write\n\n```python\nprint("{:.2f}".format(x))\n```',
            "it removes {:…}; write { : instead",
        ),
    ],
)
def test_what_upstream_would_show_differently_is_refused(
    catalog: Catalog, text: str, fault: str
) -> None:
    platform = with_text(catalog.by_id["biren"], "Start", text)
    (problem,) = rendering_problems(platform, SITE)
    line = next(s.line for s in platform.guide.sections if s.title == "Start")
    assert (problem.path, problem.line) == ("accelerators/biren/guide.md", line)
    assert fault in str(problem)


def test_a_name_makes_no_html_and_no_emphasis() -> None:
    name = "<b>*Foo*</b> [x](y) `z` a_b_c & \\"
    html = MarkdownIt("commonmark", {"html": True}).render(plain_text(name))
    assert LexborHTMLParser(html).css("b, em, a, code") == []
    assert LexborHTMLParser(html).text().strip() == name

"""No page is a scroll without end: what is looked up is closed, or a page of its own."""

from __future__ import annotations

import re

from tests.browser import kinds
from tests.browser.looks import HEIGHT, too_tall
from tests.browser.visit import PHONE, OpenPage, expect, wait_until_ready
from tests.built_site import Site

# What a reader scrolls through at most, before anything is opened.
MOST_PIXELS_OF_A_PLATFORM = 6_400
MOST_PIXELS_OF_THE_QUESTIONS = 10_000
MOST_SHEETS = 9

# Pages of one template differ in how much they hold: of each kind the heaviest stand for all.
HEAVIEST = 3


def heaviest(site: Site) -> list[str]:
    """The pages of each family whose HTML is longest; `test_every_kind` looks at the others."""
    families: dict[str, list[str]] = {}
    for address in site.pages:
        kind = next((k.pattern for k in kinds.FAMILIES if k.fullmatch(address)), None)
        if kind and address not in kinds.KINDS:
            families.setdefault(kind, []).append(address)
    return [
        address
        for members in families.values()
        for address in sorted(members, key=lambda a: -len(site.pages[a].html))[:HEAVIEST]
    ]


def test_no_page_is_too_tall(open_page: OpenPage, site: Site) -> None:
    page = open_page("404.html")
    root = page.url.removesuffix("404.html")
    for address in heaviest(site):
        page.goto(root + address)
        assert (address, too_tall(page)) == (address, {})


def test_the_questions_page_is_short_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("questions/")
    page.set_viewport_size(PHONE)
    expect(page.locator(".question-group")).not_to_have_count(0)
    assert page.evaluate(HEIGHT) <= MOST_PIXELS_OF_THE_QUESTIONS


def test_a_platforms_page_is_short_and_prints_on_a_few_sheets(open_page: OpenPage) -> None:
    """Material opens every part for printing; only what the reader opened is on paper."""
    page = open_page("404.html")
    heights, sheets = {}, {}
    for address in kinds.PLATFORMS:
        page.goto(f"/{address}")
        wait_until_ready(page)
        heights[address] = page.evaluate(HEIGHT)
        printed = page.pdf(format="A4")
        sheets[address] = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert {a: h for a, h in heights.items() if h > MOST_PIXELS_OF_A_PLATFORM} == {}
    assert {a: number for a, number in sheets.items() if number > MOST_SHEETS} == {}
    assert all(sheets.values())


def test_what_a_reader_opened_is_printed(open_page: OpenPage) -> None:
    page = open_page(kinds.FULLEST)
    page.wait_for_load_state("networkidle")
    few = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    page.locator("#all-sources").evaluate("title => title.closest('details').open = true")
    expect(page.locator("details[data-opened]")).to_have_count(1)
    more = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert more > few

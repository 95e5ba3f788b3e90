"""axe-core finds nothing, of whatever severity, on any page, wide or narrow, light or dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import kinds
from tests.browser.visit import DESKTOP, PHONE, OpenPage, expect, search

VIEWPORTS = {"desktop": DESKTOP, "phone": PHONE}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


# Of a table's rows, and of things that follow each other under one template, so many are looked at:
# axe takes minutes for the thousands of others, which differ in their words alone.
ALIKE = 4

_SHORTEN = """(most) => {
  const alike = [["table", "tbody tr"], [".questions", ".question"], [".cards", ".card"],
    ["article dl", ":scope > div"], ["article ul", ":scope > li"], [".sources", ":scope > li"],
    ["article", ":scope > .test"]];
  for (const [box, items] of alike)
    for (const one of document.querySelectorAll(box))
      for (const item of [...one.querySelectorAll(items)].slice(most)) item.remove();
  for (const heading of [...document.querySelectorAll(".test-name")].slice(most)) {
    while (heading.nextElementSibling?.matches(".note, .table-box"))
      heading.nextElementSibling.remove();
    heading.remove();
  }
}"""


def shortened(page: Page) -> Page:
    page.evaluate(_SHORTEN, ALIKE)
    return page


# All of each violation; of a rule that passes only its name: that takes half the time.
# axe calls the rule added here experimental: what is seen of a control's name must be in its name.
NAME_RULE = {"label-content-name-mismatch": {"enabled": True}}
ALL_RULES = {"resultTypes": ["violations"], "rules": NAME_RULE}
# The rule that takes longest. Colours are the template's, which the fullest page shows.
WITHOUT_COLOURS = {**ALL_RULES, "rules": {**NAME_RULE, "color-contrast": {"enabled": False}}}


def violations(page: Page, options: dict[str, Any] = ALL_RULES) -> Iterator[str]:
    """What axe finds, a line each: rule, severity, place, why."""
    found: dict[str, Any] = Axe().run(page, options=options).response
    assert len(found["passes"]) > 10
    for violation in found["violations"]:
        for node in violation["nodes"]:
            why = [check["message"] for kind in ("any", "all", "none") for check in node[kind]]
            yield f"{violation['id']} ({violation['impact']}): {node['target']}: {'; '.join(why)}"


def in_both_schemes(page: Page) -> list[str]:
    return [line for scheme in SCHEMES for line in in_scheme(page, scheme)]


def in_scheme(page: Page, scheme: Literal["light", "dark"]) -> list[str]:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    expect(page.locator("body")).to_have_attribute(
        "data-md-color-scheme", "slate" if scheme == "dark" else "default"
    )
    settle(page)
    return [f"{scheme}: {line}" for line in violations(page)]


def settle(page: Page) -> None:
    """Wait until transitions, of colours for one, have come to their end."""
    page.evaluate("() => Promise.allSettled(document.getAnimations().map((one) => one.finished))")


FIRST = [page for page in kinds.KINDS if page not in kinds.OTHERS]


@pytest.mark.parametrize("address", FIRST, ids=kinds.name)
def test_every_kind_of_page(open_page: OpenPage, address: str) -> None:
    """Colours are those of a scheme, whatever the width: two looks see all of both."""
    page = shortened(open_page(address, reduced_motion="reduce"))
    assert in_scheme(page, "light") == []
    page.set_viewport_size(PHONE)
    assert in_scheme(page, "dark") == []


@pytest.mark.parametrize("address", kinds.OTHERS, ids=kinds.name)
def test_every_page_of_the_same_template(open_page: OpenPage, address: str) -> None:
    """The same template with other words: one look each, of two widths by turns, is enough."""
    page = shortened(open_page(address, reduced_motion="reduce"))
    if kinds.OTHERS.index(address) % 2:
        page.set_viewport_size(PHONE)
    settle(page)
    assert list(violations(page, WITHOUT_COLOURS)) == []


def test_a_platforms_page_with_everything_unfolded(open_page: OpenPage) -> None:
    page = shortened(open_page(kinds.FULLEST, reduced_motion="reduce"))
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
    assert in_both_schemes(page) == []


@pytest.mark.parametrize(("viewport", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_the_search_with_results_and_without(
    open_page: OpenPage, viewport: str, scheme: Literal["light", "dark"]
) -> None:
    page = open_page("", viewport=VIEWPORTS[viewport], reduced_motion="reduce")
    search(page, "install")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    assert in_scheme(page, scheme) == []
    search(page, "qqzzxxyy")  # after what is there: no page has such a word
    expect(page.locator(".md-search-result__item")).to_have_count(0)
    assert in_scheme(page, scheme) == []


def test_the_menu_of_a_phone(open_page: OpenPage) -> None:
    page = shortened(open_page(kinds.FULLEST, viewport=PHONE, reduced_motion="reduce"))
    page.get_by_role("button", name="Menu").click()
    expect(page.locator(".md-sidebar--primary")).to_be_in_viewport()
    assert in_both_schemes(page) == []


def test_a_selector_that_told_of_a_change(open_page: OpenPage) -> None:
    page = open_page("?platform=nothing", reduced_motion="reduce")
    expect(page.locator("[data-part=status]")).to_have_class("result-status has-news")
    assert in_scheme(page, "dark") == []


def test_filters_that_show_no_platform(open_page: OpenPage) -> None:
    page = open_page("compute-platforms/", reduced_motion="reduce")
    page.get_by_label("Name").fill("qqzzxxyy")
    assert in_scheme(page, "light") == []


def test_a_matrix_that_is_filtered_and_sorted(open_page: OpenPage) -> None:
    page = open_page("results/torchbench/?accelerator=ascend", reduced_motion="reduce")
    page.get_by_role("button", name="Sort by Ascend").click()
    expect(page.locator(".filters-state")).to_contain_text("worst first")
    assert in_both_schemes(shortened(page)) == []


def test_a_matrix_of_which_nothing_is_shown(open_page: OpenPage) -> None:
    page = open_page("results/torchbench/?text=qqzzxxyy", reduced_motion="reduce")
    expect(page.locator(".matrix-empty")).to_be_visible()
    assert in_scheme(page, "dark") == []


def test_two_reports_compared(open_page: OpenPage) -> None:
    pair = "from=cpu-baseline-inductor&to=cuda-baseline-inductor"
    page = open_page(f"results/compare/?{pair}", reduced_motion="reduce")
    expect(page.locator(".report-differences").nth(1)).to_be_visible()
    assert in_both_schemes(page) == []

"""What a cell of a suite's table opens beside the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.visit import Opened, OpenPage, expect


def open_first(page: Page, outcome: str) -> Locator:
    """Open what is behind the first cell with an outcome, and return the panel."""
    page.locator(f".matrix td a.outcome[aria-label='{outcome}']").first.click()
    panel = page.locator(".evidence-panel")
    expect(panel.locator("dl")).to_be_visible()
    return panel


@pytest.mark.parametrize(
    ("suite", "outcome"),
    [("operators", "passed"), ("small-timm", "passed"), ("torchbench", "expected to pass")],
)
def test_a_cell_opens_what_its_page_says_without_leaving_the_table(
    open_page: OpenPage, suite: str, outcome: str
) -> None:
    page = open_page(f"results/{suite}/")
    address = page.url
    cell = page.locator(f".matrix td a.outcome[aria-label='{outcome}']").first
    target = cell.get_attribute("href") or ""
    panel = open_first(page, outcome)
    said = panel.locator("dl").inner_text()
    assert page.url == address
    for term in ("Report", "Environment", "Log", "Command"):
        assert term in said
    links = [link.get_attribute("href") or "" for link in panel.locator("a").all()]
    assert all(link.startswith("http") for link in links[1:])  # not relative to another page
    page.goto(page.evaluate("target => new URL(target, location.href).href", target))
    expect(page.locator(f"[id='{target.partition('#')[2]}'] dl").first).to_be_attached()


def test_escape_closes_the_panel_and_returns_to_the_cell(open_page: OpenPage) -> None:
    page = open_page("results/small-timm/")
    panel = open_first(page, "passed")
    expect(panel.locator("h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert page.evaluate("document.activeElement.matches('.matrix td a.outcome')")


def test_a_second_cell_replaces_the_first(open_page: OpenPage) -> None:
    page = open_page("results/small-timm/")
    panel = open_first(page, "passed")
    first = panel.inner_text()
    page.locator(".result-row").nth(4).locator("a.outcome").first.focus()
    page.keyboard.press("Enter")
    expect(panel.locator("h2")).not_to_have_text(first.splitlines()[0])
    expect(panel.locator("dl")).to_have_count(1)


def test_if_the_script_cannot_be_read_the_link_is_followed(opened: Callable[..., Opened]) -> None:
    page = opened("results/small-timm/").page
    page.route("**/assets/scripts/evidence.js", lambda route: route.abort())
    page.locator(".matrix td a.outcome").first.click()
    page.wait_for_url("**/results/small-timm/tests/**")

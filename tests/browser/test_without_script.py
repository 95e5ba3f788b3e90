"""The static page already holds the answer; printed, it holds nothing else."""

from __future__ import annotations

import pytest

from tests.browser import kinds
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site


@pytest.mark.parametrize("address", ["", kinds.FULLEST], ids=kinds.name)
def test_the_commands_are_in_a_table_and_no_dead_form_is_shown(
    open_page: OpenPage, site: Site, address: str
) -> None:
    page = open_page(address, java_script_enabled=False)
    expect(page.locator("form.selector")).to_be_hidden()
    for summary in page.locator(".static-commands summary").all():
        summary.click()
    table = page.locator("table.commands-table")
    expect(table).to_be_visible()
    rows = table.locator("tbody tr")
    platforms = site.selector.axes["platform"]
    assert rows.count() >= (1 if address == kinds.FULLEST else len(platforms) - 1)
    expect(rows.first.locator("td.commands code").first).to_be_visible()


def test_no_filter_is_shown_that_would_do_nothing(open_page: OpenPage, site: Site) -> None:
    page = open_page("compute-platforms/", java_script_enabled=False)
    expect(page.locator("form[data-filters]")).to_be_hidden()
    expect(page.locator(".card")).to_have_count(len(site.catalog.platforms))


def test_the_menu_of_a_phone_opens(open_page: OpenPage) -> None:
    page = open_page("", java_script_enabled=False, viewport={"width": 390, "height": 800})
    page.locator("header label[for=__drawer]").click()
    expect(page.locator(".md-sidebar--primary")).to_be_in_viewport()


@pytest.mark.parametrize("java_script", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("address", ["", kinds.FULLEST], ids=kinds.name)
def test_print_has_commands_and_no_navigation(
    open_page: OpenPage,
    address: str,
    java_script: bool,  # noqa: FBT001 - a parameter
) -> None:
    page = open_page(address, java_script_enabled=java_script)
    page.emulate_media(media="print")
    shown = page.locator("[data-part=commands], td.commands code").filter(visible=True)
    assert shown.count() > 0
    for part in ("header", ".md-tabs", ".md-sidebar", ".md-search", ".md-footer", "button.copy"):
        for found in page.locator(part).all():
            expect(found).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_print_is_dark_on_light_whatever_the_screen(open_page: OpenPage) -> None:
    page = open_page("", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.locator("h1").evaluate("node => getComputedStyle(node).color")
    red, green, blue = (int(part) for part in ink[ink.index("(") + 1 : -1].split(",")[:3])
    assert red + green + blue < 3 * 110, ink

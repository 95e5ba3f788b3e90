"""The grid of results answers at first sight, and can be narrowed and ordered."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.visit import DESKTOP, OpenPage, expect

ROWS = ".dashboard-grid tbody tr:visible th"


def names(page: Page) -> list[str]:
    return page.locator(ROWS).all_inner_texts()


def test_the_grid_shows_eight_platforms_at_first_sight_and_cuts_nothing(
    open_page: OpenPage,
) -> None:
    page = open_page("results/", viewport={"width": 1280, "height": 900})
    eighth = page.locator(ROWS).nth(7).bounding_box()
    assert eighth is not None
    assert eighth["y"] + eighth["height"] <= 900
    scrolls = "box => box.scrollWidth > box.clientWidth"
    assert not page.locator("#fleet").evaluate(scrolls)
    cut = "cells => cells.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    assert page.locator(".dashboard-grid :is(th, td)").evaluate_all(cut) == []


def test_platforms_are_filtered_and_ordered_and_the_address_keeps_it(open_page: OpenPage) -> None:
    page = open_page("results/", viewport=DESKTOP)
    first = names(page)
    page.get_by_label("Order").select_option("name")
    assert names(page) == sorted(first, key=str.lower) != first
    page.get_by_label("Integration").select_option("in-tree")
    kept = names(page)
    assert 0 < len(kept) < len(first)
    page.get_by_label("Newest run within").select_option("30")
    expect(page.locator(".filters-state")).to_have_text(f"Showing 2 of {len(first)} platforms.")
    assert names(page) == ["CPU", "CUDA"]
    page.reload()
    assert names(page) == ["CPU", "CUDA"]
    assert page.url.endswith("?integration=in-tree&age=30&order=name")


def test_suites_of_one_kind_are_shown_alone(open_page: OpenPage) -> None:
    page = open_page("results/?suites=model", viewport=DESKTOP)
    shown = page.locator(".dashboard-grid thead tr:first-child th:visible")
    expect(shown).to_have_text("Models")
    cells = page.locator(".dashboard-grid tbody tr").first.locator("td:visible")
    assert set(cells.evaluate_all("cells => cells.map((cell) => cell.dataset.kind)")) == {"model"}


def test_nonsense_in_the_address_shows_everything(open_page: OpenPage) -> None:
    page = open_page("results/?suites=nonsense&order=<b>&age=-1", viewport=DESKTOP)
    everything = names(open_page("results/", viewport=DESKTOP))
    assert names(page) == everything


def test_a_cell_leads_to_its_suite_in_the_report(open_page: OpenPage) -> None:
    page = open_page("results/", viewport=DESKTOP)
    page.locator(".suite-cell").first.click()
    page.wait_for_url("**/results/runs/cpu-*/#suite-*")
    anchor = page.url.partition("#")[2]
    expect(page.locator(f"#{anchor}")).to_be_in_viewport()


def test_executorch_is_shown_in_place_of_pytorch(open_page: OpenPage) -> None:
    page = open_page("results/", viewport=DESKTOP)
    expect(page.locator("#fleet-executorch")).to_be_hidden()
    page.get_by_text("ExecuTorch", exact=True).click()
    expect(page.locator("#fleet")).to_be_hidden()
    expect(page.locator("#fleet-executorch .suite-cell").first).to_be_visible()
    sizes = page.locator(".dashboard-grid thead :is(th, a)").evaluate_all(
        "heads => heads.map((head) => parseFloat(getComputedStyle(head).fontSize))"
    )
    assert min(sizes) >= 13

"""The matrix of a suite: filters that are kept in the address, cells that lead to evidence."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import pytest
from playwright.sync_api import Page

from tests.browser.visit import expect
from tests.built_site import Site

OpenPage = Callable[..., Page]

SUITE = "results/torchbench/"


def shown(page: Page) -> int:
    return page.locator(".result-row:visible").count()


def test_a_filter_goes_into_the_address_and_back(open_page: OpenPage) -> None:
    page = open_page(SUITE)
    everything = shown(page)
    page.locator("input[name=text]").fill("bert")
    page.locator("select[name=outcome]").select_option("wrong-result")
    assert page.url.endswith("?text=bert&outcome=wrong-result")
    some = shown(page)
    assert 0 < some < everything
    page.reload()
    assert shown(page) == some
    page.locator("input[name=text]").fill("")
    page.locator("select[name=outcome]").select_option("")
    assert page.url.endswith(SUITE)
    assert shown(page) == everything


@pytest.mark.parametrize(
    "address", ["?outcome=nonsense", "?mode=%00", "?x=1", "?text=%F0%9F%A6%99"]
)
def test_an_address_that_asks_for_nonsense_breaks_nothing(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(SUITE + address)
    expect(page.locator(".filters-state")).to_contain_text("Showing")
    assert (shown(page) == 0) == ("text" in address)


def test_a_cell_leads_to_where_it_comes_from(open_page: OpenPage) -> None:
    page = open_page(SUITE)
    row = page.locator(".result-row", has=page.locator("th", has_text="hf_Reformer")).first
    row.locator("td a").first.click()
    heading = page.locator("h2:target")
    expect(heading).to_have_text("hf_Reformer")
    expect(heading).to_be_in_viewport()
    page.locator("a", has_text="ascend-torchbench-2024-10").first.click()
    expect(page.locator("article")).to_contain_text("2.6.0.dev20241031+cpu")
    expect(page.locator("article")).to_contain_text("pytorch-fdn/accelerator-integration-wg")


def test_without_scripts_the_whole_matrix_is_there(open_page: OpenPage, site: Site) -> None:
    page = open_page(SUITE, java_script_enabled=False)
    expect(page.locator("form[data-filters]")).to_be_hidden()
    assert shown(page) == len(site.pages[SUITE].tree.css(".result-row"))


def test_filtering_keeps_up_with_typing(open_page: OpenPage) -> None:
    """No promise of a time: it only must not take seconds."""
    page = open_page(SUITE)
    wanted = page.locator(".result-row", has_text="detectron2_mask").count()
    start = perf_counter()
    page.locator("input[name=text]").press_sequentially("detectron2_mask")
    expect(page.locator(".filters-state")).to_contain_text(f"Showing {wanted} of ")
    assert 0 < shown(page) == wanted
    assert perf_counter() - start < 10


def test_a_models_results_are_found_by_the_sites_search(open_page: OpenPage) -> None:
    page = open_page("")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("hf_Reformer")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    expect(page.locator(".md-search-result__list")).to_contain_text("test by test")

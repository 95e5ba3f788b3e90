"""Reading the matrix of a suite: cells that lead to evidence, with scripts and without."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Route

from tests.browser.visit import PHONE, OpenPage, expect
from tests.built_site import Site

SUITE = "results/torchbench/"


def test_a_cell_leads_to_where_it_comes_from(open_page: OpenPage) -> None:
    page = open_page(SUITE + "?text=hf_Reformer&accelerator=ascend")
    expect(page.locator(".result-row")).to_have_count(1)
    cell = page.locator(".result-row").first.locator("td a").first
    cell.click()
    expect(page.locator(".evidence-panel")).to_contain_text("No command published.")
    page.goto(cell.evaluate("link => link.href"))
    result = page.locator(".evidence > li:target")
    expect(result).to_be_in_viewport()
    expect(result).to_contain_text("Ascend NPU")
    expect(result).to_contain_text("2.6.0.dev20241031+cpu")
    expect(result).to_contain_text("No log published.")
    expect(result).to_contain_text("No command published.")
    expect(page.locator(".test[open] > summary")).to_contain_text("hf_Reformer")
    expect(page.locator(".test[open] > summary")).to_be_in_viewport()
    result.locator("a", has_text="ascend-torchbench-2024-10").click()
    expect(page.locator("article")).to_contain_text("2.6.0.dev20241031+cpu")
    expect(page.locator("article")).to_contain_text("pytorch-fdn/accelerator-integration-wg")


def test_an_accelerators_name_leads_to_its_page(open_page: OpenPage) -> None:
    page = open_page(SUITE)
    page.locator(".matrix thead").get_by_role("link", name="Ascend").click()
    expect(page).to_have_url(f"{page.url.split('compute')[0]}compute-platforms/ascend/#results")


@pytest.mark.parametrize("mode", ["", "training/"])
def test_without_scripts_the_whole_matrix_is_there(
    open_page: OpenPage, site: Site, mode: str
) -> None:
    page = open_page(SUITE + mode, java_script_enabled=False)
    expect(page.locator("form[data-matrix]")).to_be_hidden()
    expect(page.locator(".matrix-sort").first).to_be_hidden()
    data = json.loads((site.root / "api/v1/results/torchbench.json").read_text("utf-8"))
    wanted = mode.rstrip("/") or "inference"
    (matrix,) = (one for one in data["matrices"] if one["mode"] == wanted)
    assert page.locator(".result-row th").all_text_contents() == [
        test["name"] for test in matrix["tests"]
    ]


def test_on_a_phone_only_the_table_scrolls_sideways(open_page: OpenPage) -> None:
    page = open_page(SUITE + "?sort=name&order=descending", viewport=PHONE)
    expect(page.locator(".filters-state")).to_contain_text("from Z to A")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    first = page.locator(".result-row th").first
    before = first.bounding_box()
    page.locator(".matrix-box").evaluate("box => box.scrollLeft = 300")
    after = first.bounding_box()
    assert before is not None
    assert after is not None
    assert before["x"] == after["x"]
    assert before["width"] < PHONE["width"] / 2


def test_a_models_results_are_found_by_the_sites_search(open_page: OpenPage) -> None:
    page = open_page()
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("detectron2_fasterrcnn")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    expect(page.locator(".md-search-result__list")).to_contain_text("test by test")


def test_what_cannot_be_read_is_said_and_the_static_rows_stay(open_page: OpenPage) -> None:
    page = open_page(SUITE)
    everything = page.locator(".result-row:visible").count()
    page.route("**/api/v1/results/*.json", lambda route: route.fulfill(body='{"matrices": []}'))
    page.locator("input[name=text]").fill("bert")
    expect(page.locator(".filters-state")).to_contain_text("could not be read")
    assert page.locator(".result-row:visible").count() == everything
    page.unroute("**/api/v1/results/*.json")
    page.locator("select[name=outcome]").select_option("passed")
    expect(page.locator(".filters-state")).to_contain_text("“bert”, passed")


def test_rows_that_the_script_makes_are_those_of_the_page(open_page: OpenPage) -> None:
    """Their words, links and titles; so whoever cannot see the signs misses nothing."""
    page = open_page(SUITE)
    parts = """(rows) => rows.map((row) => [...row.querySelectorAll("th, a, span")].map((one) =>
      [one.tagName, one.className, one.textContent, one.href, one.title, one.ariaLabel, one.role]
    ))"""
    static = page.locator(".result-row").evaluate_all(parts)
    page.locator("input[name=text]").fill("qqq")
    expect(page.locator(".filters-state")).to_contain_text("None of")
    page.locator(".matrix-clear").first.click()
    expect(page.locator(".result-row")).to_have_count(len(static))
    assert page.locator(".result-row").evaluate_all(parts) == static


def test_what_is_typed_before_the_script_has_come_counts(open_page: OpenPage) -> None:
    page = open_page("results/")
    held: list[Route] = []
    page.route("**/matrix.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.goto(page.url + "torchbench/", wait_until="commit")
    page.locator("input[name=text]").fill("bert")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator(".filters-state")).to_contain_text("tests: “bert”")
    expect(page.locator("input[name=text]")).to_have_value("bert")
    assert page.url.endswith("?text=bert")

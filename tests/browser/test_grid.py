"""The grids: what the address asks for, keys, and what opens beside a cell."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.visit import DESKTOP, PHONE, Opened, OpenPage, expect, wait_until_ready
from tests.built_site import Site

MODELS = "results/by-model/"
GRIDS = ["", "features/", "versions/", "compare/", "results/", MODELS]


def rows(page: Page) -> list[str]:
    return page.locator(".grid-table [data-row]:visible > th").all_inner_texts()


def columns(page: Page) -> list[str | None]:
    heads = page.locator(".grid-table [data-column]:visible").all()
    return [head.get_attribute("data-column") for head in heads]


def cell(page: Page, row: str, column: str) -> Locator:
    index = page.locator(".grid-table [data-column]").evaluate_all(
        "(heads, column) => heads.findIndex((head) => head.dataset.column === column)", column
    )
    return page.locator(f".grid-table [data-row='{row}'] > td").nth(index)


@pytest.mark.parametrize(
    ("address", "shown", "words"),
    [
        (f"{MODELS}?text=LlamaForCausalLM", ["Llama"], "1 of "),
        (f"{MODELS}?text=ResNet-50", ["ResNet"], "1 of "),
        (f"{MODELS}?text=Llama-3.1-8B-Other", ["Llama"], "No row matches all words."),
        (f"{MODELS}?text=qwen&with=xpu", ["Qwen", "LLaVA"], "2 of "),
        (f"{MODELS}?text=qwen&with=xpu&basis=run", [], "0 of "),
        (f"{MODELS}?text=qwen&with=<b>&basis=nonsense&sort=x", ["Qwen", "LLaVA"], "“<b>”"),
        ("results/?with=operators&basis=run", ["CPU", "CUDA"], "2 of "),
        ("versions/?text=huawei", ["Ascend NPU"], "1 of "),
    ],
)
def test_the_address_says_which_rows_are_shown(
    open_page: OpenPage, address: str, shown: list[str], words: str
) -> None:
    page = open_page(address)
    expect(page.locator(".grid-tools .filters-state")).to_contain_text(words)
    assert rows(page) == shown


@pytest.mark.parametrize(
    ("address", "shown", "words"),
    [
        ("?with=rocm,xpu", ["rocm", "xpu"], " rows"),
        ("?with=xpu,rocm,xpu&with=gaudi", ["rocm", "gaudi", "xpu"], " rows"),
        ("?with=cuda,nonsense", ["cuda"], "There is no column “nonsense”; ignored."),
        ("?with=%E0%A4%A", ["cuda", "rocm"], "ignored."),
        ("?with=", ["cuda", "rocm"], " rows"),
        ("?with=all", None, " rows"),
    ],
)
def test_the_address_says_which_columns_are_shown(
    open_page: OpenPage, site: Site, address: str, shown: list[str] | None, words: str
) -> None:
    page = open_page(f"compare/{address}")
    expect(page.locator(".grid-tools .filters-state")).to_contain_text(words)
    everything = [platform.id for platform in site.catalog.platforms]
    assert sorted(map(str, columns(page))) == sorted(shown if shown is not None else everything)


def test_a_choice_goes_into_the_address_and_back(open_page: OpenPage) -> None:
    page = open_page("compare/")
    assert columns(page) == ["cuda", "rocm"]
    page.get_by_text("CUDA – XPU").click()
    wait_until_ready(page)
    assert columns(page) == ["cuda", "xpu"]
    expect(page.locator(".grid-presets [aria-current]")).to_have_text("CUDA – XPU")
    page.locator(".grid-columns summary").click()
    page.locator(".grid-columns input[value=mps]").check()
    everything = len(rows(page))
    page.get_by_label("differences only").check()
    assert 0 < len(rows(page)) < everything
    assert page.url.endswith("?with=cuda,mps,xpu&differences=on")
    page.reload()
    wait_until_ready(page)
    assert columns(page) == ["cuda", "mps", "xpu"]
    assert len(rows(page)) < everything


def test_a_grid_is_sorted_by_a_column_and_put_back(open_page: OpenPage) -> None:
    page = open_page("results/")
    before = rows(page)
    button = page.locator("[data-column=torchbench] .grid-sort")
    button.click()
    sorted_rows = rows(page)
    assert sorted_rows != before
    assert sorted(sorted_rows) == sorted(before)
    names = page.locator(".grid-table [data-row]").evaluate_all(
        "rows => rows.map((row) => row.dataset.row)"
    )
    found = [cell(page, name, "torchbench").get_attribute("data-order") for name in names]
    orders = [float(order or "-1") for order in found]
    assert orders == sorted(orders, reverse=True)
    button.click()
    assert rows(page) == before


def test_a_basis_is_left_out_of_the_marks_and_the_rows(open_page: OpenPage) -> None:
    page = open_page(MODELS)
    everything = len(rows(page))
    for basis in ("expected", "stated"):
        page.locator(f"input[name=basis][value={basis}]").uncheck()
    assert 0 < len(rows(page)) < everything
    assert page.url.endswith("?basis=run")
    expect(page.locator(".grid-table .run:visible").first).to_be_visible()
    assert page.locator(".grid-table .stated:visible").count() == 0


def test_a_cell_opens_its_section_beside_the_grid(open_page: OpenPage) -> None:
    page = open_page(MODELS)
    link = cell(page, "llama", "xpu").locator("a")
    link.click()
    panel = page.locator(".evidence-panel")
    expect(panel.locator("h2").first).to_have_text("Llama · XPU")
    expect(panel).to_contain_text("Expected, not run")
    expect(panel).to_contain_text("Stated in documentation, not tested")
    assert page.url.endswith("?at=llama@xpu")
    links = panel.locator("a").evaluate_all("links => links.map((link) => link.href)")
    assert all(link.startswith("http") for link in links)
    assert panel.locator("[id]:not(h2)").count() == 0, "no id is on the page twice"
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(link).to_be_focused()
    assert page.url.endswith(MODELS)


@pytest.mark.parametrize(
    ("address", "title", "text"),
    [
        ("features/?at=xpu@fp8", "XPU · FP8", "stated to work in part"),
        ("results/?at=cpu@operators", "CPU · Operators", "passed"),
        (f"{MODELS}?at=llama@cpu--executorch", "Llama · CPU", "passed"),
        ("compare/?at=fp8@cuda", "FP8 · CUDA", "stated to work in part"),
    ],
)
def test_a_shared_address_opens_the_same_cell(
    open_page: OpenPage, address: str, title: str, text: str
) -> None:
    panel = open_page(address).locator(".evidence-panel")
    expect(panel.locator("h2").first).to_have_text(title)
    expect(panel.locator(".evidence-body")).to_contain_text(text)


@pytest.mark.parametrize("at", ["llama@nothing", "nothing@cuda", "@", "kimi@cpu", "<b>@<b>"])
def test_an_address_of_no_cell_opens_nothing(open_page: OpenPage, at: str) -> None:
    page = open_page(f"{MODELS}?at={at}")
    assert "Llama" in rows(page)
    expect(page.locator(".evidence-panel")).to_have_count(0)


def test_if_the_evidence_cannot_be_read_the_link_is_followed(
    opened: Callable[..., Opened],
) -> None:
    page = opened(MODELS).page
    page.route("**/assets/scripts/evidence.js", lambda route: route.abort())
    cell(page, "llama", "cuda").locator("a").click()
    page.wait_for_url(f"**/{MODELS}llama/#cuda")


def test_arrow_keys_move_from_cell_to_cell(open_page: OpenPage) -> None:
    page = open_page(MODELS)
    first = page.locator(".grid-table tbody td > a").first
    assert page.locator(".grid-table tbody a[tabindex='0']").count() == 1
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(cell(page, "mistral", "cuda").locator("a")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    expect(cell(page, "llama", "cpu").locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".evidence-panel h2").first).to_have_text("Llama · CPU")


@pytest.mark.parametrize("address", GRIDS)
def test_without_scripts_a_grid_is_a_table_of_links(open_page: OpenPage, address: str) -> None:
    page = open_page(f"{address}?text=nothing&with=cuda", java_script_enabled=False)
    expect(page.locator(".grid-tools")).to_be_hidden()
    assert len(rows(page)) == page.locator(".grid-table [data-row]").count() > 10
    assert len(columns(page)) == page.locator(".grid-table [data-column]").count()
    links = page.locator(".grid-table tbody td a")
    assert links.count() > 40


def test_without_scripts_the_legend_leaves_a_basis_out(open_page: OpenPage) -> None:
    page = open_page(MODELS, java_script_enabled=False)
    marks = page.locator(".grid-table .stated:visible")
    assert marks.count() > 100
    page.locator("input[name=basis][value=stated]").uncheck()
    assert marks.count() == 0


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("address", GRIDS)
def test_the_page_does_not_scroll_sideways_and_heads_stay(
    open_page: OpenPage, address: str, viewport: dict[str, int]
) -> None:
    page = open_page(address, viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".grid-scroll")
    head = page.locator(".grid-table [data-row] > th").first
    place = head.evaluate("head => head.getBoundingClientRect().left")
    box.evaluate("box => box.scrollBy(400, 0)")
    assert head.evaluate("head => head.getBoundingClientRect().left") == pytest.approx(place, abs=1)


def test_a_laptop_shows_many_families(open_page: OpenPage) -> None:
    page = open_page(MODELS, viewport={"width": 1280, "height": 900})
    seen = page.locator(".grid-table [data-row]").evaluate_all(
        "rows => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length"
    )
    assert seen >= 22
    assert not page.locator(".grid-scroll").evaluate("box => box.scrollWidth > box.clientWidth")


def test_a_phone_gives_fingers_room(open_page: OpenPage) -> None:
    page = open_page(MODELS, viewport=PHONE)
    heights = page.locator(".grid-table tbody td:has(a)").evaluate_all(
        "cells => cells.map((cell) => cell.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44


def test_a_reader_finds_the_command_of_a_model(open_page: OpenPage) -> None:
    page = open_page(MODELS)
    page.locator(".grid-tools input[name=text]").fill("whisper")
    assert rows(page) == ["Whisper"]
    cell(page, "whisper", "cpu").locator("a").click()
    panel = page.locator(".evidence-panel")
    panel.get_by_role("link", name="command").first.click()
    result = page.locator(".evidence > li:target")
    expect(result).to_be_in_viewport()
    expect(result).to_contain_text("accelerator-portal validate")


def test_a_phone_shows_the_evidence_of_a_family(open_page: OpenPage) -> None:
    page = open_page(f"{MODELS}llama/", viewport=PHONE)
    box = page.locator(".table-box:has(.family-results)")
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 0

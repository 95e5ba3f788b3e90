"""The matrix of a suite with scripts: filters and sorting, all kept in the address."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.visit import OpenPage, expect
from tests.built_site import Site

SUITE = "results/torchbench/"


class Table:
    """A suite's matrix as its data has it, to say what a page should show."""

    def __init__(self, site: Site, suite: str, mode: str) -> None:
        data = json.loads((site.root / f"api/v1/results/{suite}.json").read_text("utf-8"))
        (matrix,) = (m for m in data["matrices"] if m["mode"] == mode)
        self.columns: list[dict[str, str]] = matrix["columns"]
        self.tests: list[dict[str, Any]] = matrix["tests"]

    def places(self, **wanted: str) -> list[int]:
        """The places of the columns that are as wanted."""
        return [
            place
            for place, column in enumerate(self.columns)
            if all(column[name] == value for name, value in wanted.items())
        ]

    def names(self, fits: Callable[[str | None], bool], places: list[int]) -> list[str]:
        """The tests of which a cell in one of the columns fits."""
        return [t["name"] for t in self.tests if any(fits(t["outcomes"][p]) for p in places)]


@pytest.fixture
def table(site: Site) -> Table:
    return Table(site, "torchbench", "inference")


def rows(page: Page) -> Locator:
    return page.locator(".result-row")


def shown(page: Page) -> int:
    return page.locator(".result-row:visible").count()


def state(page: Page) -> Locator:
    return page.locator(".filters-state")


def names(page: Page) -> list[str]:
    return page.locator(".result-row th").all_text_contents()


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f"select[name={name}]").select_option(value)


def signs(page: Page, column: int) -> list[str]:
    """The words of a column's cells, from the top."""
    found = page.locator(".result-row").evaluate_all(
        """(rows, place) => rows.map((row) => row.cells[place])
            .map((cell) => cell.firstElementChild?.ariaLabel ?? "no evidence")""",
        column,
    )
    return [str(words) for words in found]


def test_the_first_view_needs_no_data(open_page: OpenPage, table: Table) -> None:
    asked: list[str] = []
    page = open_page("results/")
    page.on("request", lambda request: asked.append(request.url))
    page.locator("article li").get_by_role("link", name="TorchBench", exact=True).click()
    expect(state(page)).to_have_text(f"Showing all {len(table.tests)} tests.")
    page.wait_for_load_state()  # the words stand above rows that may still come
    assert shown(page) == len(table.tests)
    assert not [url for url in asked if "/api/" in url]
    page.get_by_label("Search tests", exact=True).fill("bert")
    expect(state(page)).to_contain_text("“bert”")
    assert len([url for url in asked if "/api/" in url]) == 1


def test_a_filter_goes_into_the_address_and_back(open_page: OpenPage, table: Table) -> None:
    page = open_page(SUITE)
    page.locator("input[name=text]").fill("bert")
    choose(page, "outcome", "wrong-result")
    assert page.url.endswith("?text=bert&outcome=wrong-result")
    every = table.names(lambda outcome: outcome == "wrong-result", table.places())
    wanted = [name for name in every if "bert" in name.lower()]
    assert 0 < len(wanted) < len(every)
    expect(rows(page)).to_have_count(len(wanted))
    page.reload()
    expect(rows(page)).to_have_count(len(wanted))
    assert names(page) == wanted
    page.locator(".matrix-clear").first.click()
    assert page.url.endswith(SUITE)
    expect(rows(page)).to_have_count(len(table.tests))
    expect(page.locator("input[name=text]")).to_have_value("")


def test_an_accelerator_a_type_and_an_outcome_work_together(
    open_page: OpenPage, table: Table
) -> None:
    page = open_page(SUITE)
    choose(page, "accelerator", "xpu")
    choose(page, "dtype", "bfloat16")
    choose(page, "outcome", "not-passed")
    places = table.places(accelerator="xpu", dtype="bfloat16")
    assert len(places) == 1
    wanted = table.names(lambda outcome: outcome not in {None, "passed"}, places)
    expect(state(page)).to_have_text(
        f"Showing {len(wanted)} of {len(table.tests)} tests: XPU, bfloat16, not passed."
    )
    assert names(page) == wanted
    heads = page.locator(".matrix thead tr:last-child th:visible")
    expect(heads).to_have_count(2)
    expect(page.locator(".matrix th[scope=colgroup]:visible")).to_have_count(1)
    assert len(rows(page).first.locator("td").all()) == 1


def test_of_an_accelerator_only_tests_with_evidence_are_shown(
    open_page: OpenPage, table: Table
) -> None:
    places = table.places(accelerator="ascend")
    known = table.names(lambda outcome: outcome is not None, places)
    missing = len(table.tests) - len(known)
    assert missing
    page = open_page(SUITE + "?accelerator=ascend")
    expect(state(page)).to_contain_text(f"Showing {len(known)} of {len(table.tests)} tests: Ascend")
    expect(state(page)).to_contain_text(f"{missing} without evidence there")
    assert names(page) == known
    choose(page, "outcome", "no-evidence")
    expect(rows(page)).to_have_count(missing)
    assert set(signs(page, 1)) == {"no evidence"}


def test_a_column_sorts_by_severity_and_what_is_unknown_stays_last(
    open_page: OpenPage, table: Table
) -> None:
    page = open_page(SUITE)
    (place,) = table.places(accelerator="ascend")
    column = page.locator(".matrix thead tr:last-child th").nth(place + 1)
    button = column.get_by_role("button")
    button.press("Enter")
    expect(column).to_have_attribute("aria-sort", "descending")
    assert f"sort={table.columns[place]['id']}" in page.url
    expect(state(page)).to_contain_text("worst first")
    expect(rows(page)).to_have_count(len(table.tests))
    worst = signs(page, place + 1)
    assert worst[0] == "failed"
    known = [outcome for outcome in worst if outcome != "no evidence"]
    assert worst == known + ["no evidence"] * (len(worst) - len(known))
    assert worst[-1] == "no evidence"
    button.click()
    expect(column).to_have_attribute("aria-sort", "ascending")
    expect(rows(page)).to_have_count(len(table.tests))
    best = signs(page, place + 1)
    assert best[0] == "passed"
    assert best[-1] == "no evidence"
    assert sorted(best) == sorted(worst)
    expect(page.locator("[aria-sort]")).to_have_count(1)
    page.reload()
    expect(column).to_have_attribute("aria-sort", "ascending")
    expect(state(page)).to_contain_text("best first")
    expect(rows(page)).to_have_count(len(table.tests))
    assert signs(page, place + 1) == best


def test_names_sort_from_z_to_a(open_page: OpenPage, table: Table) -> None:
    page = open_page(SUITE)
    page.get_by_role("button", name="Sort by name").click()
    expect(state(page)).to_contain_text("from Z to A")
    expect(rows(page)).to_have_count(len(table.tests))
    assert names(page) == [test["name"] for test in reversed(table.tests)]


def test_back_takes_one_choice_back_and_forward_repeats_it(open_page: OpenPage) -> None:
    page = open_page(SUITE)
    everything = shown(page)
    page.locator("input[name=text]").press_sequentially("hf_")
    choose(page, "accelerator", "cuda")
    expect(state(page)).to_contain_text("“hf_”")
    expect(state(page)).to_contain_text("CUDA")
    page.go_back()
    expect(page.locator("select[name=accelerator]")).to_have_value("")
    expect(state(page)).to_contain_text("“hf_”.")
    page.go_back()  # three letters are one step
    expect(rows(page)).to_have_count(everything)
    expect(page.locator("input[name=text]")).to_have_value("")
    page.go_forward()
    page.go_forward()
    expect(state(page)).to_contain_text("CUDA")
    expect(page.locator("select[name=accelerator]")).to_have_value("cuda")


def test_filters_go_along_to_the_other_mode_and_to_other_suites(open_page: OpenPage) -> None:
    page = open_page(SUITE + "?outcome=not-passed&accelerator=xpu&sort=nonsense")
    page.get_by_role("link", name="training", exact=True).click()
    expect(page).to_have_url(
        f"{page.url.split('results/')[0]}{SUITE}training/?accelerator=xpu&outcome=not-passed"
    )
    expect(state(page)).to_contain_text("XPU, not passed")
    page.get_by_label("Suites").get_by_role(
        "link", name="timm models in PyTorch's benchmarks"
    ).click()
    expect(state(page)).to_contain_text("XPU, not passed")


NONSENSE = [
    "?outcome=nonsense", "?mode=%00", "?x=1", "?accelerator=__proto__", "?dtype=%3Cb%3E",
    "?page=99", "?page=-1", "?page=1e9&sort=constructor", "?sort=&order=up", "?outcome=&text=",
    "?text=%F0%9F%A6%99", "?text=%3Cimg%20src%3Dx%3E",
]  # fmt: skip


@pytest.mark.parametrize("address", NONSENSE)
def test_an_address_that_asks_for_nonsense_breaks_nothing(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(SUITE + address)
    if "text=%" not in address:
        expect(state(page)).to_contain_text("Showing all")
        assert shown(page) > 0
        return
    expect(state(page)).to_contain_text("None of")
    assert shown(page) == 0
    assert page.locator(".filters-state img").count() == 0
    page.get_by_role("paragraph").get_by_role("button", name="Clear filters").click()
    expect(state(page)).to_contain_text("Showing all")
    assert shown(page) > 0
    expect(page.locator(".matrix-box")).to_be_focused()


def test_a_long_word_typed_without_a_pause_filters_by_all_of_it(
    open_page: OpenPage, table: Table
) -> None:
    page = open_page(SUITE)
    wanted = sum("detectron2_mask" in test["name"] for test in table.tests)
    page.locator("input[name=text]").press_sequentially("detectron2_mask")
    expect(state(page)).to_contain_text(f"Showing {wanted} of ")
    assert 0 < shown(page) == wanted

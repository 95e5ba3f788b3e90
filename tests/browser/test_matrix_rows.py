"""A suite of 450 tests, made up, of an accelerator that does not exist: more rows than one page."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from accelerator_portal.site.pages.suites import RowsPage, linked_pages
from tests.browser.serving import served
from tests.browser.visit import OpenPage, Visitor, expect
from tests.built_site import EXAMPLE, build_site, copy_sources

SUITE = "results/many/"
MARKUP = "<img src=x onerror=alert(1)>"
NAMES = sorted([*(f"made_up_{n:03}" for n in range(449)), MARKUP])


def outcome(place: int) -> str:
    return ("passed", "passed", "failed", "crashed", "skipped")[place % 5]


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The example's site with one more report."""
    sources = copy_sources(tmp_path_factory.mktemp("many"), EXAMPLE)
    results = sources / "accelerators/acme/results"
    report = json.loads((results / "nightly.json").read_text("utf-8"))
    report["suites"] = [{"name": "many", "kind": "unit"}]
    report["tests"] = [
        {
            "suite": "many",
            "name": name,
            "parameters": {"dtype": dtype},
            "outcome": outcome(place),
            "reason": "Made up.",
        }
        for dtype, names in (("float32", NAMES), ("bfloat16", NAMES[:250]))
        for place, name in enumerate(names)
    ]
    (results / "many.json").write_text(json.dumps(report), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        site = build_site(sources, tmp_path_factory.mktemp("many-site"))
    with served(site.root) as address:
        yield address


@pytest.fixture
def open_many(browser: Browser, origin: str) -> Iterator[OpenPage]:
    visitor = Visitor(browser, origin)
    yield visitor.open
    assert visitor.close() == []


def names(page: Page) -> list[str]:
    return page.locator(".result-row th").all_text_contents()


def said(page: Page, words: str) -> None:
    expect(page.locator(".filters-state")).to_have_text(words)


def test_without_scripts_the_pages_of_rows_hold_every_test(open_many: OpenPage) -> None:
    page = open_many(SUITE, java_script_enabled=False)
    found = []
    for rows in ("rows 1–200", "201–400", "401–450"):
        page.get_by_label("Rows of the table").get_by_role("link", name=rows, exact=True).click()
        page.wait_for_load_state()
        found += names(page)
        assert page.locator(".matrix-pages [aria-current=page]").all_text_contents() == [rows]
    assert found == NAMES
    page.locator(".result-row td a").last.click()  # of more failures than the page of tests lists
    expect(page.locator("article")).to_contain_text("180 failing in a run; this page lists 60")
    expect(page.locator("article")).to_contain_text("have all tests with all results")
    page.goto(SUITE)
    failed = next(name for place, name in enumerate(NAMES) if outcome(place) == "failed")
    page.locator(".result-row td a").first.click()
    expect(page.locator("details:has(:target) h2")).to_have_text(failed)


def test_pages_turn_in_place_and_stay_in_the_address(open_many: OpenPage) -> None:
    page = open_many(SUITE)
    said(page, "Showing 1–200 of 450 tests.")
    page.get_by_role("link", name="401–450").click()
    said(page, "Showing 401–450 of 450 tests.")
    assert names(page) == NAMES[400:]
    assert page.url.endswith(SUITE + "?page=3")
    expect(page.locator(".matrix-box")).to_be_focused()
    page.reload()
    said(page, "Showing 401–450 of 450 tests.")
    assert names(page) == NAMES[400:]
    page.get_by_role("link", name="201–400").click()
    said(page, "Showing 201–400 of 450 tests.")
    page.go_back()
    said(page, "Showing 401–450 of 450 tests.")
    page.get_by_role("link", name="rows 1–200").click()
    said(page, "Showing 1–200 of 450 tests.")
    assert page.url.endswith(SUITE)


def test_a_filter_begins_with_its_first_page_and_says_what_it_found(open_many: OpenPage) -> None:
    page = open_many(SUITE + "?page=3")
    said(page, "Showing 401–450 of 450 tests.")
    page.locator("select[name=outcome]").select_option("not-passed")
    wanted = [name for place, name in enumerate(NAMES) if outcome(place) != "passed"]
    said(page, f"Showing 1–200 of {len(wanted)} tests found, of 450: not passed.")
    assert "page" not in page.url
    expect(page.locator(".result-row")).to_have_count(200)
    assert names(page) == wanted[:200]
    page.locator("select[name=dtype]").select_option("bfloat16")
    wanted = [name for place, name in enumerate(NAMES[:250]) if outcome(place) != "passed"]
    said(page, f"Showing {len(wanted)} of 450 tests: bfloat16, not passed.")
    expect(page.locator(".matrix-pages")).to_be_hidden()
    assert names(page) == wanted


def test_sorting_goes_over_all_pages(open_many: OpenPage) -> None:
    page = open_many(SUITE)
    page.get_by_role("button", name="Sort by Acme, bfloat16").click()
    crashed = [name for place, name in enumerate(NAMES[:250]) if outcome(place) == "crashed"]
    expect(page.locator(".filters-state")).to_contain_text("Sorted by Acme, bfloat16, worst first")
    assert names(page)[: len(crashed)] == crashed
    page.get_by_role("link", name="401–450").click()
    expect(page.locator(".filters-state")).to_contain_text("401–450")
    assert names(page) == NAMES[400:]  # nothing is known of them in that type


def test_a_further_page_leads_to_where_the_filters_are(open_many: OpenPage) -> None:
    page = open_many(SUITE + "2/")
    expect(page.locator("form[data-matrix]")).to_have_count(0)
    expect(page.locator(".matrix-sort")).to_have_count(0)
    page.get_by_role("link", name="Filter and sort the whole table").click()
    said(page, "Showing 1–200 of 450 tests.")


def test_a_name_is_text_whoever_wrote_it(open_many: OpenPage) -> None:
    page = open_many(SUITE + "?text=onerror")
    expect(page.locator(".result-row")).to_have_count(1)
    assert names(page) == [MARKUP]
    assert page.locator(".matrix img").count() == 0


def test_another_page_opens_in_another_tab(open_many: OpenPage) -> None:
    page = open_many(SUITE + "?outcome=not-passed&sort=name&order=descending")
    expect(page.locator(".filters-state")).to_contain_text("from Z to A")
    with page.context.expect_page() as opening:
        page.locator("[data-page='2']").click(modifiers=["ControlOrMeta"])
    other = opening.value
    other.wait_for_load_state()
    expect(other.locator(".filters-state")).to_contain_text("from Z to A")
    assert "page=2" in other.url


def test_the_script_links_the_pages_that_the_static_pages_link(open_many: OpenPage) -> None:
    pages = [RowsPage(n, n * 200 - 199, n * 200, "") for n in range(1, 471)]
    currents = [1, 2, 9, 234, 469, 470]
    found = open_many(SUITE).evaluate(
        """async ([count, currents]) => {
          const at = new URL("/assets/scripts/matrix-model.js", location.origin);
          const { linkedPages, pagesOf } = await import(at);
          const pages = pagesOf(count, 200);
          return currents.map((current) => linkedPages(pages, current).map((page) => page.number));
        }""",
        [470 * 200, currents],
    )
    assert found == [[p.number for p in linked_pages(pages, pages[n - 1])] for n in currents]

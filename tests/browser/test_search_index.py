"""Parts of the search index come when a reader searches, and no more of them than needed."""

from __future__ import annotations

import re

import pytest

from tests.browser.visit import DESKTOP, PHONE, OpenPage, expect, search
from tests.built_site import Site


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_index_waits_for_the_reader(open_page: OpenPage, site: Site, viewport: object) -> None:
    page = open_page("404.html", viewport=viewport)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))

    def from_index(part: str) -> list[str]:
        return [address for address in asked if f"/pagefind/en/{part}" in address]

    page.goto("/run-anywhere/", wait_until="networkidle")
    assert asked
    assert from_index("") == []
    field = page.locator(".md-search__input")
    with page.context.expect_event("request", lambda request: "/pagefind/en/wasm" in request.url):
        if not field.is_visible():
            page.get_by_role("button", name="Search").click()
        field.focus()
    assert from_index("index/") == [], "only a word says which part"
    search(page, "gfx1030")
    parts = {file.name for file in (site.root / "pagefind/en/index").iterdir()}
    assert 0 < len({*from_index("index/")}) < len(parts)


@pytest.mark.parametrize("page", ["run-anywhere/", "zh/versions/"])
def test_the_search_finds_pages_in_the_language_of_the_page(open_page: OpenPage, page: str) -> None:
    shown = open_page(page)
    shown.locator(".md-search__input").click()
    shown.locator(".md-search__input").press_sequentially("CUDA")
    links = shown.locator(".md-search-result__link")
    expect(links.first).to_be_attached()
    pages = links.evaluate_all("all => all.map(({ pathname }) => pathname)")
    assert any(path.startswith("/zh/") for path in pages) == page.startswith("zh/")
    assert not {path.removeprefix("/zh") for path in pages if path.startswith("/zh/")} & {*pages}


def test_a_link_to_a_search_asks_at_once(open_page: OpenPage) -> None:
    page = open_page("run-anywhere/?q=gfx1030")
    expect(page.locator(".md-search-result__meta")).to_contain_text("matching")


def test_text_that_comes_without_keys_is_searched(open_page: OpenPage) -> None:
    page = open_page("run-anywhere/")
    search(page, "gfx")
    page.locator(".md-search__input").fill("gfx1030")
    expect(page.locator(".md-search-result__meta")).to_contain_text("matching")
    page.locator(".md-search__input").fill("qqzzxxyy")
    expect(page.locator(".md-search-result__item")).to_have_count(0)


_PASTE = """(input, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  input.dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
  input.value = text.replaceAll("\\n", " ");
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 3, in <module>
RuntimeError: CUDA error: no kernel image is available for execution on the device"""


@pytest.mark.parametrize("page", ["run-anywhere/", "zh/results/"])
def test_a_pasted_error_leads_to_the_questions_as_it_was(open_page: OpenPage, page: str) -> None:
    shown = open_page(page)
    words = shown.locator(".md-search__input")
    words.click()
    words.evaluate(_PASTE, TRACEBACK)
    shown.locator(".search-lead.to-questions").click()
    expect(shown.locator("textarea[name=text]")).to_have_value(TRACEBACK)
    assert ("/zh/questions/" in shown.url) == page.startswith("zh/")


def test_words_that_are_no_error_offer_no_search_for_errors(open_page: OpenPage) -> None:
    page = open_page("run-anywhere/")
    search(page, "gfx1030")
    expect(page.locator(".search-lead.to-questions")).to_be_hidden()


def test_chinese_words_beside_latin_ones_are_searched(open_page: OpenPage) -> None:
    page = open_page("zh/versions/")
    words = page.locator(".md-search__input")
    words.click()
    words.fill("海光DCU安装pytorch")
    expect(words).to_have_value("海光 DCU 安装 pytorch")
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile("zh/compute-platforms/hygon/"))

"""The selector says what the chosen release no longer supports."""

from __future__ import annotations

from accelerator_portal.site.pages.upgrades import removed_words, step_anchor
from accelerator_portal.site.selector_view import selector_view
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site, attribute


def test_the_text_follows_the_selected_release(open_page: OpenPage, site: Site) -> None:
    words = removed_words(site.catalog, "rocm")
    page = open_page("?platform=rocm&build=2.10.0")
    removed = page.locator("[data-part=removed]")
    expect(removed).to_have_text(words["2.10.0"])
    expect(removed).to_have_attribute("href", "./versions/upgrade/#rocm-2.10")
    assert "2.13.0" not in words
    page.locator("input[name=build][value='2.13.0']").evaluate("one => one.click()")
    expect(page.locator("[data-part=commands]")).to_contain_text("torch==2.13.0")
    expect(removed).to_be_hidden()


def test_the_page_has_the_text_of_its_first_selection(site: Site) -> None:
    build = selector_view(site.selector.only("rocm")).row.build
    (box,) = site.pages["compute-platforms/rocm/"].tree.css("[data-part=removed]")
    assert "hidden" not in box.attributes
    assert box.text() == removed_words(site.catalog, "rocm")[build]
    address = f"../../versions/upgrade/#{step_anchor('rocm', build)}"
    assert attribute(box, "href") == address

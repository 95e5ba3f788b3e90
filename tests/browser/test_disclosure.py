"""Parts that are closed at first open for whoever follows a link to what is in them."""

from __future__ import annotations

import gzip
import json

import pytest

from accelerator_portal.site.results.results_view import anchor_of
from tests.browser import kinds
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site, attribute

PAGE = kinds.FULLEST


def anchors(site: Site) -> list[str]:
    """An id within a closed part of each sort: hardware, an answer, a guide, a source."""
    page = site.pages[PAGE]
    found = [attribute(node, "id") for node in page.tree.css("details.fold h3[id]")]
    sorts = {anchor.split("-")[0]: anchor for anchor in found}
    sorts["source"] = attribute(page.tree.css(".sources li")[0], "id")
    return list(sorts.values())


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_link_opens_what_it_leads_into(open_page: OpenPage, site: Site, *, scripts: bool) -> None:
    wanted = anchors(site)
    assert {"card", "faq", "source"} <= {anchor.split("-")[0] for anchor in wanted}
    for anchor in wanted:
        page = open_page(f"{PAGE}#{anchor}", java_script_enabled=scripts)
        opened = page.locator(f"details[open]:has([id='{anchor}'])")
        expect(opened.last).to_be_visible()
        expect(opened.last.locator("> summary, :target:not(.fold-title)").last).to_be_in_viewport()
        page.close()


def test_every_part_is_closed_at_first(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    assert page.locator("details.fold").count() > 5
    expect(page.locator("details.fold[open]")).to_have_count(0)


def test_a_citation_opens_the_sources_as_often_as_it_is_followed(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    cite = page.locator(".vendor-text .cite a:visible").first
    for _ in range(2):
        cite.click()
        expect(page.locator(".sources li:target")).to_be_in_viewport()
        page.locator("#all-sources").evaluate("title => title.closest('details').open = false")


def test_what_is_closed_is_found_by_the_search(site: Site) -> None:
    found = set()
    for file in site.root.glob("pagefind/en/fragment/*"):
        text = gzip.decompress(file.read_bytes()).removeprefix(b"pagefind_dcd")
        page = json.loads(text)
        found |= {f"{page['meta'].get('address')}#{part['id']}" for part in page["anchors"]}
    for address in (PAGE, "results/executorch-aten/tests/n/"):
        ids = [
            attribute(node, "id") for node in site.pages[address].tree.css(".fold-title, .fold h3")
        ]
        assert len(ids) > 5
        assert {f"{address}#{anchor}" for anchor in ids} <= found


@pytest.mark.parametrize("hash_", ["#%", "#nowhere", "#", "#%FF", "#<b>"])
def test_an_address_that_leads_nowhere_opens_nothing(open_page: OpenPage, hash_: str) -> None:
    page = open_page(f"{PAGE}{hash_}")
    expect(page.locator("details.fold[open]")).to_have_count(0)


def test_an_old_link_to_a_test_shows_it(open_page: OpenPage) -> None:
    """Tests were on the page of all tests and on those of their initials, under the same id."""
    anchor = anchor_of("hf_Reformer")
    for address in ("results/torchbench/tests/", "results/torchbench/tests/h/"):
        page = open_page(f"{address}#{anchor}")
        page.wait_for_url(f"**/torchbench/tests/#{anchor}")
        expect(page.locator(f"[id='{anchor}']")).to_have_text("hf_Reformer")
        expect(page.locator("details.test[open] .evidence")).to_be_visible()


def test_without_scripts_an_old_link_leads_to_the_data(open_page: OpenPage) -> None:
    anchor = anchor_of("hf_Reformer")
    page = open_page(f"results/torchbench/tests/h/#{anchor}", java_script_enabled=False)
    link = page.get_by_role("link", name="JSON files of the suite")
    address = page.evaluate("href => new URL(href, location.href).href", link.get_attribute("href"))
    assert page.request.get(address).ok

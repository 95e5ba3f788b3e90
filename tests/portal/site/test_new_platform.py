"""A folder that `accelerator-portal new` wrote, beside the invented platform; both are made up."""

from __future__ import annotations

import pytest

from accelerator_portal.site.broken_links import BuiltSite, broken_links
from tests.built_site import Page, Site, attribute


@pytest.fixture
def page(extended_site: Site) -> Page:
    return extended_site.pages["compute-platforms/foo/"]


def test_the_page_says_what_was_answered(page: Page) -> None:
    assert page.one("h1").text().strip() == "Foo *Card*"
    assert page.one(".lead .vendor").text() == "Foo & Works"
    facts = {
        row.css("dt")[0].text(): row.css("dd")[0].text() for row in page.tree.css(".facts > div")
    }
    assert facts["Device string"].startswith("foo")
    assert facts["Dispatch key"].startswith("PrivateUse1")
    assert facts["Maintainers"].startswith("foo-person")
    assert facts["Systems"] == "not stated"


def test_it_shows_the_command_and_what_is_needed_first(page: Page) -> None:
    text = page.one("article").text()
    assert "pip install torch-foo==1.2" in text
    assert "Foo driver 5" in text


def test_each_section_leads_to_the_vendors_page(page: Page) -> None:
    links = [attribute(a, "href") for a in page.tree.css(".vendor-text a[href^='https:']")]
    assert links.count("https://example.org/foo") == 4
    assert "https://github.com/foo/torch-foo/issues" in links


def test_one_source_stands_behind_it(page: Page) -> None:
    (source,) = page.tree.css("ol.sources > li")
    assert source.text().startswith("Foo *Card*, the vendor's documentation, read ")


def test_the_platform_is_found_everywhere(extended_site: Site) -> None:
    for address in ("compute-platforms/", "get-started/", "questions/", "compare/"):
        assert "Foo *Card*" in extended_site.pages[address].tree.text(), address


def test_no_link_leads_nowhere(extended_site: Site) -> None:
    """The real platforms have hardware, features and more that others link to; this one has not."""
    found = broken_links(BuiltSite(extended_site.root))
    assert [str(fault) for fault in found if not fault.page.startswith("results/")] == []

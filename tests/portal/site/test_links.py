"""Links, anchors and references inside the site, also those in HTML, where MkDocs does not look."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urljoin, urlsplit

from accelerator_portal.site.broken_links import BuiltSite, link_addresses, site_faults
from tests.built_site import Site, attribute

ORIGIN = "http://site.invalid/"

# Where HTML names ids of the same page.
REFERENCES = (
    "for",
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "aria-details",
    "aria-activedescendant",
    "list",
    "headers",
)


def test_every_address_inside_the_site_exists(site: Site) -> None:
    built = BuiltSite(site.root)
    assert list(site_faults(built)) == []
    assert {f"compute-platforms/{name}/index.html" for name in site.catalog.by_id} <= built.files


def test_addresses_are_looked_at_on_every_page(site: Site) -> None:
    """So that the test above cannot pass because it found nothing to test."""
    built = BuiltSite(site.root)
    for page in built.pages:
        least = 1 if built.tree(page).css("[data-moved]") else 20
        assert len(list(link_addresses(built.tree(page)))) > least, page


def test_ids_are_unique_on_each_page(site: Site) -> None:
    doubled = {
        page.address: [name for name, count in Counter(page.ids).items() if count > 1]
        for page in site.pages.values()
    }
    assert {address: ids for address, ids in doubled.items() if ids} == {}


def test_references_to_ids_lead_somewhere(site: Site) -> None:
    allowed = "__toc"  # Material's title of a table of contents, on pages where nothing folds it
    lost = [
        f"{page.address}: {name}={value}"
        for page in site.pages.values()
        for name in REFERENCES
        for node in page.tree.css(f"[{name}]")
        for value in attribute(node, name).split()
        if value not in {allowed, *page.ids}
    ]
    assert lost == []


def test_every_control_has_a_label(site: Site) -> None:
    for page in site.pages.values():
        labelled = {attribute(node, "for") for node in page.tree.css("label[for]")}
        for control in page.tree.css("article input, article select, article textarea"):
            wrapped = control.css_matches("label *")
            assert wrapped or control.attributes.get("id") in labelled, control.html


def test_every_page_but_404_is_reached_from_the_home_page(site: Site) -> None:
    seen, waiting = {""}, [""]
    while waiting:
        page = site.pages[waiting.pop()]
        for node in page.tree.css("a[href]"):
            target = urlsplit(urljoin(ORIGIN + page.address, attribute(node, "href")))
            address = target.path.removeprefix("/").removesuffix("index.html")
            if target.netloc == "site.invalid" and address in site.pages and address not in seen:
                seen.add(address)
                waiting.append(address)
    assert set(site.pages) - seen == {"404.html"}


def test_every_page_has_one_level_one_heading_and_a_title(site: Site) -> None:
    for page in site.pages.values():
        assert len(page.tree.css("h1")) == 1, page.address
        assert page.one("head > title").text().strip(), page.address
    titles = Counter(page.one("head > title").text() for page in site.pages.values())
    assert titles.most_common(1)[0][1] == 1, titles

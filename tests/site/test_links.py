"""Links, anchors and references inside the site, also those in HTML, where MkDocs does not look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from tests.built_site import Page, Site, attribute

ORIGIN = "http://site.invalid/"

# Where HTML names an address.
ADDRESSES = {
    "href": "a[href], area[href], link[href]",
    "src": "img[src], script[src], iframe[src], source[src]",
    "action": "form[action]",
    "data-selector": "form[data-selector]",
    "data-finder": "form[data-finder]",
    "data-matrix": "form[data-matrix]",
}
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


def addresses(page: Page) -> Iterator[str]:
    for name, selector in ADDRESSES.items():
        for node in page.tree.css(selector):
            yield attribute(node, name)


def broken(site: Site, page: Page, address: str) -> str | None:
    """What is wrong with an address that a page names, if anything is."""
    target = urlsplit(urljoin(ORIGIN + page.address, address))
    if not target.geturl().startswith(ORIGIN):
        return None if target.scheme == "https" else f"{address}: not https"
    path = unquote(target.path).removeprefix("/")
    file = site.root / path
    if file.is_dir():
        if path and not path.endswith("/"):
            return f"{address}: a folder without its final /"
        file /= "index.html"
    if not file.is_file():
        return f"{address}: no such file"
    anchor = unquote(target.fragment)
    if anchor and anchor not in site.pages[path.removesuffix("index.html")].ids:
        return f"{address}: no such anchor"
    return None


def test_every_address_inside_the_site_exists(site: Site) -> None:
    found = {
        page.address: faults
        for page in site.pages.values()
        if (faults := [f for a in addresses(page) if (f := broken(site, page, a))])
    }
    assert found == {}


def test_addresses_are_looked_at_on_every_page(site: Site) -> None:
    """So that the test above cannot pass because it found nothing to test."""
    for page in site.pages.values():
        assert len(list(addresses(page))) > 20


def test_a_broken_link_would_be_found(site: Site) -> None:
    home = site.pages[""]
    for wrong in ("nowhere/", "./#nowhere", "get-started", "assets/none.css", "http://a.example"):
        assert broken(site, home, wrong), wrong


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

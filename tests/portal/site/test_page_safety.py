"""What a page may load and run: its own files only."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from tests.built_site import REPOSITORY, Page, Site, attribute

# Elements that make a browser fetch what they name.
LOADING = {
    "src": "script, img, iframe, source, video, audio, embed, input, track, frame",
    "srcset": "img, source",
    "poster": "video",
    "data": "object",
    "background": "body, table, td",
    "manifest": "html",
}
# Links that make no browser fetch anything.
NAMES_ONLY = {"canonical", "prev", "next", "alternate", "license", "author"}
STYLE_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?\s*([^"')\s]+)""", re.IGNORECASE)
SCRIPT_ADDRESS = re.compile(r"""["'`](?:https?:)?//[^"'`\s]""")


def is_foreign(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in {"", "data"}


def loaded(page: Page) -> set[str]:
    found: set[str] = set()
    for name, elements in LOADING.items():
        for element in elements.split(", "):
            for node in page.tree.css(f"{element}[{name}]"):
                found.update(part.split()[0] for part in attribute(node, name).split(","))
    for node in page.tree.css("link[href]"):
        if not set(attribute(node, "rel").split()) <= NAMES_ONLY:
            found.add(attribute(node, "href"))
    for node in page.tree.css("use"):
        found.update(filter(None, (node.attributes.get("href"), node.attributes.get("xlink:href"))))
    styles = [node.text() for node in page.tree.css("style")]
    styles += [attribute(node, "style") for node in page.tree.css("[style]")]
    return found.union(*map(STYLE_ADDRESS.findall, styles))


def test_no_page_loads_anything_from_another_host(site: Site) -> None:
    for page in site.pages.values():
        assert len(loaded(page)) > (1 if page.is_moved else 3), page.address
        assert not list(filter(is_foreign, loaded(page))), page.address


def test_no_style_sheet_loads_anything_from_another_host(site: Site) -> None:
    sheets = list(site.root.rglob("*.css"))
    assert "portal.css" in {sheet.name for sheet in sheets}
    for sheet in sheets:
        named = STYLE_ADDRESS.findall(sheet.read_text("utf-8"))
        assert not list(filter(is_foreign, named)), sheet.name


def test_the_portals_own_scripts_name_no_other_host() -> None:
    scripts = list((REPOSITORY / "site_src").rglob("*.js"))
    assert len(scripts) > 3
    for script in scripts:
        assert not SCRIPT_ADDRESS.search(script.read_text("utf-8")), script.name


def test_the_policy_is_the_first_thing_after_the_encoding(site: Site) -> None:
    for page in site.pages.values():
        head = page.one("head")
        first, second = list(head.iter(include_text=False))[:2]
        assert "charset" in first.attributes, page.address
        assert first.next == second or not (first.next and first.next.text().strip())
        assert second.attributes.get("http-equiv") == "Content-Security-Policy", page.address
        policy = attribute(second, "content")
        (scripts,) = [d for d in policy.split("; ") if d.startswith("script-src")]
        assert "unsafe" not in scripts, page.address
        assert "http" not in policy, page.address


def test_no_page_has_inline_handlers_or_script_addresses(site: Site) -> None:
    for page in site.pages.values():
        for node in page.tree.css("*"):
            for name, value in node.attributes.items():
                assert not name.lower().startswith("on"), f"{page.address}: {node.tag} {name}"
                assert not (value or "").strip().lower().startswith("javascript:"), page.address
        assert not page.tree.css("article script, meta[http-equiv=refresh], base, object, embed")


def test_links_to_other_hosts_that_vendors_name_give_nothing_away(site: Site) -> None:
    for page in site.platform_pages():
        links = page.tree.css(".vendor-text a[href^=http], .sources a[href^=http]")
        assert links, page.address
        for link in links:
            assert {"nofollow", "noopener", "noreferrer"} <= set(attribute(link, "rel").split()), (
                link.html
            )

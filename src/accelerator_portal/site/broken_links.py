"""Finds broken links, missing anchors and missing key files in a built site.

Site generators check only links in Markdown. This module checks the generated HTML, before the site
is published.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

# CSS selectors of elements that can have an address, by the attribute that contains it.
ADDRESS_SELECTORS = {
    "href": "a[href], area[href], link[href]",
    "src": "img[src], script[src], iframe[src], source[src]",
    "action": "form[action]",
    "data-selector": "form[data-selector]",
    "data-finder": "form[data-finder]",
    "data-others": "form[data-others]",
    "data-matrix": "form[data-matrix]",
}

# Files that every built portal has.
KEY_FILES = (
    "index.html",
    "404.html",
    "get-started/index.html",
    "compute-platforms/index.html",
    "results/index.html",
    "results/dashboard/index.html",
    "api/v1/install.json",
    "api/v1/selector.json",
    "api/v1/index.json",
    "pagefind/en/pagefind-entry.json",
)

_ORIGIN = "http://site.invalid/"


@dataclass(frozen=True, slots=True)
class SiteFault:
    """A fault of the site: the path of the page or file, and what is wrong.

    The path is relative to the site's root.
    """

    page: str
    what: str

    def __str__(self) -> str:
        """Return the fault as one line: `versions/index.html: ../old/: no such file`."""
        return f"{self.page or 'index.html'}: {self.what}"


class BuiltSite:
    """The files and pages of a built site. Pages are read when they are needed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._ids: dict[str, frozenset[str]] = {}
        self._script_ids: dict[str, frozenset[str]] = {}

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """The paths of all pages, relative to the site's root, sorted."""
        return tuple(
            sorted(file.relative_to(self.root).as_posix() for file in self.root.rglob("*.html"))
        )

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of all files, relative to the site's root."""
        all_files = (file for file in self.root.rglob("*") if file.is_file())
        return frozenset(file.relative_to(self.root).as_posix() for file in all_files)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The paths of all folders that contain files; "." is the root."""
        return frozenset(parent.as_posix() for f in self.files for parent in Path(f).parents)

    @cached_property
    def base(self) -> str:
        """The path of the site's root on its server: `/portal/` on GitHub Pages.

        The path is from the canonical link in `index.html`; without one, it is `/`. Links on the
        404 page start with this path, because that page is displayed at any depth.
        """
        if "index.html" not in self.files:
            return "/"
        link = self.tree("index.html").css_first('link[rel="canonical"]')
        path = urlsplit(link.attributes.get("href") or "").path if link else ""
        return path if path.startswith("/") and path.endswith("/") else "/"

    def tree(self, page: str) -> LexborHTMLParser:
        """Return a page as parsed HTML, and store its ids, which `ids` returns later."""
        tree = LexborHTMLParser((self.root / page).read_text("utf-8"))
        self._ids[page] = frozenset(node.attributes["id"] or "" for node in tree.css("[id]"))
        return tree

    def ids(self, page: str) -> frozenset[str]:
        """Return the ids of a page."""
        if page not in self._ids:
            self.tree(page)
        return self._ids[page]

    def script_ids(self, page: str) -> frozenset[str]:
        """Return the ids of tests and results that a page's script adds from data files.

        The page's HTML does not contain these ids. The script adds a test when a reader opens the
        test.
        """
        if page not in self._script_ids:
            forms = self.tree(page).css("[data-tests]")
            folders = (
                urljoin(_ORIGIN + page, form.attributes["data-tests"] or "") for form in forms
            )
            folder_ids = (_test_ids(self.root / urlsplit(folder).path[1:]) for folder in folders)
            self._script_ids[page] = frozenset(chain.from_iterable(folder_ids))
        return self._script_ids[page]

    def fault(self, page: str, address: str) -> str | None:
        """Return what is wrong with a link to `address` on `page`; None if the link is valid.

        Links to other sites are valid if they use https. Other sites are not requested.
        """
        page_path = f"{self.base[1:]}{page.removesuffix('index.html')}"
        target = urlsplit(urljoin(_ORIGIN + page_path, address))
        if not target.geturl().startswith(_ORIGIN):
            return None if target.scheme == "https" else f"{address}: not https"
        if not f"{target.path}/".startswith(self.base):
            return f"{address}: outside the site, which is at {self.base}"
        path = unquote(target.path.removeprefix(self.base))
        if (path.removesuffix("/") or ".") in self.folders:
            if path and not path.endswith("/"):
                return f"{address}: a folder without its final /"
            path += "index.html"
        if path not in self.files:
            return f"{address}: no such file"
        anchor = unquote(target.fragment)
        is_page_anchor = anchor and path.endswith(".html")
        if is_page_anchor and anchor not in self.ids(path) and anchor not in self.script_ids(path):
            return f"{address}: no such anchor"
        return None


def _test_ids(folder: Path) -> Iterator[str]:
    """Yield the ids of tests and results in a folder of data files about a suite's tests.

    `suite_test_files` generates these files.
    """
    for _, name in json.loads((folder / "index.json").read_text("utf-8"))["files"]:
        for anchor, test in json.loads((folder / name).read_text("utf-8"))["tests"].items():
            yield anchor
            yield from (anchor + result["id"] for result in test["results"])


def link_addresses(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the addresses to which a page links, from the attributes in `ADDRESS_SELECTORS`."""
    for name, selector in ADDRESS_SELECTORS.items():
        for node in tree.css(selector):
            yield node.attributes[name] or ""


def site_faults(site: BuiltSite) -> Iterator[SiteFault]:
    """Yield the faults of a site: the missing files of `KEY_FILES`, then the broken links."""
    missing = (path for path in KEY_FILES if path not in site.files)
    yield from (SiteFault(path, "the file is missing") for path in missing)
    yield from broken_links(site)


def broken_links(site: BuiltSite) -> Iterator[SiteFault]:
    """Yield a fault for each broken link.

    A broken link that a page contains several times is yielded once for this page.
    """
    for page in site.pages:
        for address in dict.fromkeys(link_addresses(site.tree(page))):
            if what := site.fault(page, address):
                yield SiteFault(page, what)

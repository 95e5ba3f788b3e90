"""Joins the style sheets, and lists the JavaScript modules of a page.

The browser loads all listed modules at once. Without a list it learns of a module only from the
module that imports it, one after another, which takes a round trip each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.site.page import SiteFile

FIRST = "portal"
STYLES = "site_src/styles"

# A line of the table in portal.js: which module makes which form work.
_PART = re.compile(r'"form\[(data-[a-z-]+)\]": \(\) => import\("\./([a-z-]+)\.js"\)')
_IMPORT = re.compile(r'^import [^;]+ from "\./([a-z-]+)\.js";', re.MULTILINE)
_CSS_IMPORT = re.compile(r'@import "([^"]+)";\n')


@dataclass(frozen=True, slots=True)
class PageModules:
    """The JavaScript modules that pages load, as names of files without `.js`."""

    common: tuple[str, ...]
    """The modules that every page with a form in `parts` loads."""
    parts: Mapping[str, tuple[str, ...]]
    """The modules of each kind of form, by the attribute of its tag, such as `data-selector`."""

    def of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the modules that a page loads for its form; empty without a form in `parts`.

        `texts` are the parts of the page's HTML. If a page has several kinds of forms, only the
        modules of the kind that comes first in `parts` are returned; the other forms load theirs
        later.
        """
        html = "".join(texts)
        for attribute, names in self.parts.items():
            if re.search(rf"<form[^>]*\s{attribute}[\s=>]", html):
                return tuple(dict.fromkeys([*self.common, *names]))
        return ()


def read_page_modules(folder: Path) -> PageModules:
    """Return the modules that each form needs, from the table in `portal.js` in `folder`.

    Raises OSError if a script cannot be read.
    """
    parts = dict(_PART.findall((folder / f"{FIRST}.js").read_text(encoding="utf-8")))
    modules = {attribute: _with_imports(folder, name) for attribute, name in parts.items()}
    return PageModules(_with_imports(folder, FIRST), modules)


def _with_imports(folder: Path, name: str) -> tuple[str, ...]:
    """Return a module and all modules that it imports, without duplicates."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module] = None
            waiting += _IMPORT.findall((folder / f"{module}.js").read_text(encoding="utf-8"))
    return tuple(found)


def style_sheet(root: Path) -> SiteFile:
    """Return the site's style sheet; `root` is the repository."""
    folder = root / STYLES

    def text(found: re.Match[str]) -> str:
        return (folder / found[1]).read_text(encoding="utf-8")

    whole = _CSS_IMPORT.sub(text, (folder / "portal.css").read_text(encoding="utf-8"))
    return SiteFile("assets/portal.css", whole)

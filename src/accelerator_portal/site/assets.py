"""Joins the style sheets, removes scripts' comments, and lists the modules that a page loads.

A page lists its JavaScript modules, so that a browser loads all of them at once. Without a list, a
browser finds a module only after it has loaded the module that imports it: one round trip for each
import.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.site.site_file import SiteFile

ENTRY_MODULE = "portal"
STYLES_FOLDER = "site_src/styles"
SCRIPTS_FOLDER = "site_src/scripts"

# A line of the table in portal.js: which module makes which form work.
_FORM_MODULE = re.compile(r'"form\[(data-[a-z-]+)\]": \(\) => import\("\./([a-z-]+)\.js"\)')
_IMPORT = re.compile(r'^import [^;]+ from "\./([a-z-]+)\.js";', re.MULTILINE)
# Comments with lines of their own.
_SCRIPT_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
_CSS_IMPORT = re.compile(r'@import "([^"]+)";\n')


@dataclass(frozen=True, slots=True)
class PageModules:
    """The JavaScript modules that pages load, as file names without `.js`."""

    common: tuple[str, ...]
    """The modules that every page with a form loads, whatever the kind of form."""
    parts: Mapping[str, tuple[str, ...]]
    """The modules that each kind of form needs. The keys are the HTML attributes that mark the
    kinds in pages, such as `data-selector`."""

    def of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the modules that a page lists: `common`, and those of one kind of form.

        `texts` joined together are the HTML of the page. If the page has several of the kinds of
        forms in `parts`, the kind that comes first in `parts` counts. Scripts load the modules for
        the page's other forms later. The result is empty if the page has none of these forms.
        """
        html = "".join(texts)
        for attribute, names in self.parts.items():
            if re.search(rf"<form[^>]*\s{attribute}[\s=>]", html):
                return tuple(dict.fromkeys([*self.common, *names]))
        return ()


def read_page_modules(folder: Path) -> PageModules:
    """Return the modules that each kind of form needs, from the table in `portal.js`.

    `folder` is the folder with the scripts. Raises OSError if a script cannot be read.
    """
    parts = dict(_FORM_MODULE.findall((folder / f"{ENTRY_MODULE}.js").read_text(encoding="utf-8")))
    modules = {attribute: _with_imports(folder, name) for attribute, name in parts.items()}
    return PageModules(_with_imports(folder, ENTRY_MODULE), modules)


def _with_imports(folder: Path, name: str) -> tuple[str, ...]:
    """Return the names of a module and of all its direct and indirect imports."""
    modules: dict[str, None] = {}
    unread_modules = [name]
    while unread_modules:
        module = unread_modules.pop()
        if module not in modules:
            modules[module] = None
            unread_modules += _IMPORT.findall((folder / f"{module}.js").read_text(encoding="utf-8"))
    return tuple(modules)


def style_sheet(root: Path) -> SiteFile:
    """Return the site's style sheet, joined from the files in `site_src/styles`.

    `root` is the folder of the repository.
    """
    folder = root / STYLES_FOLDER

    def text(found: re.Match[str]) -> str:
        return (folder / found[1]).read_text(encoding="utf-8")

    css = _CSS_IMPORT.sub(text, (folder / "portal.css").read_text(encoding="utf-8"))
    return SiteFile("assets/portal.css", css)


def published_scripts(root: Path) -> Iterator[SiteFile]:
    """Yield the JavaScript modules without their comments, so that readers download less.

    `root` is the folder of the repository.
    """
    for file in sorted((root / SCRIPTS_FOLDER).glob("*.js")):
        code = _SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8"))
        yield SiteFile(f"assets/scripts/{file.name}", code)

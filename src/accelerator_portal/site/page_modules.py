"""Lists the JavaScript modules of a page, so that the browser loads all at once.

Without a list it learns of a module only from the module that imports it, one after another, which
takes a round trip each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.catalog import Platform

FIRST = "portal"

# A line of the table in portal.js: which module makes which form work.
_PART = re.compile(r'"form\[(data-[a-z-]+)\]": \(\) => import\("\./([a-z-]+)\.js"\)')
_IMPORT = re.compile(r'^import [^;]+ from "\./([a-z-]+)\.js";', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageModules:
    """What each form needs: the names of modules by the attribute of the form."""

    common: tuple[str, ...]
    """The modules of every page with a form."""
    parts: Mapping[str, tuple[str, ...]]

    def of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the modules of a page's first form from its HTML; none where it has no form.

        Other forms load theirs after it is ready.
        """
        html = "".join(texts)
        for attribute, names in self.parts.items():
            if re.search(rf"<form[^>]*\s{attribute}[\s=>]", html):
                return tuple(dict.fromkeys([*self.common, *names]))
        return ()


def read_page_modules(folder: Path) -> PageModules:
    """Return what the scripts of a folder import. Raises OSError."""
    parts = dict(_PART.findall((folder / f"{FIRST}.js").read_text(encoding="utf-8")))
    modules = {attribute: _with_imports(folder, name) for attribute, name in parts.items()}
    return PageModules(_with_imports(folder, FIRST), modules)


def _with_imports(folder: Path, name: str) -> tuple[str, ...]:
    """Return a module and all that it imports, each once."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module] = None
            waiting += _IMPORT.findall((folder / f"{module}.js").read_text(encoding="utf-8"))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ExtraImport:
    """Words, the statement, or the words that lead to the statement."""

    platform: Platform
    words: str
    statement: str = ""


def extra_import(platform: Platform) -> ExtraImport:
    """Return what a platform needs: nothing where PyTorch has it or loads its plugin."""
    package = platform.accelerator.package
    statement = f"import {package.module}"
    if platform.in_tree:
        return ExtraImport(platform, "none")
    if package.autoload is None:
        return ExtraImport(platform, "not stated")
    if not package.autoload:
        return ExtraImport(platform, "", statement)
    if package.autoload_since is None:
        return ExtraImport(platform, "none")
    since = f"none since {package.name} {package.autoload_since}; before that: "
    return ExtraImport(platform, since, statement)

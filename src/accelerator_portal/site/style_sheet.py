"""Joins style sheets: replaces each `@import` by the text of its file."""

from __future__ import annotations

import re
from pathlib import Path

from accelerator_portal.site.page import SiteFile

STYLES = "site_src/styles"

_IMPORT = re.compile(r'@import "([^"]+)";\n')


def style_sheet(root: Path) -> SiteFile:
    """Return the site's style sheet; `root` is the repository."""
    folder = root / STYLES

    def text(found: re.Match[str]) -> str:
        return (folder / found[1]).read_text(encoding="utf-8")

    whole = _IMPORT.sub(text, (folder / "portal.css").read_text(encoding="utf-8"))
    return SiteFile("assets/portal.css", whole)

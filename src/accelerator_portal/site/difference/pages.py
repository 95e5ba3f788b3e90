"""The pages of a built site, each by a digest of its own part."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from accelerator_portal.reports.reading import read_bytes
from accelerator_portal.site.difference.shapes import MOST_ENTRIES, PagesDifference

# What stands around it, menus above all, differs on every page when a platform comes.
_OWN_PART = re.compile(rb"<article\b.*</article>", re.DOTALL)


def read_pages(site: Path) -> dict[str, str]:
    """Return a digest of each page by its address: ``, `get-started/`, `404.html`."""
    found = {}
    for file in sorted(_files(site)):
        content = read_bytes(file)
        own = _OWN_PART.search(content)
        address = file.relative_to(site).as_posix().removesuffix("index.html")
        found[address] = hashlib.sha256(own[0] if own else content).hexdigest()
    return found


def page_changes(before: Mapping[str, str], after: Mapping[str, str]) -> PagesDifference:
    """Return which pages are new, gone and different."""
    lists = {
        "added": [page for page in after if page not in before],
        "gone": [page for page in before if page not in after],
        "changed": [p for p, digest in after.items() if before.get(p, digest) != digest],
    }
    left_out = {name: len(pages) - MOST_ENTRIES for name, pages in lists.items()}
    return PagesDifference(
        left_out={name: more for name, more in left_out.items() if more > 0},
        **{name: tuple(pages[:MOST_ENTRIES]) for name, pages in lists.items()},
    )


def _files(site: Path) -> Iterator[Path]:
    return (file for file in site.rglob("*.html") if file.is_file() and not file.is_symlink())

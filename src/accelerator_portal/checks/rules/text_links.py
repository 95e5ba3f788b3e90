"""Links in guides and FAQs use https. Images are not allowed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.fields import is_address


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield links that a reader could not follow, and pictures."""
    for file in catalog.texts:
        for target in file.targets:
            if target.is_picture:
                remedy = "describe it in words, or link to it"
                yield Problem(file.path, target.line, "images are not allowed", remedy)
            elif not is_address(target.address):
                what = f'the link to "{target.address[:80]}" is not a web address'
                yield Problem(file.path, target.line, what, "write a full https:// address")

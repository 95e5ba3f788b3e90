"""Versions stand newest first, in the order of PEP 440: 7.14 is newer than 7.2.

Rows of `compatibility.yaml` are ordered by torch; variants of `install.yaml` that differ by the
number at the end of their ids only, such as rocm7.14 and rocm7.2, by that number. Sorted as texts
they come out wrong, and a page that takes the first one for the newest advertises the older.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem

_NUMBERED = re.compile(r"(.*?[a-z-])(\d+(?:\.\d+)+)")


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield rows and variants that stand below older ones."""
    for platform in catalog.platforms:
        yield from _rows(platform)
        yield from _variants(platform)


def _rows(platform: Platform) -> Iterator[Problem]:
    rows = platform.compatibility.rows
    for place in range(1, len(rows)):
        before, here = rows[place - 1].torch, rows[place].torch
        if Version(before) < Version(here):
            what = f'torch "{here}" stands below {before}'
            location = ("rows", place, "torch")
            yield platform.problem("compatibility.yaml", location, what, "list the newest first")


def _variants(platform: Platform) -> Iterator[Problem]:
    newest: dict[str, str] = {}
    for place, variant in enumerate(platform.install.variants):
        numbered = _NUMBERED.fullmatch(variant.id)
        if not numbered:
            continue
        family, number = numbered.groups()
        before = newest.setdefault(family, number)
        if Version(before) < Version(number):
            what = f'"{variant.id}" stands below {family}{before}'
            location = ("variants", place, "id")
            yield platform.problem("install.yaml", location, what, "list the newest first")
        newest[family] = number
